"""Converts streams of the Claude API into engine types.

Blocks that must go back to the API are kept verbatim. Input may be malformed in any way: docs/engine.md, "Bad input", lists the outcomes.
Sources: https://platform.claude.com/docs/en/build-with-claude/streaming, .../handling-stop-reasons, .../thinking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from agents.errors import AnswerCut, ContentBlocked, ProviderUnavailable
from agents.messages import (
    AnswerEvent,
    AssistantText,
    FinishReason,
    ModelResponse,
    ProviderMetadata,
    Reasoning,
    ReasoningDelta,
    ResponseEntry,
    TextDelta,
    ToolCall,
    Usage,
)
from agents.providers.anthropic.blocks import BlockDraft
from agents.providers.anthropic.messages import Block
from agents.providers.anthropic.server_tools import ServerToolCall, is_result, is_server_tool_block, server_tool_calls
from agents.providers.citations import CitedSources
from agents.providers.errors import BLOCKED, UNREADABLE

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "tool_use": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.CONTENT_FILTER,
    # "pause_turn" maps to OTHER: the answer was paused too often, or without a reason.
}


PAUSE_TURN = "pause_turn"


class MessageAssembler:
    """Assembles stream events: deltas immediately, the complete response at the end. One answer may come in several parts."""

    def __init__(self, provider: str, model: str) -> None:
        self._provider = provider
        self._model = model
        self._blocks: dict[int, BlockDraft] = {}
        self._block_offset = 0  # number of blocks in the earlier parts
        self._first_call: int | None = None
        self._sources = CitedSources()
        self._stop_reason = ""
        self._is_complete = False
        self._usages_before: tuple[Usage, ...] = ()
        self.parts = 1  # that were asked for
        self._usage: dict[str, Any] = {}
        self._prompt_tokens = 0
        self.model_version = ""
        self.container = ""

    @property
    def usages(self) -> tuple[Usage, ...]:
        """See Assembler; one item per part."""
        return (*self._usages_before, usage_of(self._usage))

    @property
    def is_paused(self) -> bool:
        """Return whether the part is complete but the answer is not.

        Only the API's own tools pause an answer, and never while tools of ours are waiting to run.
        """
        kinds = {block.kind for block in self._blocks.values()}
        return self._is_complete and self._stop_reason == PAUSE_TURN and "server_tool_use" in kinds and "tool_use" not in kinds

    def blocks(self) -> list[Block]:
        """Return the blocks received so far, in the form in which they go back to the API."""
        return [block.finished() for _, block in sorted(self._blocks.items()) if not block.is_empty]

    def start_next_part(self) -> None:
        """Begin the next part of the answer; later events belong to it."""
        self._usages_before, self._usage = self.usages, {}
        self.parts += 1
        self._block_offset = len(self._blocks)
        self._is_complete, self._stop_reason = False, ""

    def add(self, event: Mapping[str, Any]) -> list[AnswerEvent]:
        """Return what `event` adds to the visible answer. Unknown kinds of events are ignored.

        Whatever follows a tool call in the same answer comes with the response only; shown immediately, it would appear before the call.
        Raises ProviderUnavailable when the event is malformed.
        """
        try:
            return self._add(event)
        except (AttributeError, KeyError, TypeError) as error:
            raise ProviderUnavailable(UNREADABLE) from error

    def _add(self, event: Mapping[str, Any]) -> list[AnswerEvent]:
        match event.get("type"):
            case "message_start":
                self.model_version = str(event["message"].get("model") or "")
                self._count(event["message"].get("usage"))
                self._prompt_tokens = self._prompt_tokens or self.usages[0].input_tokens  # the last event includes tool input
            case "content_block_start":
                return self._begin(self._block_offset + event["index"], BlockDraft(event["content_block"]))
            case "content_block_delta":
                return self._delta(self._block_offset + event["index"], event["delta"])
            case "message_delta":
                self._stop_reason = str(event["delta"].get("stop_reason") or self._stop_reason)
                self.container = str((event["delta"].get("container") or {}).get("id") or self.container)
                self._count(event.get("usage"))
            case "message_stop":
                self._is_complete = True
                return [] if self.is_paused or self._follows_call(len(self._blocks)) else [*self._sources.drain()]
        return []

    def _begin(self, index: int, block: BlockDraft) -> list[AnswerEvent]:
        self._blocks[index] = block
        events: list[AnswerEvent] = []
        if block.kind == "tool_use":
            self._first_call = index if self._first_call is None else min(self._first_call, index)
            events += self._sources.drain()
        elif is_result(block.kind):
            events = self._add_server_result(index)
        return [] if self._follows_call(index) else events

    def _add_server_result(self, index: int) -> list[AnswerEvent]:
        """Return what a completed server tool adds to the visible answer; its result arrives in one piece."""
        result = self._blocks[index].finished()
        uses = (block.finished() for place, block in self._blocks.items() if place < index and block.kind == "server_tool_use")
        server_call = ServerToolCall(next((use for use in uses if use["id"] == result["tool_use_id"]), None), result)
        events: list[AnswerEvent] = [*self._sources.drain(), server_call.call]
        server_call.cite(self._sources)
        return events

    def _delta(self, index: int, delta: Mapping[str, Any]) -> list[AnswerEvent]:
        block = self._blocks[index]
        text = block.add(delta)
        if delta["type"] == "citations_delta":
            _cite([delta["citation"]], self._sources)
        if not text or self._follows_call(index):
            return []
        return [*self._sources.drain(), ReasoningDelta(text)] if block.kind == "thinking" else [TextDelta(text)]

    def _follows_call(self, index: int) -> bool:
        return self._first_call is not None and self._first_call < index

    def _count(self, usage: Any) -> None:
        """Update the usage. Numbers are cumulative; the last event omits those of the input, or has them as null."""
        if isinstance(usage, Mapping):
            self._usage |= {name: value for name, value in usage.items() if value is not None}

    def response(self) -> ModelResponse:
        """Return the complete answer. Raises ContentBlocked, and AnswerCut when the provider's end marker is missing."""
        if not self._is_complete or not self._stop_reason:
            raise AnswerCut("The answer was cut off.")
        reason = _FINISH_REASONS.get(self._stop_reason, FinishReason.OTHER)
        if reason is FinishReason.CONTENT_FILTER and not self._blocks:
            raise ContentBlocked(BLOCKED)
        blocks = [block for _, block in sorted(self._blocks.items())]
        is_cut = reason is FinishReason.LENGTH  # a call may be cut off then; the engine runs no call of such an answer
        malformed_call = "" if is_cut else next((problem for block in blocks if (problem := block.problem)), "")
        drafts = _drafts([block.finished() for block in blocks if not (block.is_empty or (malformed_call and block.kind == "tool_use"))])
        entries = tuple(_entries(drafts, self._provider, self._model, self.container))
        usage = sum(self.usages, Usage())
        prompt_tokens = self._prompt_tokens or self.usages[0].input_tokens
        return ModelResponse(
            entries,
            FinishReason.OTHER if malformed_call else _with_calls(reason, entries),
            usage,
            self.model_version,
            malformed_call=malformed_call,
            parts=self.usages if self._usages_before else (),
            prompt_tokens=None if prompt_tokens == usage.input_tokens else prompt_tokens,
        )


