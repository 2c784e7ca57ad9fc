"""A model whose endpoint drops the tools field calls them all the same, in its text (SPEC 2.7)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from agents.engine.messages import (
    AssistantText,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderPart,
    ReasoningDelta,
    ResponseEntry,
    TextDelta,
    ToolCall,
)
from agents.engine.ports import LanguageModel
from agents.providers.xml.parser import SplitText, XmlCallSplitter, XmlToolCall, split_text
from agents.providers.xml.prompt import entries_as_text, system_with_tools

Shown = TextDelta | ReasoningDelta | ProviderPart
NOT_ALLOWED = "calling tools is not allowed now."


class XmlToolsModel:
    """Wraps any LanguageModel; looks to its callers like one that calls tools natively."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See LanguageModel. Text is shown as it comes up to the first call; the rest comes with the response."""
        view = _LiveText()
        async with aclosing(self._model.stream(_as_text(request))) as events:
            async for event in events:
                if not request.tools:  # nobody was told how to call: a text that tells of it stays a text
                    yield event
                elif isinstance(event, ModelResponse):
                    for delta in view.end(is_whole=_is_complete(event)):
                        yield delta
                    yield _with_calls(event, allowed=request.settings.tool_choice != "none")
                else:
                    for delta in view.add(event):
                        yield delta


class _LiveText:
    """What is shown while the answer comes: all up to the first call."""

    def __init__(self) -> None:
        self._splitter = XmlCallSplitter()
        self._shown = 0  # characters of this run
        self._has_calls = False

    def add(self, event: Shown) -> list[Shown]:
        if isinstance(event, TextDelta):
            return [] if self._has_calls else self._text(self._splitter.feed(event.text))
        shown = self.end(is_whole=True)
        return shown if self._has_calls else [*shown, event]

    def end(self, *, is_whole: bool) -> list[Shown]:
        """The end of a run of text: what was held back of it and is no call."""
        if self._has_calls:
            return []
        run = self._splitter.end(is_whole=is_whole)
        shown = self._text(run.visible[self._shown :])
        self._splitter, self._shown, self._has_calls = XmlCallSplitter(), 0, run.contains_calls
        return shown

    def _text(self, text: str) -> list[Shown]:
        self._shown += len(text)
        return [TextDelta(text)] if text else []


def _as_text(request: ModelRequest) -> ModelRequest:
    """The request without tools; it shares the meter with the one that came."""
    settings = request.settings
    return replace(
        request,
        system=system_with_tools(request.system, request.tools, settings.tool_choice),
        entries=entries_as_text(request.entries),
        tools=(),
        settings=replace(settings, tool_choice="auto"),
    )


def _is_complete(response: ModelResponse) -> bool:
    return response.finish_reason in (FinishReason.STOP, FinishReason.TOOL_CALLS)


def _with_calls(response: ModelResponse, *, allowed: bool) -> ModelResponse:
    """The response with the calls that its text holds; one that can't be read takes the others with it."""
    entries, problem = list[ResponseEntry](), response.malformed_call
    for place, entry in enumerate(response.entries, 1):
        if not isinstance(entry, AssistantText):
            entries.append(entry)
            continue
        split = split_text(entry.text, is_whole=place < len(response.entries) or _is_complete(response))
        entries += _entries(split)
        problem = problem or split.problem or ("" if allowed or not split.contains_calls else NOT_ALLOWED)
    if problem:
        kept = tuple(entry for entry in entries if not isinstance(entry, ToolCall))
        return replace(response, entries=kept, finish_reason=FinishReason.OTHER, malformed_call=problem)
    return replace(response, entries=tuple(entries), finish_reason=_reason(response, entries))


def _entries(split: SplitText) -> list[ResponseEntry]:
    """Calls get their ids from the engine."""
    shown = [AssistantText(split.visible)] if split.visible else []
    return [
        *shown,
        *(ToolCall("", each.name, each.arguments) if isinstance(each, XmlToolCall) else AssistantText(each) for each in split.pieces),
    ]


def _reason(response: ModelResponse, entries: list[ResponseEntry]) -> FinishReason:
    asks = any(isinstance(entry, ToolCall) for entry in entries)
    return FinishReason.TOOL_CALLS if asks and response.finish_reason is FinishReason.STOP else response.finish_reason
