"""JSON of whatever JSON values come from outside."""

from __future__ import annotations

import json
from collections.abc import Callable

import orjson


def json_bytes(value: object, *, default: Callable[[object], object] | None = None) -> bytes:
    """JSON in UTF-8; what only the standard library can write, as numbers beyond 64 bits or half a surrogate pair, as that does it.

    `default` makes a value of what is none. Raises TypeError when there is no such function.
    """
    try:
        return orjson.dumps(value, default)
    except TypeError:
        return json.dumps(value, default=default).encode()
