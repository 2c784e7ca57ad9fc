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


def merge_provider_options(options: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as fields of the request, each deep-merged with the value of the same name in `body`.

    Raises RequestRefused for a field that is reserved for Parley. The provider itself refuses unknown fields.
    """
    if reserved_names := sorted(RESERVED_FIELDS & options.keys()):
        raise RequestRefused(f"The model's provider options may not set {', '.join(reserved_names)}. An admin can change them.")
    return {name: _merge(body.get(name), value) for name, value in options.items()}


def merge_objects(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two JSON objects: values that are objects in both are merged, other values of `overrides` win."""
    return {**base, **{name: _merge(base.get(name), value) for name, value in overrides.items()}}


def _merge(base: Any, override: Any) -> Any:
    return merge_objects(base, override) if isinstance(base, Mapping) and isinstance(override, Mapping) else override


def set_group(name: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object field with those of the members that are set; nothing without any."""
    fields = set_fields(members)
    return {name: fields} if fields else {}


def set_fields(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}
