"""Corrections of single values: what an argument may become without changing its meaning (SPEC 3.11)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

MAX_EXACT_INTEGER = 2**53  # beyond it, a float no longer represents exactly one integer
JSON_LITERALS = {"true": True, "false": False, "null": None}
CODE_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


class _NoCorrection:
    """The type of NO_CORRECTION, which means "no correction exists". None can't be used: it is a valid value."""


NO_CORRECTION: Final = _NoCorrection()


def as_type(value: Any, type_names: Sequence[str]) -> Any:
    """Return `value` as one of the JSON types `type_names`, none of which it has; NO_CORRECTION when that would be a guess.

    - Text that is the JSON of a wanted type becomes that value.
    - A whole float becomes an integer.
    - A number or boolean becomes its JSON text.
    - Any other value except null is wrapped in an array.

    Arrays and objects never become text, and null never becomes anything.
    """
    if isinstance(value, str):
        result = _as_allowed_type(_parse_literal_or_json(value), type_names)
    elif isinstance(value, float):
        result = _as_allowed_type(value, type_names)
    else:
        result = NO_CORRECTION
    if result is not NO_CORRECTION:
        return result
    if "string" in type_names and isinstance(value, bool | int | float):
        return json_text(value)
    return [value] if "array" in type_names and value is not None else NO_CORRECTION


def match_enum_value(value: Any, options: Iterable[Any]) -> Any:
    """Return the one of `options` that `value` means: equal as text, else equal up to letter case.

    Returns NO_CORRECTION when none or several match.
    """
    text = _comparable(value)
    if not isinstance(text, str) or value is None:
        return NO_CORRECTION
    texts = [(_comparable(option), option) for option in options]
    exact = [option for plain, option in texts if plain == text]
    close = exact or [option for plain, option in texts if isinstance(plain, str) and plain.casefold() == text.casefold()]
    return close[0] if len(close) == 1 else NO_CORRECTION


def json_text(value: Any) -> Any:
    """Return `value` as JSON; NO_CORRECTION for what JSON can't express (NaN, integers of thousands of digits)."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return NO_CORRECTION


def json_value(text: str) -> Any:
    """Return the value of a JSON text; NO_CORRECTION when it is invalid, contains NaN or is nested too deeply to be parsed."""
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return NO_CORRECTION


def strip_code_fence(text: str) -> str:
    """Return `text` without surrounding white space and without a code fence around all of it."""
    text = text.strip()
    match = CODE_FENCE.fullmatch(text)
    return match[1].strip() if match else text


def json_copy(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    match value:
        case dict():
            return {key: json_copy(inner) for key, inner in value.items()}
        case list():
            return [json_copy(inner) for inner in value]
        case _:
            return value


def json_equal(left: Any, right: Any) -> bool:
    """Return whether both are equal as JSON: 1 equals 1.0, but not true."""
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _parse_literal_or_json(text: str) -> Any:
    """Return the value of `text` as JSON, accepting true, false and null in any letter case."""
    text = strip_code_fence(text)
    word = text.casefold()
    return JSON_LITERALS[word] if word in JSON_LITERALS else json_value(text)


def _as_allowed_type(value: Any, type_names: Sequence[str]) -> Any:
    """Return `value` if it has one of the types, or a whole float as an integer where only that fits; else NO_CORRECTION."""
    match value:
        case bool():
            fits = "boolean" in type_names
        case int():
            fits = "integer" in type_names or "number" in type_names
        case float():
            return _number(value, type_names)
        case None:
            fits = "null" in type_names
        case dict() | list():
            fits = ("object" if isinstance(value, dict) else "array") in type_names
        case _:
            fits = False
    return value if fits else NO_CORRECTION


def _number(value: float, type_names: Sequence[str]) -> Any:
    if "number" in type_names:
        return value if math.isfinite(value) else NO_CORRECTION
    is_whole = math.isfinite(value) and value.is_integer() and abs(value) <= MAX_EXACT_INTEGER
    return int(value) if is_whole and "integer" in type_names else NO_CORRECTION


def _comparable(value: Any) -> Any:
    """Return what options are compared by: stripped text, or the JSON of another simple value."""
    if isinstance(value, str):
        return value.strip()
    return NO_CORRECTION if isinstance(value, dict | list) else json_text(value)


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(constant)
