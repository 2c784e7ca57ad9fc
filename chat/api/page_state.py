"""The page state that a request may bring (SPEC 4.12): a small JSON object with plain names as keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agents.runtime.page_state import MAX_BYTES, MAX_DEPTH, is_too_deep, size_of
from chat.entries import json_safe

MAX_KEYS: Final = 50
KEY_PATTERN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what every provider takes for the name of an argument


def page_state_validate(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state as it is stored. Raises ValueError, in words."""
    if len(state) > MAX_KEYS:
        raise ValueError(f"The page state has {len(state)} keys, {MAX_KEYS} are possible.")
    if not all(KEY_PATTERN.fullmatch(key) for key in state):
        raise ValueError("A key of the page state has 1 to 64 letters, digits and the characters _ . -")
    if is_too_deep(state):
        raise ValueError(f"The page state is nested more than {MAX_DEPTH} levels deep.")
    clean: dict[str, Any] = json_safe(state)
    if size_of(clean) > MAX_BYTES:
        raise ValueError(f"The page state is larger than {MAX_BYTES // 1024} KB. Hand over only what the assistant needs.")
    return clean
