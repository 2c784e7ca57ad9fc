"""A request without the reasoning that its provider refuses to take back.

Reasoning is bound to the account that it was made for. A conversation's key changes when an endpoint fails over to another, when a
member enters an own key, or when an admin replaces one.
"""

from __future__ import annotations

from dataclasses import replace

from agents.errors import RequestRefused
from agents.messages import AnswerFile, AssistantText, Entry, ModelRequest, ProviderToolCall, Reasoning, ToolCall


class ReasoningRefused(RequestRefused):
    """The provider could not verify the reasoning that was sent back to it."""


def without_metadata(request: ModelRequest) -> ModelRequest:
    """Return the request without the providers' metadata. Text, calls and results stay."""
    return replace(request, entries=tuple(map(_without_metadata, request.entries)))


def _without_metadata(entry: Entry) -> Entry:
    return (
        replace(entry, provider_metadata=None)
        if isinstance(entry, AnswerFile | AssistantText | Reasoning | ToolCall | ProviderToolCall)
        else entry
    )
