"""From a conversation's entries to what the model is sent, mechanically (SPEC 3.1): nothing is reworded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.engine.messages import (
    ArtifactReference,
    AssistantText,
    Entry,
    Notice,
    Reasoning,
    ResponseEntry,
    ToolCall,
    ToolResult,
    UserMessage,
)

NO_RESULT = "No result was recorded for this call."


def model_context(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries that a model is sent, oldest first: all but notices and artifact references.

    The results of a step's calls follow them directly, in call order, as every provider wants it; a call that never got a result
    (its run was stopped) gets NO_RESULT.
    """
    sent = [entry for entry in entries if not isinstance(entry, (Notice, ArtifactReference))]
    results = {entry.call_id: entry for entry in sent if isinstance(entry, ToolResult)}
    context: list[Entry] = []
    waiting: list[ToolCall] = []
    for entry in sent:
        if waiting and not isinstance(entry, (AssistantText, Reasoning, ToolCall)):
            context += [_result(call, results) for call in waiting]
            waiting.clear()
        if isinstance(entry, ToolCall):
            waiting.append(entry)
        if not isinstance(entry, ToolResult):
            context.append(entry)
    context += [_result(call, results) for call in waiting]
    return tuple(context)


def _result(call: ToolCall, results: dict[str, ToolResult]) -> ToolResult:
    return results.get(call.id) or ToolResult(call.id, call.name, NO_RESULT, is_error=True)


def open_calls(entries: Sequence[Entry]) -> tuple[ToolCall, ...]:
    """The calls since the last user message that have no result yet, in order: what a run that was taken over has to settle."""
    calls: list[ToolCall] = []
    answered: set[str] = set()
    for entry in reversed(entries):
        match entry:
            case UserMessage():
                break
            case ToolResult():
                answered.add(entry.call_id)
            case ToolCall() if entry.id not in answered:
                calls.append(entry)
    return tuple(reversed(calls))


def with_unique_call_ids(response: Iterable[ResponseEntry], entries: Iterable[Entry]) -> tuple[ResponseEntry, ...]:
    """`response` with call ids that occur nowhere in `entries`: some providers number calls per answer, some name none."""
    taken = {entry.id for entry in entries if isinstance(entry, ToolCall)}
    unique: list[ResponseEntry] = []
    for entry in response:
        renamed = replace(entry, id=_free_id(entry.id or "call", taken)) if isinstance(entry, ToolCall) else entry
        if isinstance(renamed, ToolCall):
            taken.add(renamed.id)
        unique.append(renamed)
    return tuple(unique)


def _free_id(wanted: str, taken: set[str]) -> str:
    candidate, number = wanted, 1
    while candidate in taken:
        number += 1
        candidate = f"{wanted}-{number}"
    return candidate
