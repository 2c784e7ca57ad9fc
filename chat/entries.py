"""Stored entries, and the cleaning that makes entries storable in PostgreSQL and as JSON."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import dataclass
from typing import Any

import orjson

from agents.entry_codec import entry_decode, entry_encode
from agents.messages import Entry

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with the fields that its database row adds."""

    entry: Entry
    step: int = 0  # the step of the run that it belongs to; 0: none
    duration_ms: int | None = None  # None: not measured


def storable_entry(entry: Entry) -> Entry:
    """Return the entry without what PostgreSQL or JSON cannot represent: NUL, lone surrogates, NaN and infinity.

    Models and tools send all of them. Extras are kept unchanged, because a provider may have signed them.
    """
    kind, content, extras = entry_encode(entry)
    return entry if _is_storable(content) else entry_decode(kind, json_safe(content), extras)


def _is_storable(content: dict[str, Any]) -> bool:
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        return False
    return "\\u0000" not in text  # PostgreSQL can store it in JSON, but can't search in such a row


def as_json(value: Any) -> bytes:
    """Return `value` as JSON. Never fails on a lone surrogate, a huge integer, deep nesting or an object of our own."""
    try:
        return orjson.dumps(value)
    except TypeError as exc:
        log.warning("cleaned for JSON: %s", exc)
        return json.dumps(json_safe(value), default=str, separators=(",", ":")).encode()


def json_safe(value: Any) -> Any:
    """Return `value` without what text and JSON cannot represent: NUL is dropped, lone surrogates become "?", NaN becomes None."""
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
