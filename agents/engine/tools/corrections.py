"""One value, one correction: what a tool's argument may become without a change of its meaning (SPEC 3.11)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

EXACT_WHOLE = 2**53  # above it a float no longer stands for one whole number
WORDS = {"true": True, "false": False, "null": None}
FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


class _Nothing:
    """Stands for "there is no correction"; None is a value."""


NOTHING: Final = _Nothing()


def as_type(value: Any, wanted: Sequence[str]) -> Any:
    """`value` as one of the JSON types `wanted`, none of which it has; NOTHING when only a guess could make it so.

    Text that is the JSON of a wanted type becomes that; a whole float becomes an integer; a number or boolean becomes its JSON text; and
    what is none of these stands alone in an array. Arrays and objects never become text, and null never becomes anything.
    """
    if isinstance(value, str):
        parsed = _narrowed(_read(value), wanted)
    elif isinstance(value, float):
        parsed = _narrowed(value, wanted)
    else:
        parsed = NOTHING
    if parsed is not NOTHING:
        return parsed
    if "string" in wanted and isinstance(value, bool | int | float):
        return json_text(value)
    return [value] if "array" in wanted and value is not None else NOTHING


def as_option(value: Any, options: Iterable[Any]) -> Any:
    """The one of `options` that `value` means: the same text but for its type, else but for letter case; NOTHING when several fit."""
    text = _plain(value)
    if not isinstance(text, str) or value is None:
        return NOTHING
    texts = [(_plain(option), option) for option in options]
    exact = [option for plain, option in texts if plain == text]
    close = exact or [option for plain, option in texts if isinstance(plain, str) and plain.casefold() == text.casefold()]
    return close[0] if len(close) == 1 else NOTHING


def json_text(value: Any) -> Any:
    """`value` as JSON; NOTHING for what JSON can't say (NaN, integers of thousands of digits)."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return NOTHING


def json_value(text: str) -> Any:
    """The value of a JSON text; NOTHING when it is none, also for NaN and for nesting that is too deep to read."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return NOTHING


def unfenced(text: str) -> str:
    """`text` without white space around it and without a code fence around all of it."""
    text = text.strip()
    fenced = FENCE.fullmatch(text)
    return fenced[1].strip() if fenced else text


def json_copy(value: Any) -> Any:
    """`value` with containers of its own."""
    match value:
        case dict():
            return {key: json_copy(inner) for key, inner in value.items()}
        case list():
            return [json_copy(inner) for inner in value]
        case _:
            return value


def same(left: Any, right: Any) -> bool:
    """Equal as JSON: 1 is 1.0, but not true."""
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _read(text: str) -> Any:
    """What `text` says as JSON, with true, false and null in any letter case."""
    text = unfenced(text)
    word = text.casefold()
    return WORDS[word] if word in WORDS else json_value(text)


def _narrowed(value: Any, wanted: Sequence[str]) -> Any:
    """`value` when it has one of the types, a whole float as an integer where only that is wanted; else NOTHING."""
    match value:
        case bool():
            fits = "boolean" in wanted
        case int():
            fits = "integer" in wanted or "number" in wanted
        case float():
            return _number(value, wanted)
        case None:
            fits = "null" in wanted
        case dict() | list():
            fits = ("object" if isinstance(value, dict) else "array") in wanted
        case _:
            fits = False
    return value if fits else NOTHING


def _number(value: float, wanted: Sequence[str]) -> Any:
    if "number" in wanted:
        return value if math.isfinite(value) else NOTHING
    is_whole = math.isfinite(value) and value.is_integer() and abs(value) <= EXACT_WHOLE
    return int(value) if is_whole and "integer" in wanted else NOTHING


def _plain(value: Any) -> Any:
    """What options are compared by: a text as it is but for white space around it, another simple value as JSON."""
    if isinstance(value, str):
        return value.strip()
    return NOTHING if isinstance(value, dict | list) else json_text(value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