def _with_calls(reason: FinishReason, entries: tuple[ResponseEntry, ...]) -> FinishReason:
    asks = any(isinstance(entry, ToolCall) for entry in entries)
    return FinishReason.TOOL_CALLS if asks and reason is FinishReason.STOP else reason


_Kind = Literal["text", "reasoning", "call", "server_tools"]


class _Draft:
    """The blocks of one future entry, or of consecutive uses of the API's own tools."""

    def __init__(self, kind: _Kind, blocks: list[Block]) -> None:
        self.kind = kind
        self.blocks = blocks

    def entry(self, provider_metadata: ProviderMetadata | None) -> ResponseEntry:
        if self.kind == "call":
            call = next(block for block in self.blocks if block["type"] == "tool_use")
            return ToolCall(str(call.get("id") or ""), call["name"], call["input"], provider_metadata)
        if self.kind == "reasoning":
            return Reasoning("".join(block["thinking"] for block in self.blocks if block["type"] == "thinking"), provider_metadata)
        return AssistantText("".join(block["text"] for block in self.blocks if block["type"] == "text"), provider_metadata)

    @property
    def waits(self) -> bool:
        """Whether one of the API's own tools has no result here: it runs after a tool of ours."""
        return self.kind == "server_tools" and any(server_call.result is None for server_call in server_tool_calls(self.blocks))

    @property
    def has_provider_metadata(self) -> bool:
        return len(self.blocks) > 1 or any(block.keys() - _NEUTRAL_KEYS for block in self.blocks)


