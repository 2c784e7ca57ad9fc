"""A draft without some of its changes: what an admin leaves out of a release stays in the draft (docs/decisions/0076).

A change is named by its path in `diff`. What is only in the draft or only in the live release, such as a new agent or a renamed tool, is
left out as a whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from admin_config.defaults.platform import ALL_PROVIDERS, agent_key
from admin_config.release import ReleaseSnapshot
from admin_config.services.agents.platform_agents import base_of, kinds_with_base
from admin_config.services.changes.diff import SETTING_FIELDS, FieldDiff

Path = tuple[str, ...]

_LISTS: Final[Mapping[str, tuple[str, ...]]] = {  # kind of row in a diff: what names a row there
    "endpoints": ("provider", "name"),
    "models": ("provider", "model_id"),
    "tool sources": ("name",),
}
_SECRETS: Final = ("API key", "secret")  # a key that was replaced is gone, for the live release, too
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {  # words of a diff that are no field's name
    "prices in US dollars": ("prices",),
    "on": ("is_offered",),
    "picture": ("picture_id",),
    "model": ("model_choice",),
    "who may use it": ("audience", "roles", "groups"),
    "other agents may call it": ("for_agents",),
    "order": ("position",),
}


def token_of(where: Path) -> str:
    """Return the short name of a change, or of all changes of a row, for addresses and forms."""
    return hashlib.sha256("\x1f".join(where).encode()).hexdigest()[:12]


def can_leave_out(where: Path) -> bool:
    return not (where[0] in _LISTS and where[-1] in _SECRETS)


def whole_rows(changes: Sequence[FieldDiff], live: ReleaseSnapshot, draft: ReleaseSnapshot) -> set[Path]:
    """Return the places of the changed rows that are in only one of both."""
    places = {change.where[:2] for change in changes if change.where[0] not in SETTING_FIELDS}
    sides = [_content(side) for side in (live, draft)]
    return {place for place in places if any(_row(side, place) is None for side in sides)}


def snapshot_without(draft: ReleaseSnapshot, live: ReleaseSnapshot, left_out: Collection[Path]) -> ReleaseSnapshot:
    """Return the draft with the live release's value where a change is left out. A path of two names means the whole row."""
    content, former = _content(draft), _content(live)
    for where in left_out:
        if where[0] in SETTING_FIELDS:
            content[SETTING_FIELDS[where[0]]] = former[SETTING_FIELDS[where[0]]]
        elif len(where) == 2:
            _put_row_back(content, former, where)
        else:
            for place in (where[:2], *_heirs(content, former, where)):
                _put_back(_row(content, place), _row(former, place), where[2:])
    return ReleaseSnapshot.model_validate(content)


def _content(snapshot: ReleaseSnapshot) -> dict[str, Any]:
    """Return the release as JSON with all bases, also those that set nothing."""
    bases = {agent_key(kind, ALL_PROVIDERS): base_of(kind, snapshot.bases).model_dump(mode="json") for kind in kinds_with_base()}
    return {**snapshot.as_json(), "bases": bases}


def _rows(content: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = content[kind.replace(" ", "_")]
    return rows


def _row(content: Mapping[str, Any], place: Path) -> Any:
    """Return the row at this place of a diff, or None."""
    kind, name = place
    if kind == "agents":
        return content["agents"].get(name) or content["bases"].get(name)
    return next((row for row in _rows(content, kind) if ": ".join(row[part] for part in _LISTS[kind]) == name), None)


def _put_row_back(content: dict[str, Any], former: dict[str, Any], place: Path) -> None:
    """Give the row back what it was, or take it out. A renamed row is found by its id."""
    kind, name = place
    new, old = _row(content, place), _row(former, place)
    if kind != "agents":
        ids = {row["id"] for row in (new, old) if row is not None}
        other_rows = [row for row in _rows(content, kind) if row["id"] not in ids]
        content[kind.replace(" ", "_")] = [*other_rows, *(row for row in _rows(former, kind) if row["id"] in ids)]
    elif old is None:
        content["agents"].pop(name, None)
    else:
        content["bases" if name in content["bases"] else "agents"][name] = old


def _heirs(content: Mapping[str, Any], former: Mapping[str, Any], where: Path) -> Iterator[Path]:
    """Yield the places of the agents that only have this change from their base: a diff tells it once, at the base."""
    if where[0] != "agents" or where[1] not in content["bases"]:
        return
    values = [_values(_row(side, where[:2]), where[2:]) for side in (content, former)]
    kind = content["bases"][where[1]]["kind"]
    for key, agent in content["agents"].items():
        has_both = agent["kind"] == kind and key in former["agents"]
        if has_both and [_values(side["agents"][key], where[2:]) for side in (content, former)] == values:
            yield ("agents", key)


def _values(row: Any, rest: Path) -> list[Any]:
    """Return what is at the path of a row, by the words of a diff."""
    for name in rest[:-1]:
        row = next((row[key] for key in _keys(row, name)), None)
    return [row[key] for key in _keys(row, rest[-1])] if row else []


def _keys(row: Any, name: str) -> list[str]:
    """Return the keys of a row that a diff calls so."""
    if not isinstance(row, Mapping):
        return []
    own = [key for key in row if str(key).replace("_", " ") == name]
    return own or [key for key in _FIELDS.get(name, ()) if key in row]


def _put_back(row: Any, former: Any, rest: Path) -> None:
    """Write the former value to the path of a row. A part that was not there before is taken out."""
    name = rest[0]
    for key in dict.fromkeys([*_keys(row, name), *_keys(former, name)]):
        is_deeper = len(rest) > 1 and isinstance(row.get(key), dict) and isinstance(former.get(key), dict)
        if is_deeper:
            _put_back(row[key], former[key], rest[1:])
        elif key in former:
            row[key] = former[key]
        else:
            row.pop(key, None)
