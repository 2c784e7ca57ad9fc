"""The order of an object's keys, which the database forgets: it sorts them by their length.

Where the order is another, an object is stored as a list of pairs, and a schema with the list `propertyOrdering`, as Google's API calls it.
Models, servers and forms get neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, PlainSerializer

ORDERING: Final = "propertyOrdering"


def stored_object(value: Mapping[str, Any]) -> dict[str, Any] | list[list[Any]]:
    """Return the object as it is stored."""
    return dict(value) if _is_sorted(value) else [[key, part] for key, part in value.items()]


def object_of(stored_value: Any) -> Any:
    """Return the object that was stored; anything else as it is."""
    is_pairs = isinstance(stored_value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in stored_value
    )
    return dict(stored_value) if is_pairs else stored_value


OrderedObject = Annotated[dict[str, Any], BeforeValidator(object_of), PlainSerializer(stored_object, when_used="json")]
OrderedTexts = Annotated[dict[str, str], BeforeValidator(object_of), PlainSerializer(stored_object, when_used="json")]


def stored_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema as it is stored."""
    plain = schema_of(schema)
    names = _properties(plain)
    return plain if _is_sorted(names) else {**plain, ORDERING: list(names)}


def schema_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema that was stored, with its properties in their order."""
    if ORDERING not in schema:
        return dict(schema)
    order = schema[ORDERING] if isinstance(schema[ORDERING], list) else []
    properties = _properties(schema)
    first = {name: properties[name] for name in order if isinstance(name, str) and name in properties}
    plain = {name: value for name, value in schema.items() if name != ORDERING}
    return {**plain, "properties": {**first, **properties}} if properties else plain


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _is_sorted(keys: Iterable[str]) -> bool:
    """Return whether the database has the keys in this order."""
    return list(keys) == sorted(keys, key=lambda key: (len(key.encode()), key.encode()))
