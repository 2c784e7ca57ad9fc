"""Retries a request without reasoning that the provider refuses to take back.

Reasoning is bound to the account that it was made for. A conversation's key changes when an endpoint fails over to another, when a
member enters an own key, or when an admin replaces one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from agents.engine.errors import RequestRefused
from agents.engine.messages import AnswerFile, AssistantText, Entry, ModelEvent, ModelRequest, ProviderToolCall, Reasoning, ToolCall
from agents.engine.ports import LanguageModel


class ReasoningRefused(RequestRefused):
    """The provider could not verify the reasoning that was sent back to it."""


class WithoutReasoningRetry:
    """A model that is asked once more without the metadata that its provider refused. Text, calls and results stay."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; see LanguageModel. Does not retry after the first event, or when there is no metadata to remove."""
        shown = False
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    shown = True
                    yield event
            return
        except ReasoningRefused:
            reduced = replace(request, entries=tuple(map(_without_metadata, request.entries)))
            if shown or reduced.entries == request.entries:
                raise
        async with aclosing(self._model.stream(reduced)) as events:
            async for event in events:
                yield event


def _without_metadata(entry: Entry) -> Entry:
    return (
        replace(entry, provider_metadata=None)
        if isinstance(entry, AnswerFile | AssistantText | Reasoning | ToolCall | ProviderToolCall)
        else entry
    )
