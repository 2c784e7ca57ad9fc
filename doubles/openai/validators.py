"""Strict validators of JSON requests. Unknown names and wrong types are refused with OpenAI's messages.

A validator takes a value and its path ("input[0].content") and raises WireError (400).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from doubles.openai.errors import invalid, missing_parameter, unknown_parameter

Validator = Callable[[Any, str], None]

_NAMES = {bool: "a boolean", int: "an integer", float: "a decimal", str: "a string", dict: "an object", list: "an array"}


def fields(validators: Mapping[str, Validator], *, required: Collection[str] = ()) -> Validator:
    """Validate an object with these fields and no others."""

    def read(value: Any, path: str) -> None:
        json_object(value, path)
        for name, item in value.items():
            if name not in validators:
                raise unknown_parameter(join(path, name))
            validators[name](item, join(path, name))
        for name in required:
            if name not in value:
                raise missing_parameter(join(path, name))

    return read


def tagged_union(kinds: Mapping[str, Validator], tag: str = "type") -> Validator:
    """Validate an object whose field `tag` selects one of `kinds`."""

    def read(value: Any, path: str) -> None:
        json_object(value, path)
        if tag not in value:
            raise missing_parameter(join(path, tag))
        one_of(*kinds)(value[tag], join(path, tag))
        kinds[value[tag]](value, path)

    return read


def array(validator: Validator, *, min_length: int = 0, max_length: int | None = None) -> Validator:
    def read(value: Any, path: str) -> None:
        if not isinstance(value, list):
            raise _wrong_type(value, path, "an array")
        if len(value) < min_length:
            raise invalid(
                f"Invalid '{path}': empty array. Expected an array with minimum length {min_length}, but got an empty array instead.",
                path,
                "empty_array",
            )
        if max_length is not None and len(value) > max_length:
            raise invalid(
                f"Invalid '{path}': array too long. Expected an array with maximum length {max_length}, but got an array with length"
                f" {len(value)} instead.",
                path,
                "array_above_max_length",
            )
        for index, item in enumerate(value):
            validator(item, f"{path}[{index}]")

    return read


def string(*, max_length: int | None = None, min_length: int = 0) -> Validator:
    def read(value: Any, path: str) -> None:
        if not isinstance(value, str):
            raise _wrong_type(value, path, "a string")
        if max_length is not None and len(value) > max_length:
            raise invalid(
                f"Invalid '{path}': string too long. Expected a string with maximum length {max_length}, but got a string with length"
                f" {len(value)} instead.",
                path,
                "string_above_max_length",
            )
        if len(value) < min_length:
            raise invalid(
                f"Invalid '{path}': empty string. Expected a string with minimum length {min_length}, but got an empty string instead.",
                path,
                "empty_string",
            )

    return read


def number(low: float, high: float) -> Validator:
    def read(value: Any, path: str) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise _wrong_type(value, path, "a decimal")
        if value > high:
            raise invalid(_range_error("decimal above maximum", "<=", path, high, value), path, "decimal_above_max_value")
        if value < low:
            raise invalid(_range_error("decimal below minimum", ">=", path, low, value), path, "decimal_below_min_value")

    return read


def integer(low: int | None = None) -> Validator:
    def read(value: Any, path: str) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _wrong_type(value, path, "an integer")
        if low is not None and value < low:
            raise invalid(_range_error("integer below minimum", ">=", path, low, value), path, "integer_below_min_value")

    return read


def one_of(*names: str) -> Validator:
    def read(value: Any, path: str) -> None:
        if value not in names:
            choices = " and ".join(f"'{name}'" for name in names) if len(names) < 3 else ", ".join(f"'{name}'" for name in names)
            raise invalid(f"Invalid value: '{value}'. Supported values are: {choices}.", path, "invalid_value")

    return read


def nullable(validator: Validator) -> Validator:
    def read(value: Any, path: str) -> None:
        if value is not None:
            validator(value, path)

    return read


def either(text: Validator, other: Validator) -> Validator:
    """Validate strings with `text` and everything else with `other`."""

    def read(value: Any, path: str) -> None:
        (text if isinstance(value, str) else other)(value, path)

    return read


def boolean(value: Any, path: str) -> None:
    if not isinstance(value, bool):
        raise _wrong_type(value, path, "a boolean")


def json_object(value: Any, path: str) -> None:
    if not isinstance(value, dict):
        raise _wrong_type(value, path, "an object")


def anything(value: Any, path: str) -> None:
    """Accept any JSON value."""


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _wrong_type(value: Any, path: str, expected_type: str) -> Exception:
    type_name = "null" if value is None else _NAMES[type(value)]
    return invalid(f"Invalid type for '{path}': expected {expected_type}, but got {type_name} instead.", path, "invalid_type")


def _range_error(problem: str, sign: str, path: str, bound: float, value: float) -> str:
    return f"Invalid '{path}': {problem} value. Expected a value {sign} {bound}, but got {value} instead."
