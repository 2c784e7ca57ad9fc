"""Differences in the words of the forms, grouped by what was changed: an agent, a model, a tool (design 44)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, Model
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import AgentConfig, AgentOperation, AppSettings, ModelConfig, ProviderEndpoint, ToolSource
from admin_config.services.changes.diff import DiffLine, FieldDiff

ROWS: Final[Mapping[str, type[Model]]] = {
    "agents": AgentConfig,
    "models": ModelConfig,
    "endpoints": ProviderEndpoint,
    "tool sources": ToolSource,
}
_KINDS: Final = {
    "models": gettext_lazy("Model %(name)s"),
    "endpoints": gettext_lazy("Endpoint %(name)s"),
    "tool sources": gettext_lazy("Tool %(name)s"),
}
_LABELS: Final = {
    "model id": gettext_lazy("Model"),
    "is enabled": gettext_lazy("Enabled"),
    "secret": gettext_lazy("Secret"),
    "tools": gettext_lazy("Tools and sub-agents"),
}


@dataclass(frozen=True)
class WordedChange:
    """One changed field, as its form calls it."""

    label: str
    lines: tuple[DiffLine, ...]
    where: tuple[str, ...]  # its path in the diff


@dataclass(frozen=True)
class ChangeGroup:
    """What was changed of one row. `place` names it in a diff: its kind, and its key there."""

    place: tuple[str, ...]
    title: str
    changes: tuple[WordedChange, ...]


def change_groups(changes: Sequence[FieldDiff]) -> list[ChangeGroup]:
    """Return the changes by row, in the order of the diff. One query."""
    agents = {agent.key: str(agent) for agent in AgentConfig.objects.only("key", "name", "kind", "provider")}
    rows: dict[tuple[str, ...], list[WordedChange]] = {}
    for change in changes:
        place = change.where[:2] if change.where[0] in ROWS else ("settings",)
        rows.setdefault(place, []).append(WordedChange(_label(change.where), change.lines, change.where))
    return [ChangeGroup(place, _title(place, agents), tuple(row_changes)) for place, row_changes in rows.items()]


def _title(place: tuple[str, ...], agents: Mapping[str, str]) -> str:
    if place[0] == "agents":
        return agents.get(place[1], place[1])
    return str(_KINDS[place[0]]) % {"name": place[1]} if place[0] in _KINDS else gettext("Settings")


def _label(where: tuple[str, ...]) -> str:
    kind, names = where[0], where[2:]
    if kind not in ROWS:
        return field_label(AppSettings, where[0])
    if len(names) == 3 and names[0] in {"sections", "operations"}:
        return part_label(*names)
    return ", ".join(field_label(ROWS[kind], name) if number == 0 else name for number, name in enumerate(names)) or gettext("Everything")


def part_label(group: str, part: str, field: str) -> str:
    """Return what a field of an agent's section or operation is called. `group`: "sections" or "operations"."""
    words = gettext("Section %(part)s: %(field)s") if group == "sections" else gettext("Operation %(part)s: %(field)s")
    own = gettext("Text") if field == "text" else field_label(AgentOperation, field)
    return words % {"part": part.replace("_", " ").capitalize(), "field": own}


def field_label(model: type[Model], name: str) -> str:
    """Return what the forms call this field of the model."""
    if name in _LABELS:
        return str(_LABELS[name])
    try:
        field = model._meta.get_field(name.replace(" ", "_"))
    except FieldDoesNotExist:
        return name.capitalize()
    label = str(field.verbose_name) if isinstance(field, Field) else name
    return label[:1].upper() + label[1:]
