"""JSON encoding of any value that JSON text can hold."""

from __future__ import annotations

import json
from collections.abc import Callable

import orjson


def json_bytes(value: object, *, default: Callable[[object], object] | None = None) -> bytes:
    """Return `value` as JSON in UTF-8.

    What orjson refuses, such as numbers beyond 64 bits or lone surrogates, is written by the standard library. `default` converts values of
    other types; without it such a value raises TypeError.
    """
    try:
        return orjson.dumps(value, default)
    except TypeError:
        return json.dumps(value, default=default).encode()
