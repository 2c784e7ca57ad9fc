"""Differences between two releases in words that admins can read: one entry per field, long texts line by line."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

import orjson
from django.utils.translation import gettext

from admin_config.defaults.platform import ALL_PROVIDERS, agent_key
from admin_config.defaults.prices import Price
from admin_config.release import ReleaseSnapshot
from admin_config.services.agents.platform_agents import base_of, kinds_with_base
from admin_config.validation.json_key_order import object_of
from tenants.models import MemberGroup

CONTEXT_LINES = 2
OBJECTS = ("query", "body", "headers")  # of a tool's settings, whose order and kinds of values count
SETTING_FIELDS = {
    "active provider": "active_provider",
    "other providers": "offered_providers",
}  # those of a release, by their words in a diff
NAMED_BY_PATH = dict.fromkeys(("id", "key", "kind", "provider", "name"))


@dataclass(frozen=True)
class DiffLine:
    """One line of a difference."""

    kind: Literal["same", "added", "removed", "gap"]  # "gap" replaces unchanged lines that are left out
    text: str


@dataclass(frozen=True)
class FieldDiff:
    """One changed field."""

    where: tuple[str, ...]  # its path, such as ("agents", "document_agent_google", "max_steps")
    lines: tuple[DiffLine, ...]

    @property
    def path(self) -> str:
        return " > ".join(self.where)


def named_changes(changes: Sequence[FieldDiff], *, few: int = 3) -> str:
    """Return the first paths and how many more there are. Rows that were deleted and made again differ without a path."""
    paths = ", ".join(change.path for change in changes[:few]) or gettext("rows that were deleted and made again")
    return gettext("%(named)s and %(number)s more") % {"named": paths, "number": len(changes) - few} if len(changes) > few else paths


def release_diff(before: ReleaseSnapshot | None, after: ReleaseSnapshot) -> list[FieldDiff]:
    """Return the changed fields in reading order. Without `before`, everything is new.

    What an agent only has from its base is told once, at the base.
    """
    rows_before = dict(_rows(before, with_bases=True)) if before else {}
    rows_after = dict(_rows(after, with_bases=before is not None))
    # Most rows are as they were, and there are forty of an agent's size. In JSON, 1 is neither 1.0 nor true.
    same = {place for place, row in rows_after.items() if place in rows_before and _json(row) == _json(rows_before[place])}
    old, new = _fields(rows_before, same), _fields(rows_after, same)
    changed = {path: pair for path in (*new, *(path for path in old if path not in new)) if len(set(pair := _pair(path, old, new))) > 1}
    bases = _base_keys(before, after)
    visible = {path: pair for path, pair in changed.items() if changed.get(_base_path(path, bases)) != pair}
    return [FieldDiff(path, tuple(_lines(*pair))) for path, pair in visible.items()]


def _json(row: Any) -> bytes:
    """Return the row as the release's hash takes it."""
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS)


def _pair(path: tuple[str, ...], old: Mapping[tuple[str, ...], str], new: Mapping[tuple[str, ...], str]) -> tuple[str, str]:
    return old.get(path, ""), new.get(path, "")


def _base_keys(*snapshots: ReleaseSnapshot | None) -> dict[str, str]:
    """Return the key of each agent's base by the agent's own."""
    agents = (agent for snapshot in snapshots if snapshot is not None for agent in snapshot.agents.values())
    return {agent.key: agent_key(agent.kind, ALL_PROVIDERS) for agent in agents}


def _base_path(path: tuple[str, ...], bases: Mapping[str, str]) -> tuple[str, ...]:
    """Return where the base has the field of an agent; an empty path for all other fields."""
    return ("agents", bases[path[1]], *path[2:]) if path[0] == "agents" and path[1] in bases else ()


