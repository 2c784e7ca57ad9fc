"""A kind's values side by side: the base, and each provider's own (SPEC 4.15, design 42). Needs the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Field
from django.utils.translation import gettext

from admin_config.defaults.options import OPTIONS
from admin_config.models import AgentConfig, AgentOperation, AppSettings, PromptSection
from admin_config.services.agents.bases import bases_attach, part_rows
from admin_config.services.agents.prompt_limits import prompt_tokens
from tenants.localization.figures import figure, figure_as_it_is

TEXTS: Final = ("description", "system_prompt")
NUMBERS: Final = ("temperature", "max_output_tokens", "max_steps", "thinking_budget")
FIELDS: Final = ("is_enabled", *TEXTS, *NUMBERS, *OPTIONS)
_LONG: Final = 40  # characters of a text that is told as its size


@dataclass(frozen=True, slots=True)
class ValueCell:
    """A field at one level: what holds there, and whether it is set there."""

    text: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A field that some level sets."""

    label: str
    cells: tuple[ValueCell, ...]  # of the base, then of the providers


@dataclass(frozen=True, slots=True)
class ProviderColumn:
    """A provider whose agent is compared."""

    agent_id: UUID
    label: str
    note: str  # whether members can use it
    own: int  # how many fields it sets


@dataclass(frozen=True, slots=True)
class ValuesByProvider:
    """The fields that the base or a provider sets. Providers that members can't use are there when they set something."""

    columns: tuple[ProviderColumn, ...]
    rows: tuple[ValueRow, ...]


def values_by_provider(base: AgentConfig) -> ValuesByProvider:
    """Return the kind's values that differ from the platform's. Five queries."""
    rows = list(AgentConfig.objects.filter(kind=base.kind).prefetch_related("operations", "sections").order_by("provider"))
    current = AppSettings.objects.get()
    active = current.active_provider
    notes = {active: gettext("Active"), **{provider: gettext("Offered") for provider in current.offered_providers if provider != active}}
    agents = sorted(bases_attach(rows), key=lambda agent: list(notes).index(agent.provider) if agent.provider in notes else 99)
    [held] = [row for row in rows if row.is_base]
    held.defaults = base.defaults
    places = [*_places(held)]
    shown = [agent for agent in agents if agent.provider in notes or any(_is_own(agent, place) for place in places)]
    overridden = [place for place in places if any(_is_own(agent, place) for agent in (held, *shown))]
    columns = tuple(
        ProviderColumn(
            agent.pk, agent.get_provider_display(), notes.get(agent.provider, ""), sum(_is_own(agent, place) for place in places)
        )
        for agent in shown
    )
    return ValuesByProvider(
        columns, tuple(ValueRow(place.label, tuple(_cell(agent, place) for agent in (held, *shown))) for place in overridden)
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A field of an agent, or of its section or operation named `part`."""

    label: str
    field: str
    model: type[PromptSection] | type[AgentOperation] | None = None
    part: str = ""


def _places(agent: AgentConfig) -> Iterator[_Place]:
    kind = agent.defaults
    yield from (_Place(_label(AgentConfig, name), name) for name in FIELDS)
    for section in kind.sections:
        title = section.name.replace("_", " ").capitalize()
        yield from (
            _Place(gettext("%(title)s, enabled") % {"title": title}, "is_enabled", PromptSection, section.name),
            _Place(title, "text", PromptSection, section.name),
        )
    for operation in kind.operations:
        title = gettext("Operation %(operation)s") % {"operation": operation.name}
        for name in ("is_enabled", "system_prompt", "user_prompt_template"):
            yield _Place(f"{title}, {_label(AgentOperation, name).lower()}", name, AgentOperation, operation.name)


def _label(model: Any, name: str) -> str:
    field = model._meta.get_field(name)
    assert isinstance(field, Field)
    label = str(field.verbose_name)
    return label[:1].upper() + label[1:]


def _rows_of(agent: AgentConfig, place: _Place) -> Sequence[Any]:
    """Return the rows in which the field may be set: the agent's own first."""
    if place.model is not None:
        return part_rows(agent, place.model, place.part)
    return [agent] if agent.base is None else [agent, agent.base]


def _is_own(agent: AgentConfig, place: _Place) -> bool:
    rows = _rows_of(agent, place)
    own = rows[:1] if place.model is None else [row for row in rows if row.agent_id == agent.pk]
    return any(getattr(row, place.field) not in (None, "") for row in own)


def _cell(agent: AgentConfig, place: _Place) -> ValueCell:
    values = (getattr(row, place.field) for row in _rows_of(agent, place))
    value = next((value for value in values if value not in (None, "")), None)
    return ValueCell(_default(agent, place) if value is None else _value_label(agent, place, value), _is_own(agent, place))


def _value_label(agent: AgentConfig, place: _Place, value: Any) -> str:
    if isinstance(value, bool):
        return gettext("On") if value else gettext("Off")
    if isinstance(value, str) and place.field in OPTIONS:
        choices: Mapping[str, str] = OPTIONS[place.field].choices or {}
        return choices.get(value, ", ".join(value.split("\n")))
    if isinstance(value, str):
        return (
            value
            if len(value) <= _LONG and "\n" not in value
            else gettext("Customized, %(value)s tokens") % {"value": figure(prompt_tokens([value]))}
        )
    return figure(value) if isinstance(value, int) else figure_as_it_is(value) if isinstance(value, float) else str(value)


def _default(agent: AgentConfig, place: _Place) -> str:
    """Return the platform's default in words."""
    if place.field == "is_enabled":
        return _value_label(agent, place, _part_default(agent, place))
    if place.model is not None or place.field in TEXTS:
        return gettext("Default")
    value = getattr(agent.defaults.options if place.field in OPTIONS else agent.defaults, place.field)
    return gettext("None") if value in (None, (), {}) else _value_label(agent, place, value)


def _part_default(agent: AgentConfig, place: _Place) -> bool:
    """Return whether the platform enables the section or operation; an agent itself is enabled."""
    if place.model is None:
        return True
    of = agent.defaults
    part = of.section(place.part) if place.model is PromptSection else of.operation(place.part)
    return part is None or part.is_enabled
