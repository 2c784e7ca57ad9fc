"""A strict reader of proto JSON. Unknown names, wrong types and oneofs set twice are refused, as by Google's front end.

Names are accepted in camelCase and snake_case, as proto JSON allows, and returned in camelCase.
Source: https://protobuf.dev/programming-guides/json/.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from doubles.gemini.errors import bad_field_error

Reader = Callable[[Any, str], Any]


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match.group(1).lower(), name)


@dataclass(frozen=True)
class Message:
    """A reader for a message."""

    fields: Mapping[str, Reader]  # by camelCase name
    oneof: frozenset[str] = frozenset()  # fields of which only one may be set
    oneof_name: str = "data"

    def __call__(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise bad_field_error(path, f"Invalid value at '{path}' (type.googleapis.com/google.ai.generativelanguage.v1beta), {value!r}")
        result: dict[str, Any] = {}
        for name, item in value.items():
            key = camel(name)
            if key not in self.fields:
                raise unknown_name(name, path)
            if item is None:
                continue
            self._check_oneof(key, result, path)
            result[key] = self.fields[key](item, join(path, snake(key)))
        return result

    def _check_oneof(self, key: str, result: dict[str, Any], path: str) -> None:
        if key in self.oneof and self.oneof & result.keys():
            raise bad_field_error(
                path, f"Invalid value at '{path}' (oneof), oneof field '{self.oneof_name}' is already set. Cannot set '{snake(key)}'"
            )


def unknown_name(name: str, path: str) -> Exception:
    place = f" at '{path}'" if path else ""
    return bad_field_error(path, f'Invalid JSON payload received. Unknown name "{name}"{place}: Cannot find field.')


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def repeated(reader: Reader) -> Reader:
    """Read a list. The API also accepts a single value."""

    def read(value: Any, path: str) -> list[Any]:
        values = value if isinstance(value, list) else [value]
        return [reader(item, f"{path}[{index}]") for index, item in enumerate(values)]

    return read


def map_of(reader: Reader) -> Reader:
    def read(value: Any, path: str) -> dict[str, Any]:
        fields = struct(value, path)
        return {name: reader(item, f"{path}[{index}].value") for index, (name, item) in enumerate(fields.items())}

    return read


def deferred(reader: Callable[[], Reader]) -> Reader:
    """Read a message that contains itself: the reader is looked up when it is used."""

    def read(value: Any, path: str) -> Any:
        return reader()(value, path)

    return read


def scalar(type_name: str, accepts: Callable[[Any], bool]) -> Reader:
    def read(value: Any, path: str) -> Any:
        if isinstance(value, list):
            raise bad_field_error(path, f"Invalid value at '{path}' (TYPE_{type_name}), Proto field is not repeating, cannot start list.")
        if not accepts(value):
            raise bad_field_error(path, f"Invalid value at '{path}' (TYPE_{type_name}), {value!r}")
        return value

    return read


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and float(value).is_integer()


string = scalar("STRING", lambda value: isinstance(value, str))
boolean = scalar("BOOL", lambda value: isinstance(value, bool))
number = scalar("FLOAT", _is_number)
integer = scalar("INT32", lambda value: _is_integer(value) and -(2**31) <= value < 2**31)
# Proto JSON writes 64-bit integers as strings, and reads numbers as well.
long_integer = scalar("INT64", lambda value: _is_integer(value) or (isinstance(value, str) and value.lstrip("-").isdigit()))


def enum(*names: str) -> Reader:
    """Read one of `names`. The API also accepts lower case."""

    def read(value: Any, path: str) -> str:
        if not isinstance(value, str) or value.upper() not in names:
            raise bad_field_error(path, f"Invalid value at '{path}' (TYPE_ENUM), {value!r}")
        return value.upper()

    return read


def data_bytes(value: Any, path: str) -> str:
    """Check base64 in either alphabet, with or without padding, and return it unchanged."""
    text: str = string(value, path)
    try:
        decode_base64(text)
    except (binascii.Error, ValueError) as error:
        raise bad_field_error(path, f"Invalid value at '{path}' (TYPE_BYTES), Base64 decoding failed for \"{text[:32]}\"") from error
    return text


def decode_base64(text: str) -> bytes:
    standard = text.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)


def struct(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise bad_field_error(path, f"Invalid value at '{path}' (type.googleapis.com/google.protobuf.Struct), {value!r}")
    return value


def any_value(value: Any, path: str) -> Any:
    """Return any JSON value (google.protobuf.Value)."""
    return value
