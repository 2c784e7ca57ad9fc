"""The platform's defaults as its operator edits them: a draft, and the immutable releases made from it (docs/decisions/0094).

They belong to no organization. Their values replace the code's defaults, field by field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, TypeVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.kinds import KindDefaults, OperationDefaults, SectionDefaults
from admin_config.defaults.options import OPTIONS
from admin_config.defaults.platform import KINDS, kind_choices
from admin_config.models.tuning import options_over

Values = Mapping[str, Any]  # by place: `max_steps`, `sections__identity__text`, `operations__create__system_prompt`
Content = Mapping[str, Values]  # by kind
Part = TypeVar("Part", SectionDefaults, OperationDefaults)

FIELDS: Final = ("description", "system_prompt", "temperature", "max_output_tokens", "max_steps", "thinking_budget")
# Left out: tools, which are rows of each organization, and money, of which plans are made (docs/decisions/0094).
_NOT_SHARED: Final = frozenset({"tool_names", "tool_choice", "pruning"})
SHARED_OPTIONS: Final = tuple(
    name for name, option in OPTIONS.items() if option.text not in _NOT_SHARED and name not in {"cost_budget_usd", "seed"}
)
SECTION_FIELDS: Final = ("is_enabled", "text")
OPERATION_FIELDS: Final = ("is_enabled", "system_prompt", "user_prompt_template")


class PlatformDraft(models.Model):
    """What the operator set for a kind of agents, published or not. A kind without a row sets nothing."""

    kind = models.CharField(primary_key=True, max_length=40, choices=kind_choices)
    values = models.JSONField(default=dict)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = gettext_lazy("platform default")
        verbose_name_plural = gettext_lazy("platform defaults")
        ordering: ClassVar[list[str]] = ["kind"]

    def __str__(self) -> str:
        return str(self.get_kind_display())


class PlatformRelease(models.Model):
    """Published defaults of the platform; the newest ones are in force. Rows are only inserted: no role of the running product may change them."""

    number = models.PositiveIntegerField(primary_key=True)
    content = models.JSONField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    note = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = gettext_lazy("platform release")
        ordering: ClassVar[list[str]] = ["-number"]

    def __str__(self) -> str:
        return gettext("Platform release %(number)s") % {"number": self.number}


@dataclass(frozen=True, slots=True)
class PlatformDefaults:
    """What the blank fields of organizations mean: the code's defaults, with the values of a release of the platform in their place."""

    number: int  # of the release; 0 before the first
    kinds: Mapping[str, KindDefaults]

    def of(self, kind: str) -> KindDefaults:
        return self.kinds[kind]


def platform_defaults() -> PlatformDefaults:
    """Return the defaults that are in force. One query."""
    row = PlatformRelease.objects.values_list("number", "content").first()
    return defaults_of(*row) if row else PlatformDefaults(0, KINDS)


def defaults_of(number: int, content: Content) -> PlatformDefaults:
    """Return the defaults of a release. Kinds and fields that Parley no longer has are ignored."""
    return PlatformDefaults(number, {kind: kind_over(code, content[kind]) if content.get(kind) else code for kind, code in KINDS.items()})


def kind_over(code: KindDefaults, values: Values) -> KindDefaults:
    """Return the kind's defaults with these values in place of the code's."""
    return replace(
        code,
        **{name: values[name] for name in FIELDS if name in values},
        options=options_over(code.options, {name: values[name] for name in SHARED_OPTIONS if name in values}),
        sections=tuple(_part_over(section, "sections", SECTION_FIELDS, values) for section in code.sections),
        operations=tuple(_part_over(operation, "operations", OPERATION_FIELDS, values) for operation in code.operations),
    )


def place_of(group: str, part: str, field: str) -> str:
    return f"{group}__{part}__{field}"


def _part_over(code: Part, group: str, fields: Sequence[str], values: Values) -> Part:
    """Return a section's or an operation's defaults with these values in place of the code's."""
    places = {field: place_of(group, code.name, field) for field in fields}
    return replace(code, **{field: values[place] for field, place in places.items() if place in values})
