"""What may be wrong with an answer after its owners died: rows, effects, requests to the model and what viewers see."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agents.engine.open_calls import INTERRUPTED, OUTCOME_UNKNOWN
from agents.entry_codec import entry_encode
from agents.messages import (
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    Entry,
    Notice,
    Reasoning,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from artifacts.models import Version
from chat.entries import StoredEntry
from chat.models import Message, ModelCall, OpenText, Part, Run
from chat.storage.run_loading import stored_entry
from chat.stream.chunks import message_parts
from doubles.script import ReceivedRequest
from tests.system.crash.points import OUTCOME_KNOWN, Point
from tests.system.crash.tools import LOOK_UP, PAY, SEND, SEND_RESULT, look_up_result
from tests.system.crash_scenes import DOCUMENT, Scene, words
from tests.system.shown_message import Chunk, shown_parts

EntryLine = tuple[int, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """All that a trial left behind.

    `message`: the id of the one that was sent into the run, or "". `log`: the event log's chunks, or None when the log has no end;
    `viewed`: what a viewer gets now.
    """

    scene: Scene
    message: str
    died_at: Sequence[Point]
    runs: Sequence[Run]
    roles: Sequence[str]
    parts: Sequence[Part]
    usage: Usage
    versions: Sequence[Version]
    open_texts: int
    letters: Sequence[tuple[str, str]]
    requests: Sequence[ReceivedRequest]
    log: Sequence[Chunk] | None
    viewed: Sequence[Chunk]


def rows_of(conversation_id: UUID) -> dict[str, Any]:
    """What the organization's tables have of the conversation, as fields of an Ending."""
    runs = list(Run.objects.filter(conversation_id=conversation_id))
    usages = ModelCall.objects.filter(run__in=runs).values_list("usage", flat=True)
    return {
        "runs": runs,
        "roles": list(Message.objects.filter(conversation_id=conversation_id).order_by("created_at").values_list("role", flat=True)),
        "parts": list(Part.objects.filter(message__conversation_id=conversation_id, message__role="assistant").order_by("position")),
        "usage": sum((Usage(**usage) for usage in usages), Usage()),
        "open_texts": OpenText.objects.filter(run__in=runs).count(),
        "versions": list(Version.objects.filter(artifact__conversation_id=conversation_id)),
    }


def problems_of(ending: Ending) -> Iterator[str]:
    entries = [stored_entry(part) for part in ending.parts]
    yield from _run_problems(ending)
    yield from _entry_problems(ending, entries)
    yield from _outcome_problems(ending, [entry.entry for entry in entries])
    yield from _document_problems(ending)
    yield from _request_problems(ending, [entry.entry for entry in entries])
    yield from _view_problems(ending, message_parts(entries))


def _run_problems(ending: Ending) -> Iterator[str]:
    if ending.roles != ["user", "assistant"]:
        yield f"messages: {ending.roles}"
    for run in ending.runs:
        if (run.status, run.error_code, run.lease_owner) != (Run.Status.DONE, "", ""):
            yield f"run: {run.status} {run.error_code} {run.lease_owner}"
        if Usage(**run.usage) != ending.usage:
            yield f"usage: {run.usage}, by its calls {ending.usage}"
    if ending.open_texts:
        yield f"{ending.open_texts} rows of open text"
    if len(ending.runs) != 1:
        yield f"{len(ending.runs)} runs"


def _entry_problems(ending: Ending, entries: Sequence[StoredEntry]) -> Iterator[str]:
    """Nothing lost, nothing doubled, all in the order of an answer that nothing interrupted."""
    positions = [part.position for part in ending.parts]
    if positions != list(range(len(positions))):
        yield f"positions: {positions}"
    labels = {entry.entry.id: _label(entry.entry) for entry in entries if isinstance(entry.entry, ToolCall)}
    lines = [(entry.step, entry_encode(entry.entry)[0], _entry_text(entry.entry, labels)) for entry in entries]
    if lines not in _expected_lines(ending, lines):
        yield f"entries: {lines}"


def _expected_lines(ending: Ending, lines: list[EntryLine]) -> Iterator[list[EntryLine]]:
    """What may be stored: the scene's story, with the message somewhere in it. One that came after the answer is answered too."""
    expected_lines = ending.scene.expected_lines()
    if not ending.message:
        yield expected_lines
        return
    place = next((place for place, (_, kind, _) in enumerate(lines) if kind == "user_message"), len(expected_lines))
    more = ending.scene.answer(expected_lines[-1][0] + 1) if place >= len(expected_lines) else []
    message_line = (lines[place][0] if place < len(lines) else 0, "user_message", ending.message)
    yield [*expected_lines[:place], message_line, *expected_lines[place:], *more]


