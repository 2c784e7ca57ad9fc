"""One value, one correction: what a tool's argument may become without a change of its meaning (SPEC 3.11)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

MAX_EXACT_INTEGER = 2**53  # above it a float no longer stands for one whole number
JSON_LITERALS = {"true": True, "false": False, "null": None}
CODE_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


class _NoCorrection:
    """Stands for "there is no correction"; None is a value."""


NO_CORRECTION: Final = _NoCorrection()


def as_type(value: Any, wanted: Sequence[str]) -> Any:
    """`value` as one of the JSON types `wanted`, none of which it has; NOTHING when only a guess could make it so.

    Text that is the JSON of a wanted type becomes that; a whole float becomes an integer; a number or boolean becomes its JSON text; and
    what is none of these stands alone in an array. Arrays and objects never become text, and null never becomes anything.
    """
    if isinstance(value, str):
        parsed = _as_allowed_type(_parse_literal_or_json(value), wanted)
    elif isinstance(value, float):
        parsed = _as_allowed_type(value, wanted)
    else:
        parsed = NO_CORRECTION
    if parsed is not NO_CORRECTION:
        return parsed
    if "string" in wanted and isinstance(value, bool | int | float):
        return json_text(value)
    return [value] if "array" in wanted and value is not None else NO_CORRECTION


def match_enum_value(value: Any, options: Iterable[Any]) -> Any:
    """The one of `options` that `value` means: the same text but for its type, else but for letter case; NOTHING when several fit."""
    text = _comparable(value)
    if not isinstance(text, str) or value is None:
        return NO_CORRECTION
    texts = [(_comparable(option), option) for option in options]
    exact = [option for plain, option in texts if plain == text]
    close = exact or [option for plain, option in texts if isinstance(plain, str) and plain.casefold() == text.casefold()]
    return close[0] if len(close) == 1 else NO_CORRECTION


def json_text(value: Any) -> Any:
    """`value` as JSON; NOTHING for what JSON can't say (NaN, integers of thousands of digits)."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return NO_CORRECTION


def json_value(text: str) -> Any:
    """The value of a JSON text; NOTHING when it is none, also for NaN and for nesting that is too deep to read."""
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return NO_CORRECTION


def strip_code_fence(text: str) -> str:
    """`text` without white space around it and without a code fence around all of it."""
    text = text.strip()
    fenced = CODE_FENCE.fullmatch(text)
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


def json_equal(left: Any, right: Any) -> bool:
    """Equal as JSON: 1 is 1.0, but not true."""
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _parse_literal_or_json(text: str) -> Any:
    """What `text` says as JSON, with true, false and null in any letter case."""
    text = strip_code_fence(text)
    word = text.casefold()
    return JSON_LITERALS[word] if word in JSON_LITERALS else json_value(text)


def _as_allowed_type(value: Any, wanted: Sequence[str]) -> Any:
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
    return value if fits else NO_CORRECTION


def _number(value: float, wanted: Sequence[str]) -> Any:
    if "number" in wanted:
        return value if math.isfinite(value) else NO_CORRECTION
    is_whole = math.isfinite(value) and value.is_integer() and abs(value) <= MAX_EXACT_INTEGER
    return int(value) if is_whole and "integer" in wanted else NO_CORRECTION


def _comparable(value: Any) -> Any:
    """What options are compared by: a text as it is but for white space around it, another simple value as JSON."""
    if isinstance(value, str):
        return value.strip()
    return NO_CORRECTION if isinstance(value, dict | list) else json_text(value)


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(constant)
