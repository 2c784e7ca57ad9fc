"""An agent's values in words, for tables: what is set, and the platform's default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Field, Model, TextField
from django.utils.translation import gettext

from admin_config.defaults.kinds import KindDefaults
from admin_config.defaults.options import OPTIONS
from admin_config.models import AgentConfig, AgentOperation, AgentTool, PromptSection
from admin_config.services.agents.prompt_limits import prompt_tokens
from tenants.localization.figures import figure, figure_as_it_is

LONG: Final = 40  # characters of a text that is shown as its size
TEXTS: Final = ("description", "system_prompt", "user_prompt_template", "text")


@dataclass(frozen=True, slots=True)
class Place:
    """A field of an agent, or of its section or operation named `part`; of AgentTool: all of the agent's sources."""

    label: str
    field: str
    model: type[PromptSection] | type[AgentOperation] | type[AgentTool] | None = None
    part: str = ""

    @property
    def prefix(self) -> str:
        """What the names of its rows' fields begin with on the agent's page; "" for a field of the agent itself."""
        return {PromptSection: "sections", AgentOperation: "operations"}.get(self.model, "") if self.model is not None else ""

    @property
    def key(self) -> str:
        """Its name in an address: "max_steps", "sections.skills.is_enabled"."""
        return ".".join(word for word in (self.prefix, self.part, self.field) if word)

    @property
    def fits_cell(self) -> bool:
        """Whether its field is small enough for a table: no text of several lines, and no rows."""
        return self.model is not AgentTool and not isinstance((self.model or AgentConfig)._meta.get_field(self.field), TextField)


def field_label(model: type[Model], name: str) -> str:
    field = model._meta.get_field(name)
    assert isinstance(field, Field)
    label = str(field.verbose_name)
    return label[:1].upper() + label[1:]


def value_text(place: Place, value: Any) -> str:
    """Return a value that is set."""
    if isinstance(value, bool):
        return gettext("On") if value else gettext("Off")
    if isinstance(value, str):
        return value if place.model is AgentTool else _string_text(place, value)
    return figure(value) if isinstance(value, int) else figure_as_it_is(value) if isinstance(value, float) else str(value)


def default_text(place: Place, kind: KindDefaults) -> str:
    """Return the platform's default."""
    if place.field == "model":
        return gettext("The provider's default")
    value = _default(place, kind)
    if place.field in TEXTS and not is_short(value):
        return gettext("Default, %(value)s tokens") % {"value": figure(prompt_tokens([value]))}
    return gettext("None") if value in (None, "", (), {}) else value_text(place, value)


def is_short(text: str) -> bool:
    return len(text) <= LONG and "\n" not in text


def _string_text(place: Place, text: str) -> str:
    if place.field in OPTIONS:
        choices: Mapping[str, str] = OPTIONS[place.field].choices or {}
        return gettext(choices[text]) if text in choices else ", ".join(text.split("\n"))
    return text if is_short(text) else gettext("Customized, %(value)s tokens") % {"value": figure(prompt_tokens([text]))}


def _default(place: Place, kind: KindDefaults) -> Any:
    if place.model is AgentTool:
        return ""
    if place.model is None:
        return True if place.field == "is_enabled" else getattr(kind.options if place.field in OPTIONS else kind, place.field)
    part = kind.section(place.part) if place.model is PromptSection else kind.operation(place.part)
    return getattr(part, place.field)
