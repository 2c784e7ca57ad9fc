"""Templates of HTTP tools: `{name}` stands for an argument of the call. Nothing in the model's text is interpreted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

# Double braces are a registered secret (SPEC 3.17) or plain text.
ARGUMENT = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})")
_ABSENT = object()
_STEP = re.compile(r"([^.\[\]]+)|\[(\d*)\]")


def argument_names(template: Any) -> Iterator[str]:
    """Yield the arguments that a template names, in a text or anywhere in a JSON value."""
    match template:
        case str():
            yield from ARGUMENT.findall(template)
        case Mapping():
            for key, value in template.items():
                yield from argument_names(key)
                yield from argument_names(value)
        case list() | tuple():
            for item in template:
                yield from argument_names(item)


def fill_url(template: str, arguments: Mapping[str, Any]) -> str:
    """Return the URL with percent-encoded arguments. Raises ValueError for a missing argument, or for "." or ".." in the path."""
    url = ARGUMENT.sub(lambda match: quote(_text(_required_argument(arguments, match[1])), safe=""), template)
    if {".", ".."} & set(urlsplit(url).path.split("/")):
        raise ValueError("An argument of the address can't be . or ..")
    return url


def fill_json(template: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the JSON value with its placeholders replaced. A text that is one placeholder becomes the argument with its type.

    Such a text is left out when its argument was not given. Raises ValueError for a missing argument inside a longer text.
    """
    result = _fill(template, arguments)
    return None if result is _ABSENT else result


def _fill(template: Any, arguments: Mapping[str, Any]) -> Any:
    match template:
        case str():
            if alone := ARGUMENT.fullmatch(template):
                return arguments.get(alone[1], _ABSENT)
            return ARGUMENT.sub(lambda match: _text(_required_argument(arguments, match[1])), template)
        case Mapping():
            pairs = ((key, _fill(value, arguments)) for key, value in template.items())
            return {key: value for key, value in pairs if value is not _ABSENT}
        case list() | tuple():
            return [value for item in template if (value := _fill(item, arguments)) is not _ABSENT]
        case _:
            return template


def _required_argument(arguments: Mapping[str, Any], name: str) -> Any:
    if name not in arguments or arguments[name] is None:
        raise ValueError(f"The argument {name} is needed.")
    return arguments[name]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def query_pairs(query: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the query's pairs; a list becomes one pair per item."""
    return [
        (key, _text(item)) for key, value in query.items() if value is not None for item in (value if isinstance(value, list) else [value])
    ]


def is_path(path: str) -> bool:
    """Return whether `path` consists of names between dots, with [] for each item of a list and [0] for one of them."""
    return _STEP.sub("", path).strip(".") == "" and ".." not in path and not path.startswith(".") and not path.endswith(".")


def value_at_path(value: Any, path: str) -> Any:
    """Return the value at `path`, such as `data.items[].name`. Raises LookupError naming the step that is missing."""
    return _value_at_path(value, [(name, index) for name, index in _STEP.findall(path)], path)


def _value_at_path(value: Any, steps: Sequence[tuple[str, str]], path: str) -> Any:
    if not steps:
        return value
    (name, index), rest = steps[0], steps[1:]
    if name:
        if not isinstance(value, Mapping) or name not in value:
            raise LookupError(f"The answer has no {name} ({path}).")
        return _value_at_path(value[name], rest, path)
    if not isinstance(value, list):
        raise LookupError(f"The answer has no list where {path} wants one.")
    if index == "":
        return [_value_at_path(item, rest, path) for item in value]
    if int(index) >= len(value):
        raise LookupError(f"The answer's list has no item {index} ({path}).")
    return _value_at_path(value[int(index)], rest, path)


def select_fields(value: Any, names: Sequence[str]) -> Any:
    """Return the object, or each object of a list, with only these fields; other values unchanged."""
    match value:
        case Mapping() if names:
            return {name: value[name] for name in names if name in value}
        case list() if names:
            return [select_fields(item, names) for item in value]
        case _:
            return value
