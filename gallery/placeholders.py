"""The placeholders of a template: `{{name}}` in its text, and how each one is asked for. Pure.

The page has the same rules in frontend/src/gallery/placeholders.ts, for the preview.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Final, Literal

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from tenants.errors import BadRequest
from tenants.input.visible_text import visible_line
from tenants.localization.figures import figure
from tenants.rest.schemas import NO_NUL

GAP: Final = re.compile(r"\{\{([^{}\n]{1,60})\}\}")
MAX_PLACEHOLDERS: Final = 30
MAX_VALUE_CHARS: Final = 4000
_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(\.\d{1,10})?")

PlaceholderKind = Literal["text", "long_text", "choice", "number", "date"]
_Line = Annotated[str, StringConstraints(max_length=80, strip_whitespace=True, pattern=NO_NUL)]
_Choice = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True, pattern=NO_NUL)]


class Placeholder(BaseModel):
    """`name`: as it stands between the braces. `label`: of its field. `choices`: of the kind `choice`. `default`: what the field begins with."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^{}\n\s]([^{}\n]*[^{}\n\s])?$")]
    label: _Line = ""
    kind: PlaceholderKind = "text"
    default: Annotated[str, StringConstraints(max_length=500, pattern=NO_NUL)] = ""
    required: bool = False
    choices: Annotated[list[_Choice], Field(max_length=20)] = []

    @model_validator(mode="after")
    def _check(self) -> Placeholder:
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError("a choice has choices, and nothing else has any")
        if self.default and (problem := self.problem_of(self.default)):
            raise ValueError(problem)
        return self

    @property
    def shown_label(self) -> str:
        return visible_line(self.label) or label_of(self.name)

    def problem_of(self, value: str) -> str | None:
        """Return what is wrong with a value, as a sentence; None: nothing."""
        if not value.strip():
            return gettext("“%(shown_label)s” is empty.") % {"shown_label": self.shown_label} if self.required else None
        if len(value) > MAX_VALUE_CHARS:
            return gettext("“%(shown_label)s” is too long: %(max_value)s characters are possible.") % {
                "shown_label": self.shown_label,
                "max_value": figure(MAX_VALUE_CHARS),
            }
        if self.kind == "choice" and value not in self.choices:
            return gettext("“%(shown_label)s” must be one of: %(choices)s.") % {
                "shown_label": self.shown_label,
                "choices": ", ".join(self.choices),
            }
        if self.kind == "number" and not _NUMBER.fullmatch(value):
            return gettext("“%(shown_label)s” must be a number.") % {"shown_label": self.shown_label}
        if self.kind == "date" and not _is_date(value):
            return gettext("“%(shown_label)s” must be a date, such as 2027-01-31.") % {"shown_label": self.shown_label}
        return None


def label_of(name: str) -> str:
    """Return how a name is shown: `delivery_date` as Delivery date."""
    words = visible_line(name.replace("_", " "))
    return words[:1].upper() + words[1:]


def names_in(text: str) -> list[str]:
    """Return the names of all gaps, each once, in the text's order. Those of registered secrets are none (agents.runtime.placeholders)."""
    matches = (match.strip() for match in GAP.findall(text))
    return list(dict.fromkeys(name for name in matches if name and not name.startswith("secret:")))


def placeholders_check(body: str, placeholders: Sequence[Placeholder], *, all_gaps: bool) -> list[Placeholder]:
    """Return the placeholders in the order in which they are asked for. `all_gaps`: those that are not given are asked for as texts.

    Raises BadRequest for one that is given twice or is not in the body, and for too many.
    """
    names, field_names = names_in(body), [placeholder.name for placeholder in placeholders]
    if orphan := next((name for name in field_names if name not in names), None):
        raise BadRequest(gettext("The text has no placeholder {{%(lost)s}}. Add it, or remove its field.") % {"lost": orphan})
    if len(set(field_names)) < len(field_names):
        raise BadRequest(gettext("Two placeholders have the same name."))
    more = [Placeholder(name=name, label=label_of(name)[:80]) for name in names if name not in field_names] if all_gaps else []
    if len(placeholders) + len(more) > MAX_PLACEHOLDERS:
        raise BadRequest(gettext("A template can have %(max_placeholders)s placeholders.") % {"max_placeholders": MAX_PLACEHOLDERS})
    return [*placeholders, *more]


def values_check(placeholders: Sequence[Placeholder], inputs: Mapping[str, str]) -> dict[str, str]:
    """Return a value for each placeholder: the given one, else its default. Raises BadRequest with all that is wrong."""
    if unknown := inputs.keys() - {placeholder.name for placeholder in placeholders}:
        raise BadRequest(gettext("The template has no placeholder %(unknown)s.") % {"unknown": min(unknown)})
    values = {placeholder.name: inputs.get(placeholder.name, placeholder.default) for placeholder in placeholders}
    problems = (placeholder.problem_of(values[placeholder.name]) for placeholder in placeholders)
    if messages := [problem for problem in problems if problem]:
        raise BadRequest(" ".join(messages))
    return values


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False
