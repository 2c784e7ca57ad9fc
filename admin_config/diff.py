"""What changed between two releases, in words an admin can read: one entry per field, long texts line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import ndiff
from typing import Any, Literal

from admin_config.release import ReleaseSnapshot

CONTEXT_LINES = 2


@dataclass(frozen=True)
class DiffLine:
    """`kind` gap stands for unchanged lines that are left out."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str


@dataclass(frozen=True)
class FieldDiff:
    """One changed field; `where` is its path, such as ("agents", "document_agent_google", "max_steps")."""

    where: tuple[str, ...]
    lines: tuple[DiffLine, ...]


def release_diff(before: ReleaseSnapshot | None, after: ReleaseSnapshot) -> list[FieldDiff]:
    """The changed fields in reading order. Everything is new when there is no `before`."""
    old = dict(_fields(before)) if before else {}
    new = dict(_fields(after))
    paths = [*new, *(path for path in old if path not in new)]
    return [
        FieldDiff(path, tuple(_lines(old.get(path, ""), new.get(path, "")))) for path in paths if old.get(path, "") != new.get(path, "")
    ]


def _fields(snapshot: ReleaseSnapshot) -> Iterator[tuple[tuple[str, ...], str]]:
    content = snapshot.as_json()
    names = {model["id"]: model["display_name"] for model in content["models"]}
    yield ("active provider",), content["active_provider"]
    for key, agent in content["agents"].items():
        yield from _leaves(("agents", key), {**agent, "model_id": names.get(agent["model_id"])})
    for endpoint in content["endpoints"]:
        key = "set" if endpoint["secret_id"] else "none"
        shown = {**endpoint, "id": None, "secret_id": None, "API key": f"{key} {str(endpoint['secret_id'] or '')[:8]}".strip()}
        yield from _leaves(("endpoints", f"{endpoint['provider']}: {endpoint['name']}"), shown)
    for model in content["models"]:
        yield from _leaves(("models", f"{model['provider']}: {model['model_id']}"), {**model, "id": None})


def _leaves(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves((*path, str(name).replace("_", " ")), inner)
    elif value is not None:
        yield path, {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _lines(old: str, new: str) -> Iterator[DiffLine]:
    lines = [line for line in ndiff(old.splitlines(), new.splitlines()) if not line.startswith("?")]
    changed = [index for index, line in enumerate(lines) if line[0] != " "]
    skipping = False
    for index, line in enumerate(lines):
        if any(abs(index - near) <= CONTEXT_LINES for near in changed):
            kinds: dict[str, Literal["same", "added", "removed"]] = {" ": "same", "+": "added", "-": "removed"}
            yield DiffLine(kinds[line[0]], line[2:])
            skipping = False
        elif not skipping:
            yield DiffLine("gap", "…")
            skipping = True