def _entries(drafts: Iterable[_Draft], provider: str, model: str, container: str) -> Iterator[ResponseEntry]:
    """Yield the drafts' entries, each text followed by its sources.

    The first call of a run of the API's own tools carries the blocks of the whole run, and the container in which one of them waits to run.
    """
    sources = CitedSources()
    for draft in drafts:
        provider_metadata: dict[str, Any] = {"provider": provider, "model": model, "blocks": draft.blocks}
        if container and draft.waits:
            provider_metadata["container"] = container
        if draft.kind == "text":
            _cite((citation for block in draft.blocks for citation in block.get("citations") or ()), sources)
        else:
            yield from sources.drain()
        if draft.kind != "server_tools":
            yield draft.entry(provider_metadata if draft.has_provider_metadata else None)
            continue
        for place, server_call in enumerate(server_tool_calls(draft.blocks)):
            yield from sources.drain()
            yield replace(server_call.call, provider_metadata=None if place else provider_metadata)
            server_call.cite(sources)
    yield from sources.drain()


def _cite(citations: Iterable[Mapping[str, Any]], sources: CitedSources) -> None:
    """Record cited web pages. Citations of documents have no URL and are skipped."""
    for citation in citations:
        sources.cite(citation.get("url"), citation.get("title"))


# A block with other keys carries something (a signature, citations) that engine types cannot hold.
_NEUTRAL_KEYS = frozenset({"type", "text", "id", "name", "input"})


def _drafts(blocks: list[Block]) -> list[_Draft]:
    """Return one draft per call, and one per run of text, of reasoning or of the API's own tools.

    Blocks with nothing to show, such as redacted thinking, join the draft before them; at the beginning they join the draft after them.
    """
    drafts: list[_Draft] = []
    leading: list[Block] = []
    for block in blocks:
        kind = _kind(block)
        if kind is None:
            (drafts[-1].blocks if drafts else leading).append(block)
        elif kind != "call" and drafts and drafts[-1].kind == kind:  # also joins a run of the API's own tools
            drafts[-1].blocks.append(block)
        else:
            drafts.append(_Draft(kind, [*leading, block]))
            leading = []
    return drafts or ([_Draft("text", leading)] if leading else [])


def _kind(block: Block) -> _Kind | None:
    if block["type"] == "tool_use":
        return "call"
    if block["type"] == "text":
        return "text"
    if is_server_tool_block(block):
        return "server_tools"
    return "reasoning" if block["type"] == "thinking" and block["thinking"] else None


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Convert the API's usage; missing numbers count as 0.

    On this wire `input_tokens` excludes cached tokens and `output_tokens` includes thinking.
    """
    cache_reads, cache_writes = _number(usage, "cache_read_input_tokens"), _number(usage, "cache_creation_input_tokens")
    details = usage.get("output_tokens_details")
    thinking = _number(details, "thinking_tokens") if isinstance(details, Mapping) else 0
    server_usage = usage.get("server_tool_use")
    return Usage(
        input_tokens=_number(usage, "input_tokens") + cache_reads + cache_writes,
        output_tokens=max(_number(usage, "output_tokens") - thinking, 0),
        thinking_tokens=thinking,
        cached_tokens=cache_reads,
        cache_write_tokens=cache_writes,
        searches=_number(server_usage, "web_search_requests") if isinstance(server_usage, Mapping) else 0,
    )


def _number(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
