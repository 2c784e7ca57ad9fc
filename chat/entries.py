"""What a row adds to a context entry, and what an entry must not hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agents.engine.codec import entry_decode, entry_encode
from agents.engine.messages import Entry


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with what its row adds: the step it belongs to (0: none) and how long it took."""

    entry: Entry
    step: int = 0
    duration_ms: int | None = None


def storable(entry: Entry) -> Entry:
    """The entry without NUL characters: models do send them, and PostgreSQL can't search in a content that holds one.

    Its extras stay as they are: a provider may have signed them.
    """
    kind, content, extras = entry_encode(entry)
    if "\\u0000" not in json.dumps(content):
        return entry
    return entry_decode(kind, _without_nul(content), extras)


def _without_nul(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\x00", "")
        case dict():
            return {_without_nul(key): _without_nul(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_nul(item) for item in value]
        case _:
            return value
