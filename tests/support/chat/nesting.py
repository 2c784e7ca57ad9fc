"""Values that are nested deeper than orjson writes (254 levels)."""

from __future__ import annotations

from typing import Any


def nested(levels: int) -> Any:
    """A text in as many lists."""
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value
