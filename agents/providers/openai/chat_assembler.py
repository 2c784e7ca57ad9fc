"""Converts the chunks of a Chat Completions stream into engine types, in any server's dialect.

Input may be malformed in any way: docs/engine.md, "Bad input", lists the outcomes.
Sources: https://developers.openai.com/api/reference/resources/chat/subresources/completions/streaming-events; the documentation of vLLM,
llama.cpp, Ollama and DeepSeek for reasoning and calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.errors import AnswerCut, ProviderUnavailable
from agents.messages import AnswerEvent, FinishReason, ModelResponse, TextDelta, Usage
from agents.providers.errors import UNREADABLE
from agents.providers.native_files import parse_data_url
from agents.providers.openai.conversions import nested_count
from agents.providers.openai.entry_drafts import CallDraft, EntryDrafts
from agents.providers.openai.think_tags import Piece, ThinkTagSplitter

MAX_ANSWER_CALLS = 128  # per answer

# For calls, some servers still say "function_call" and others "stop", so the presence of calls decides.
_FINISH_REASONS: Mapping[str, FinishReason] = {
    "stop": FinishReason.STOP,
    "tool_calls": FinishReason.STOP,
    "function_call": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
}


class ChatCompletionAssembler:
    """Assembles a stream's chunks: deltas immediately, the complete response at the end.

    `returns_reasoning`: reasoning goes back to the server, so it is marked as this provider's and model's own.
    `reads_think_tags`: the text may begin with reasoning in tags.
    """

    def __init__(self, provider: str, model: str, *, returns_reasoning: bool = False, reads_think_tags: bool = False) -> None:
        self._provider = provider
        self._model = model
        self._marks_reasoning = returns_reasoning
        self._tags = ThinkTagSplitter() if reads_think_tags else None
        self._drafts = EntryDrafts()
        self._calls: dict[str, CallDraft] = {}  # the latest call of each index
        self._calls_begun = 0
        self._finish = ""
        self._usage: Mapping[str, Any] = {}
        self.model_version = ""

    @property
    def usages(self) -> tuple[Usage, ...]:
        """See Assembler."""
        return (usage_of(self._usage),)

    def add(self, chunk: Mapping[str, Any]) -> list[AnswerEvent]:
        """See Assembler. Raises ProviderUnavailable for a malformed chunk."""
        try:
            self.model_version = str(chunk.get("model") or self.model_version)
            if isinstance(usage := chunk.get("usage"), dict):
                self._usage = usage  # cumulative when it is sent more than once
            for choice in chunk.get("choices") or []:
                if not choice.get("index"):  # others would be further answers, which nobody asked for
                    return self._add_choice(choice)
            return []
        except (AttributeError, KeyError, TypeError) as error:
            raise ProviderUnavailable(UNREADABLE) from error

    def _add_choice(self, choice: Mapping[str, Any]) -> list[AnswerEvent]:
        self._finish = str(choice.get("finish_reason") or self._finish)
        # A server that does not stream sends the whole message; some send it so far with each delta.
        delta = choice.get("delta" if "delta" in choice else "message") or {}
        events: list[AnswerEvent] = []
        if reasoning := delta.get("reasoning_content") or delta.get("reasoning"):
            events += self._drafts.add_reasoning(reasoning)
        if content := delta.get("content"):
            events += self._add_content(content)
        if self._tags and (self._finish or delta.get("tool_calls")):
            events += self._add_pieces(self._tags.close())
        if refusal := delta.get("refusal"):
            events += self._drafts.add_text(refusal)
        for image in delta.get("images") or []:  # OpenRouter's field for models that make images
            events += self._drafts.add_file(parse_data_url(image["image_url"]["url"]))
        self._drafts.cite(delta.get("annotations"))
        for piece in delta.get("tool_calls") or []:
            self._add_call(piece)
        return events + self._drafts.add_sources() if self._finish else events

    def _add_content(self, content: Any) -> list[AnswerEvent]:
        """Add text, or a list of parts of text and thinking (Mistral's form); parts of other types are ignored."""
        if not isinstance(content, list):
            return self._add_pieces(self._tags.feed(content)) if self._tags else self._drafts.add_text(content)
        events: list[AnswerEvent] = []
        for part in content:
            match part:
                case str(text) | {"type": "text", "text": str(text)}:
                    events += self._add_content(text)
                case {"type": "thinking", "thinking": thinking}:
                    events += self._drafts.add_reasoning(_join_thinking(thinking))
        return events

    def _add_pieces(self, pieces: list[Piece]) -> list[AnswerEvent]:
        events: list[AnswerEvent] = []
        for piece in pieces:
            events += self._drafts.add_text(piece.text) if isinstance(piece, TextDelta) else self._drafts.add_reasoning(piece.text)
        return events

    def _add_call(self, piece: Mapping[str, Any]) -> None:
        call = self._call_of(piece)
        function = piece.get("function") or {}
        call.id = call.id or str(piece.get("id") or "")
        call.name = call.name or str(function.get("name") or "")
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call.pieces.append(arguments)
        elif arguments is not None:
            call.argument_object = arguments

    def _call_of(self, piece: Mapping[str, Any]) -> CallDraft:
        """Return the call that a piece belongs to.

        The index decides. Without an index, an id or a name begins a new call, and other pieces belong to the latest call.
        """
        index, name = piece.get("index"), (piece.get("function") or {}).get("name")
        open_call = self._calls.get(str(index))
        begins = index is None and (piece.get("id") or name)
        if open_call and not begins and not _starts_another_call(open_call, piece.get("id"), name):
            return open_call
        self._calls_begun += 1
        if self._calls_begun > MAX_ANSWER_CALLS:
            raise ProviderUnavailable(UNREADABLE)
        call = self._calls[str(index)] = self._drafts.begin_call()
        return call

    def response(self) -> ModelResponse:
        """See Assembler."""
        if not self._finish:
            raise AnswerCut("The answer was cut off.")
        finish = _FINISH_REASONS.get(self._finish, FinishReason.OTHER)
        problem = self._drafts.problem(is_cut=finish is FinishReason.LENGTH)
        if self._marks_reasoning:
            self._drafts.mark_reasoning(returns=True)
        return ModelResponse(
            self._drafts.entries(self._provider, self._model, with_calls=not problem),
            FinishReason.OTHER if problem else self._reason(finish),
            usage_of(self._usage),
            self.model_version,
            malformed_call=problem,
        )

    def _reason(self, finish: FinishReason) -> FinishReason:
        return FinishReason.TOOL_CALLS if self._drafts.contains_calls and finish is FinishReason.STOP else finish


def _join_thinking(thinking: Any) -> str:
    """Return the text of a thinking part: a string, or a list of text parts."""
    return thinking if isinstance(thinking, str) else "".join(part.get("text") or "" for part in thinking)


def _starts_another_call(call: CallDraft, given_id: Any, name: Any) -> bool:
    """Return whether the piece begins another call than `call` despite the same index: some servers give all complete calls one index."""
    if given_id and call.id:
        return bool(given_id != call.id)
    return bool(name and call.is_whole)


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Convert `usage`, whose completion tokens include thinking. DeepSeek has its own field for cached tokens."""
    thinking = nested_count(usage, "completion_tokens_details", "reasoning_tokens")
    return Usage(
        input_tokens=nested_count(usage, "prompt_tokens"),
        output_tokens=max(0, nested_count(usage, "completion_tokens") - thinking),
        thinking_tokens=thinking,
        cached_tokens=nested_count(usage, "prompt_tokens_details", "cached_tokens") or nested_count(usage, "prompt_cache_hit_tokens"),
        cache_write_tokens=nested_count(usage, "prompt_tokens_details", "cache_write_tokens"),
    )
