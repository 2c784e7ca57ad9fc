"""Who changed each field of the draft. Where the saved forms can't tell, all who changed the row are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from admin_config.services.changes.change_groups import ChangeGroup
from admin_config.services.changes.diff import SETTING_FIELDS
from admin_config.services.changes.draft_authors import DraftChange, places_by_id

_PARTS: Final[Mapping[str, str]] = {  # how a saved form names its rows (tenants.form_changes): as a diff does
    "operation ": "operations",
    "prompt section ": "sections",
    "step rule ": "step rules",
    "plugin ": "plugins",
    "tool ": "tools",
}
_NAMED_ROWS: Final = ("operations", "sections")
_ALIASES: Final[Mapping[str, str]] = {"model": "model id"} | {field: words for words, field in SETTING_FIELDS.items()}
_OF_ASSISTANT: Final[Mapping[str, str]] = {
    "prompt": "system prompt",
    "fixed_model": "model id",
    "tools": "tools",
    "knowledge": "tools",
    "sub_agents": "tools",
    "call_description": "description",
}


def authors_by_field(groups: Sequence[ChangeGroup], changes: Sequence[DraftChange]) -> dict[tuple[str, ...], list[str]]:
    """Return the names of those who changed each field, by its path, the last one first. At most six queries."""
    places = places_by_id({group.place[0] for group in groups})
    authors = {}
    for group in groups:
        own = [change for change in changes if places.get(change.object_id) == group.place]
        for field in group.changes:
            exact = [change for change in own if _touches(change, field.where)]
            authors[field.where] = list(dict.fromkeys(change.who for change in exact or own))
    return authors


def _touches(change: DraftChange, where: tuple[str, ...]) -> bool:
    rest = where[2:] or where
    return not change.names or any(_is_field(name, rest, change.kind) for name in change.names)


def _is_field(name: str, rest: tuple[str, ...], kind: str) -> bool:
    """Return whether a name in an audit event stands for the field. `rest`: its path below the row."""
    for prefix, part in _PARTS.items():
        if name.startswith(prefix):
            row, _, field = name.removeprefix(prefix).replace("_", " ").partition(": ")
            return rest[0] == part and (part not in _NAMED_ROWS or (row == rest[1] and field in ("", rest[-1])))
    if kind == "assistant":
        return rest[0] == _OF_ASSISTANT.get(name, "assistant")
    return _ALIASES.get(name, name).replace("_", " ") in rest
