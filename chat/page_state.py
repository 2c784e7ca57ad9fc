"""The page state that a request may bring (SPEC 4.12): a small JSON object with plain names as keys."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from chat.entries import cleaned

MAX_BYTES: Final = 16 * 1024  # of its JSON
MAX_KEYS: Final = 50
MAX_DEPTH: Final = 6  # of nested lists and objects, the state itself included
KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what every provider takes for the name of an argument


def page_state_checked(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state as it is stored. Raises ValueError, in words."""
    if len(state) > MAX_KEYS:
        raise ValueError(f"The page state has {len(state)} keys, {MAX_KEYS} are possible.")
    if not all(KEY.fullmatch(key) for key in state):
        raise ValueError("A key of the page state has 1 to 64 letters, digits and the characters _ . -")
    if _depth(state, MAX_DEPTH + 1) > MAX_DEPTH:
        raise ValueError(f"The page state is nested more than {MAX_DEPTH} levels deep.")
    clean: dict[str, Any] = cleaned(state)
    if len(json.dumps(clean, ensure_ascii=False).encode()) > MAX_BYTES:
        raise ValueError(f"The page state is larger than {MAX_BYTES // 1024} KB. Hand over only what the assistant needs.")
    return clean


def _depth(value: Any, limit: int) -> int:
    """How deep containers are nested, counted up to `limit`."""
    if not isinstance(value, dict | list) or limit == 0:
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max((_depth(each, limit - 1) for each in inner), default=0)
