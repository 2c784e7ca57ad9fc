"""A model's provider options (SPEC 2.9): fields of the provider's own request, under the names that its API documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.engine.errors import RequestRefused

# What Parley fills in itself: the conversation, who answers, what may be called, how it comes, and that nothing is kept there.
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
    """The options as fields of the request: one that `given` fills in, too, keeps of it what the option does not name.

    Raises RequestRefused for a field that is Parley's. A field that the provider does not know is refused there.
    """
    if reserved := sorted(RESERVED_FIELDS & options.keys()):
        raise RequestRefused(f"The model's provider options may not set {', '.join(reserved)}. An admin can change them.")
    return {name: _merge(given.get(name), value) for name, value in options.items()}


def _merge(given: Any, wanted: Any) -> Any:
    if not isinstance(given, Mapping) or not isinstance(wanted, Mapping):
        return wanted
    return {**given, **{name: _merge(given.get(name), value) for name, value in wanted.items()}}
