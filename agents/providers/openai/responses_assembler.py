"""Converts the events of a Responses stream into engine types.

Items of reasoning and of the API's own tools must go back, so they are kept verbatim. Input may be malformed in any way:
docs/engine.md, "Bad input", lists the outcomes.
Source: https://developers.openai.com/api/reference/resources/responses/streaming-events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.errors import AnswerCut, ProviderUnavailable
from agents.messages import AnswerEvent, FinishReason, ModelResponse, Usage
from agents.providers.errors import UNREADABLE
from agents.providers.openai.conversions import nested_count
from agents.providers.openai.entry_drafts import CallDraft, EntryDrafts
from agents.providers.openai.errors import api_error
from agents.providers.openai.hosted_tools import HOSTED_TOOLS, IMAGE_CALL, hosted_call, image_call_to_wire, image_file, is_billed_search

_INCOMPLETE: Mapping[str, FinishReason] = {
    "max_output_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
}
_NEXT_PART = "\n\n"


class ResponsesAssembler:
    """Assembles a stream's events: deltas immediately, the complete response at the end."""

    def __init__(self, provider: str, model: str) -> None:
        self._provider = provider
        self._model = model
        self._drafts = EntryDrafts()
        self._calls: dict[int, CallDraft] = {}
        self._read_items: set[Any] = set()  # indexes of the items that had events of their own
        self._reasoning_id = ""
        self._finish: FinishReason | None = None
        self._usage: Mapping[str, Any] = {}
        self._searches = 0
        self._pictures = 0
        self.model_version = ""

    @property
    def usages(self) -> tuple[Usage, ...]:
        """See Assembler. Only the last event reports it."""
        return (self._usage_with_calls(),)

    def add(self, event: Mapping[str, Any]) -> list[AnswerEvent]:
        """See Assembler. Unknown kinds of events are ignored. Raises ProviderUnavailable for a malformed event."""
        try:
            return self._add(event)
        except (AttributeError, KeyError, TypeError) as error:
            raise ProviderUnavailable(UNREADABLE) from error

    def _add(self, event: Mapping[str, Any]) -> list[AnswerEvent]:
        if "output_index" in event:
            self._read_items.add(event["output_index"])
        match event.get("type"):
            case "response.output_text.delta" | "response.refusal.delta":
                return self._drafts.add_text(event["delta"])
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._drafts.add_reasoning(event["delta"])
            case "response.reasoning_summary_part.added" if event["summary_index"]:
                return self._drafts.add_reasoning(_NEXT_PART)
            case "response.output_item.added":
                self._begin_item(event["output_index"], event["item"])
            case "response.function_call_arguments.delta":
                self._calls[event["output_index"]].pieces.append(event["delta"])
            case "response.output_item.done":
                return self._end_item(event["output_index"], event["item"])
            case "response.created" | "response.completed" | "response.incomplete" | "response.failed":
                return self._apply_response(event["response"])
            case None if event.get("object") == "response":  # a server that does not stream
                return self._apply_response(event)
        return []

    def _begin_item(self, index: int, item: Mapping[str, Any]) -> None:
        if item["type"] == "function_call":
            self._calls[index] = self._drafts.begin_call()
            self._name_call(index, item)

    def _end_item(self, index: int, item: Mapping[str, Any]) -> list[AnswerEvent]:
        match item["type"]:
            case "function_call":
                self._name_call(index, item)
                self._calls[index].pieces = [item.get("arguments") or ""]
            case "message":
                self._mark_message(item)
                return self._drafts.add_sources()
            case kind if kind in HOSTED_TOOLS:
                self._searches += is_billed_search(item)
                return self._drafts.add_hosted(hosted_call(item), item, self._reasoning_id)
            case kind if kind == IMAGE_CALL:
                self._pictures += bool(item.get("result"))  # another model draws it, in no count of this one's tokens
                return self._drafts.add_file(image_file(item), image_call_to_wire(item), self._reasoning_id)
            case kind:
                self._reasoning_id = item["id"] if kind == "reasoning" else self._reasoning_id
                self._drafts.keep(item)
        return []

    def _name_call(self, index: int, item: Mapping[str, Any]) -> None:
        call = self._calls.get(index) or self._calls.setdefault(index, self._drafts.begin_call())
        call.id, call.name = str(item.get("call_id") or ""), str(item.get("name") or "")

    def _mark_message(self, item: Mapping[str, Any]) -> None:
        if item.get("phase"):
            self._drafts.mark_text(phase=item["phase"])
        for part in item.get("content") or []:
            self._drafts.cite(part.get("annotations"))
            if part["type"] == "refusal":
                self._drafts.mark_text(refusal=True)

    def _apply_response(self, response: Mapping[str, Any]) -> list[AnswerEvent]:
        self.model_version = str(response.get("model") or self.model_version)
        self._usage = response.get("usage") or self._usage
        match response.get("status"):
            case "failed":
                raise api_error(None, response.get("error"), {})
            case "completed":
                self._finish = FinishReason.STOP
            case "incomplete":
                reason = (response.get("incomplete_details") or {}).get("reason")
                self._finish = _INCOMPLETE.get(str(reason), FinishReason.OTHER)
        return self._read_output(response.get("output") or []) if self._finish else []

    def _read_output(self, output: list[Mapping[str, Any]]) -> list[AnswerEvent]:
        """Read the items of a finished response that had no events: some gateways send them only here."""
        unread = [(index, item) for index, item in enumerate(output) if index not in self._read_items]
        return [event for index, item in unread for event in (*self._item_text(item), *self._end_item(index, item))]

    def _item_text(self, item: Mapping[str, Any]) -> list[AnswerEvent]:
        match item["type"]:
            case "message":
                return [event for part in item["content"] for event in self._drafts.add_text(part.get("text") or part.get("refusal") or "")]
            case "reasoning":
                return self._drafts.add_reasoning(_NEXT_PART.join(part["text"] for part in item.get("summary") or []))
        return []

    def response(self) -> ModelResponse:
        """See Assembler."""
        if self._finish is None:
            raise AnswerCut("The answer was cut off.")
        problem = self._drafts.problem(is_cut=self._finish is FinishReason.LENGTH)
        return ModelResponse(
            self._drafts.entries(self._provider, self._model, with_calls=not problem),
            FinishReason.OTHER if problem else self._reason(self._finish),
            self._usage_with_calls(),
            self.model_version,
            malformed_call=problem,
        )

    def _usage_with_calls(self) -> Usage:
        """Return what the provider counts, and the calls of its own tools, which it bills apart."""
        return replace(usage_of(self._usage), searches=self._searches, pictures=self._pictures)

    def _reason(self, finish: FinishReason) -> FinishReason:
        return FinishReason.TOOL_CALLS if self._drafts.contains_calls and finish is FinishReason.STOP else finish


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Convert `response.usage`, whose output tokens include thinking."""
    thinking = nested_count(usage, "output_tokens_details", "reasoning_tokens")
    return Usage(
        input_tokens=nested_count(usage, "input_tokens"),
        output_tokens=max(0, nested_count(usage, "output_tokens") - thinking),
        thinking_tokens=thinking,
        cached_tokens=nested_count(usage, "input_tokens_details", "cached_tokens"),
        cache_write_tokens=nested_count(usage, "input_tokens_details", "cache_write_tokens"),
    )
