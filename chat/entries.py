"""What a row adds to a context entry, and what an entry must not hold."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import dataclass
from typing import Any

import orjson

from agents.engine.codec import entry_decode, entry_encode
from agents.engine.messages import Entry

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with what its row adds: the step it belongs to (0: none) and how long it took."""

    entry: Entry
    step: int = 0
    duration_ms: int | None = None


def storable_entry(entry: Entry) -> Entry:
    """The entry without what PostgreSQL or JSON has no place for: NUL, half a surrogate pair, numbers that are none.

    Models and tools send all of them. Extras stay as they are: a provider may have signed them.
    """
    kind, content, extras = entry_encode(entry)
    return entry if _is_storable(content) else entry_decode(kind, json_safe(content), extras)


def _is_storable(content: dict[str, Any]) -> bool:
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        return False
    return "\\u0000" not in text  # PostgreSQL stores it, but can't search in a row that holds one


def as_json(value: Any) -> bytes:
    """`value` as JSON; half a surrogate pair, a huge integer, deep nesting or an object of ours must end nothing."""
    try:
        return orjson.dumps(value)
    except TypeError as exc:
        log.warning("cleaned for JSON: %s", exc)
        return json.dumps(json_safe(value), default=str, separators=(",", ":")).encode()


def json_safe(value: Any) -> Any:
    """`value` without what text and JSON have no place for."""
    match value:
        case str():
            return value.replace("\x00", "").encode("utf-8", "replace").decode()
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {json_safe(key): json_safe(item) for key, item in value.items()}
        case list() | tuple():
            return [json_safe(item) for item in value]
        case _:
            return value