def _fields(rows: Mapping[tuple[str, ...], Any], left_out: Collection[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    return dict(field for place, row in rows.items() if place not in left_out for field in _flatten(place, row))


def _rows(snapshot: ReleaseSnapshot, *, with_bases: bool) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield what admins see of each row, by its place."""
    content = snapshot.as_json()
    names = {model["id"]: model["display_name"] for model in content["models"]}
    sources = {source["id"]: source["name"] for source in content["tool_sources"]}
    groups = _group_names(content["agents"].values())
    yield ("active provider",), content["active_provider"]
    yield ("other providers",), ", ".join(content["offered_providers"])
    bases = [base_of(kind, snapshot.bases) for kind in kinds_with_base()] if with_bases else [*snapshot.bases.values()]
    for key, agent in ({base.key: base.model_dump(mode="json") for base in bases} | content["agents"]).items():
        words = {"tools": _tools(agent, sources), "assistant": _assistant(agent, groups)}
        yield ("agents", key), {**agent, **NAMED_BY_PATH, **_readable_fields(agent, names), **words}
    for source in content["tool_sources"]:
        secret = _set(source["secret_id"])
        settings = {name: _as_json(value) if name in OBJECTS else value for name, value in source["settings"].items()}
        fields = {**source, **NAMED_BY_PATH, "settings": settings, "secret_id": None, "secret": secret}
        yield ("tool sources", source["name"]), fields
    for endpoint in content["endpoints"]:
        key = _set(endpoint["secret_id"])
        fields = {**endpoint, **NAMED_BY_PATH, "secret_id": None, "API key": key}
        yield ("endpoints", f"{endpoint['provider']}: {endpoint['name']}"), fields
    for model in content["models"]:
        prices = {"prices in US dollars": [Price.model_validate(price).words() for price in model["prices"]], "prices": None}
        yield ("models", f"{model['provider']}: {model['model_id']}"), {**model, **NAMED_BY_PATH, **prices}


def _readable_fields(agent: Mapping[str, Any], models: Mapping[str, str]) -> dict[str, Any]:
    return {"model_id": models.get(agent["model_id"]), "plugins": [_plugin(plugin) for plugin in agent["plugins"]]}


def _group_names(agents: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the names of the groups that assistants are for, by id. One query if there are any."""
    ids = {group for agent in agents if agent["assistant"] for group in agent["assistant"]["groups"]}
    return {str(group.pk): group.name for group in MemberGroup.objects.filter(pk__in=ids)} if ids else {}


def _assistant(agent: Mapping[str, Any], groups: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what makes it an assistant, in words."""
    assistant = agent["assistant"]
    if assistant is None:
        return None
    return {
        "on": assistant["is_offered"],
        "title": assistant["title"],
        "description": assistant["description"],
        "picture": _set(assistant["picture_id"]),
        "starters": [f"{starter['title']}: {starter['text']}" for starter in assistant["starters"]],
        "model": gettext("chosen by the member") if assistant["model_choice"] == "member" else gettext("fixed"),
        "who may use it": gettext("everyone") if assistant["audience"] == "everyone" else _people(assistant, groups),
        "other agents may call it": assistant["for_agents"],
        "order": assistant["position"],
    }


def _people(assistant: Mapping[str, Any], groups: Mapping[str, str]) -> list[str]:
    return [
        *(gettext("role %(role)s") % {"role": role} for role in assistant["roles"]),
        *(gettext("group %(group)s") % {"group": groups.get(group, gettext("that was deleted"))} for group in assistant["groups"]),
    ]


def _tools(agent: Mapping[str, Any], sources: Mapping[str, str]) -> list[str]:
    return [
        sources.get(tool["source_id"], gettext("a source that is switched off")) if tool["source_id"] else tool["agent_key"]
        for tool in agent["tools"]
    ]


def _plugin(plugin: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plugin with its settings sorted by name, because a stored release has them in the database's order."""
    secret = {"secret": _set(plugin["secret_id"])} if plugin["secret_id"] else {}
    return {"plugin": plugin["name"], **dict(sorted(plugin["settings"].items())), **secret}


def _as_json(value: Any) -> str:
    """Return an object as it is sent: its lines say the order of its fields, and a text from a number."""
    return json.dumps(object_of(value), ensure_ascii=False, indent=2) if value else ""


def _flatten(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if inner is None or (len(path) > 2 and name == "name"):
                continue
            yield from _flatten((*path, str(name).replace("_", " ")), inner)
    elif isinstance(value, list):
        yield path, "\n".join(_list_item(item) for item in value)
    else:
        yield path, _format_value(value)


def _list_item(item: Any) -> str:
    """Return one line: `first 2, last 4, temperature 0.0` for a rule, the text itself for a name."""
    if not isinstance(item, Mapping):
        return str(item)
    return ", ".join(f"{name.replace('_', ' ')} {_format_list(value)}" for name, value in item.items() if value is not None)


def _format_list(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else _format_value(value)


def _format_value(value: Any) -> str:
    return (gettext("yes") if value else gettext("no")) if isinstance(value, bool) else str(value)


def _set(secret_id: str | None) -> str:
    """Return whether a secret or a picture is set, with letters that tell one from the next."""
    return gettext("set (%(part)s)") % {"part": secret_id[:8]} if secret_id else gettext("none")


def text_diff(before: str, after: str) -> tuple[DiffLine, ...]:
    """Return the difference of two texts, line by line."""
    return tuple(_lines(before, after))


def _lines(old: str, new: str) -> Iterator[DiffLine]:
    """Yield the changed lines with some context, removed lines before those that replace them."""
    before, after = old.splitlines(), new.splitlines()
    for number, group in enumerate(SequenceMatcher(a=before, b=after, autojunk=False).get_grouped_opcodes(CONTEXT_LINES)):
        if number > 0:
            yield DiffLine("gap", "…")
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from (DiffLine("same", line) for line in before[old_start:old_end])
                continue
            yield from (DiffLine("removed", line) for line in before[old_start:old_end])
            yield from (DiffLine("added", line) for line in after[new_start:new_end])
