"""Merges a model's provider options into a request (SPEC 2.9): fields named as in the provider's API documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.errors import RequestRefused

# Fields that Parley fills in: the conversation, the model, the tools, streaming, and that the provider stores nothing.
RESERVED_FIELDS = frozenset(
    {
        "model",
        "messages",
        "input",
        "instructions",
        "system",
        "tools",
        "tool_choice",
        "stream",
        "stream_options",
        "include",
        "store",
        "background",
        "previous_response_id",
        "conversation",
        "prompt",
        "n",
    }
)


def merge_provider_options(options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as fields of the request, each deep-merged with the value of the same name in `given`.

    Raises RequestRefused for a field that is reserved for Parley. The provider itself refuses unknown fields.
    """
    if reserved := sorted(RESERVED_FIELDS & options.keys()):
        raise RequestRefused(f"The model's provider options may not set {', '.join(reserved)}. An admin can change them.")
    return {name: _merge(given.get(name), value) for name, value in options.items()}


def merge_objects(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two JSON objects: values that are objects in both are merged, other values of `wanted` win."""
    return {**given, **{name: _merge(given.get(name), value) for name, value in wanted.items()}}


def _merge(given: Any, wanted: Any) -> Any:
    return merge_objects(given, wanted) if isinstance(given, Mapping) and isinstance(wanted, Mapping) else wanted


def set_group(name: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object field with those of the members that are set; nothing without any."""
    kept = set_fields(members)
    return {name: kept} if kept else {}


def set_fields(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}
