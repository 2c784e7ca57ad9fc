"""What a provider gave to be sent back, and then does not take: reasoning is bound to the account that it was made for.

A conversation changes its key when an endpoint falls over to another, a member enters an own one, or an admin a new one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from agents.engine.errors import RequestRefused
from agents.engine.messages import AnswerFile, AssistantText, Entry, ModelEvent, ModelRequest, ProviderToolCall, Reasoning, ToolCall
from agents.engine.ports import LanguageModel


class ReasoningRefused(RequestRefused):
    """The provider could not verify the reasoning that came back to it."""


class WithoutReasoningRetry:
    """A model that is asked once more without what its provider refused to take back; the text, the calls and their results stay."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See LanguageModel. Not after the first event, and not when there is nothing to leave out."""
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