def _label(call: ToolCall) -> str:
    return str(call.arguments.get("what") or call.arguments.get("title"))


def _entry_text(entry: Entry, labels: Mapping[str, str]) -> str:
    match entry:
        case AssistantText() | Reasoning():
            return entry.text
        case ToolCall():
            return labels[entry.id]
        case UserMessage():
            return entry.id
        case Notice():
            return entry.code
        case ToolResult() | ArtifactReference() | ApprovalRequest() | ApprovalResponse():
            return labels.get(entry.call_id, f"no call {entry.call_id}")
        case _:
            return repr(entry)


def _outcome_problems(ending: Ending, entries: Sequence[Entry]) -> Iterator[str]:
    """Each result is true, and no letter was sent twice or by a call that nobody knows."""
    calls = {entry.id: entry for entry in entries if isinstance(entry, ToolCall)}
    letter_counts = Counter(ending.letters)
    for entry in entries:
        if isinstance(entry, ToolResult) and (call := calls.get(entry.call_id)) is not None:
            times = letter_counts.pop((call.id, _label(call)), 0)
            if not _is_true(entry, call, times, _unknown_outcomes(ending, call)):
                yield f"{call.name} {_label(call)}: {entry.output!r}, letters: {times}"
    if letter_counts:
        yield f"letters of unknown calls: {letter_counts}"


def _unknown_outcomes(ending: Ending, call: ToolCall) -> Sequence[str]:
    """How the call's result may say that its outcome is unknown."""
    if ending.message:
        return OUTCOME_UNKNOWN, INTERRUPTED
    return (OUTCOME_UNKNOWN,) if call.name in (SEND, PAY) and not OUTCOME_KNOWN.issuperset(ending.died_at) else ()


def _is_true(result: ToolResult, call: ToolCall, letters: int, unknown: Sequence[str]) -> bool:
    if result.is_error:
        return result.output in unknown and letters <= 1
    if call.name == LOOK_UP:
        return bool(result.output == look_up_result(_label(call)))
    if call.name in (SEND, PAY):
        return bool(result.output == SEND_RESULT) and letters == 1
    return bool(result.output["version"] == 1)


def _document_problems(ending: Ending) -> Iterator[str]:
    document_count = sum(step.count(DOCUMENT) for step in ending.scene.steps)
    versions = [(version.number, version.is_draft, version.content) for version in ending.versions]
    if versions != [(1, False, words(ending.scene.topic))] * document_count:
        yield f"documents: {versions}"


def _request_problems(ending: Ending, entries: Sequence[Entry]) -> Iterator[str]:
    """The model was sent each call with one result, and was told when it can't be known."""
    for request in ending.requests:
        parts = [part for content in request.body["contents"] for part in content["parts"]]
        calls = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
        results = [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
        if request.refusal or sorted(calls) != sorted(results) or len({*calls}) < len(calls):
            yield f"request {request.number}: {request.refusal}, calls {calls}, results {results}"
    unknown = sum(isinstance(entry, ToolResult) and entry.output == OUTCOME_UNKNOWN for entry in entries)
    chat = [request for request in ending.requests if request.tool_names]
    if not ending.scene.has_no_answer and json.dumps(chat[-1].body["contents"]).count(OUTCOME_UNKNOWN) != unknown:
        yield f"the model was not told of {unknown} unknown outcomes"


def _view_problems(ending: Ending, expected_parts: list[dict[str, Any]]) -> Iterator[str]:
    if ending.log is None and Point.END_STORED not in ending.died_at:
        yield "the event log has no end"
    for name, chunks in (("log", ending.log), ("viewer", ending.viewed)):
        if chunks is not None:
            yield from (f"{name}: {problem}" for problem in _stream_problems(chunks, expected_parts))


def _stream_problems(chunks: Sequence[Chunk], expected_parts: list[dict[str, Any]]) -> Iterator[str]:
    kinds = [chunk["type"] for chunk in chunks]
    if kinds[:1] != ["start"] or kinds[-1:] != ["finish"] or kinds.count("start") + kinds.count("finish") != 2:
        yield f"chunks {kinds}"
    try:
        screen_parts = shown_parts(chunks)
    except KeyError as error:
        yield f"a chunk names {error}, which is not there: {chunks}"
        return
    if screen_parts != expected_parts:
        yield f"shows {screen_parts}, stored is {expected_parts}"
