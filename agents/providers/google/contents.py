"""Converts conversation entries into the `contents` of a Gemini request, and these into JSON.

Parts that came from the API go back verbatim. The JSON of a branch's beginning is cached, so that later requests do not write it again.
Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/function-calling,
https://ai.google.dev/gemini-api/docs/thought-signatures.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, assert_never

import orjson

from agents.messages import (
    AnswerFile,
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ClientData,
    ClientOutput,
    ClientRequest,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    ModelRequest,
    Notice,
    NoToolCallRetry,
    ProviderMetadata,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)
from agents.messages.prefix_cache import question_index
from agents.providers.entry_tags import entry_as_tag
from agents.providers.google.model_traits import requires_thought_signature
from agents.providers.native_files import sent_type, with_model_files_as_files
from tenants.json_encoding import json_bytes

NATIVE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf"})
# What Google documents for calls without a valid signature: another model or another key made them.
SKIP_SIGNATURE = "skip_thought_signature_validator"
NO_FILES: Mapping[str, bytes] = {}

Part = dict[str, Any]
ContentSide = Literal["user", "model", "results"]
_SIDE_BY_TYPE: Mapping[type[Entry], ContentSide] = {
    **dict.fromkeys((AssistantText, Reasoning, ToolCall, ProviderToolCall, AnswerFile), "model"),
    ToolResult: "results",
}  # all other entries belong to the user
CONTENTS_PER_CHUNK = 200  # small batches are freed before they fill the CPU caches and trigger the garbage collector
_CONTENTS = "google contents"


def build_contents(
    entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes] = NO_FILES
) -> list[dict[str, Any]]:
    """Return the contents. Consecutive entries of one side share a content; the results of a step's calls have their own.

    Reasoning goes back only with its signature: a bare summary is for people. Entries outside the context do not split a content,
    because the API refuses two model contents in a row. `attachments`: see ModelRequest.
    """
    return list(iter_contents(entries, provider, model, attachments))


def iter_contents(entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """Yield the contents of `build_contents` one by one."""
    signs = requires_thought_signature(model)
    parts: list[Part] = []
    side: ContentSide = "user"
    for entry in with_model_files_as_files(entries, provider, model, attachments, takes_back_own_files=True):
        if not (entry_parts := _parts(entry, provider, model, attachments)):
            continue
        turn = _SIDE_BY_TYPE.get(type(entry), "user")
        if turn != side and parts:
            yield _content(side, parts, signs)
            parts = []
        side = turn
        parts += entry_parts
    if parts:
        yield _content(side, parts, signs)


def _content(turn: ContentSide, parts: list[Part], signs: bool) -> dict[str, Any]:
    if turn == "model":
        return {"role": "model", "parts": _sign_first_call(parts) if signs else parts}
    return {"role": "user", "parts": parts}


def _sign_first_call(parts: list[Part]) -> list[Part]:
    """Return a step's parts, with a signature on the first call."""
    first = next((place for place, part in enumerate(parts) if "functionCall" in part), None)
    if first is None or "thoughtSignature" in parts[first]:
        return parts
    return [*parts[:first], {**parts[first], "thoughtSignature": SKIP_SIGNATURE}, *parts[first + 1 :]]


def content_start(entries: Sequence[Entry], place: int, provider: str, model: str) -> tuple[int, int]:
    """Find the content that will hold the user message at `place`, in a request without attachments.

    Return the index at which that content begins, and the index of the first entry that is certainly in it; (0, 0) also for a message
    without text, which belongs to no content.
    """
    if not _parts(entries[place], provider, model, NO_FILES):
        return 0, 0
    first = place
    while place:
        says_something = bool(_parts(entries[place - 1], provider, model, NO_FILES))
        if says_something and type(entries[place - 1]) in _SIDE_BY_TYPE:
            break
        place -= 1
        first = place if says_something else first
    return place, first


def _parts(entry: Entry, provider: str, model: str, attachments: Mapping[str, bytes]) -> list[Part]:
    match entry:
        case UserMessage(text=text):
            return [{"text": text}] if text else []
        case AssistantText(text=text):
            return _verbatim(entry.provider_metadata, provider, model) or ([{"text": text}] if text else [])
        case Reasoning() | ProviderToolCall():
            return _verbatim(entry.provider_metadata, provider, model)
        case AnswerFile(id=file_id):  # without its bytes it is sent as a File, see with_model_files_as_files
            return [
                _with_bytes(part, attachments[file_id])
                for part in _verbatim(entry.provider_metadata, provider, model)
                if file_id in attachments
            ]
        case ToolCall(id=call_id, name=name, arguments=arguments):
            parts = _verbatim(entry.provider_metadata, provider, model) or [{"functionCall": {"name": name, "args": dict(arguments)}}]
            return [_with_call_id(part, call_id) for part in parts]
        case ToolResult(call_id=call_id, name=name, output=output, is_error=is_error):
            return [{"functionResponse": {"id": call_id, "name": name, "response": {"error" if is_error else "output": output}}}]
        case File(id=file_id) if attachments.get(file_id) and sent_type(entry) in NATIVE_TYPES:
            return _native(entry, attachments[file_id])
        case File() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return [{"text": entry_as_tag(entry)}]
        case (
            ArtifactReference()
            | WorkflowStep()
            | ApprovalRequest()
            | ApprovalResponse()
            | ClientRequest()
            | ClientOutput()
            | ClientData()
            | Source()
            | Notice()
            | SubAgentEntry()
        ):
            return []
        case _:
            assert_never(entry)


def _native(file: File, data: bytes) -> list[Part]:
    """Return the file's bytes after a label with its name, because this wire has no field for the name."""
    label = entry_as_tag(replace(file, text="The file follows."))
    return [{"text": label}, {"inlineData": {"mimeType": sent_type(file), "data": b64encode(data).decode()}}]


def _verbatim(provider_metadata: ProviderMetadata | None, provider: str, model: str) -> list[Part]:
    """Return the parts unchanged; none when another model made them, for which they are useless or an error."""
    if provider_metadata is None or (provider_metadata.get("provider"), provider_metadata.get("model")) != (provider, model):
        return []
    return list(provider_metadata["parts"])


def _with_bytes(part: Part, data: bytes) -> Part:
    """Restore the part as the API sent it; its bytes are stored in the file only."""
    return {**part, "inlineData": {**part["inlineData"], "data": b64encode(data).decode()}} if "inlineData" in part else part


def _with_call_id(part: Part, call_id: str) -> Part:
    """Set the call's id: the engine may have renamed the call, and its result refers to the new id."""
    return {**part, "functionCall": {**part["functionCall"], "id": call_id}} if "functionCall" in part else part


@dataclass(frozen=True, slots=True)
class _SerializedContents:
    """The JSON of the complete contents of the first `length` entries, for one provider and model; each piece ends with a comma."""

    provider: str
    model: str
    length: int
    pieces: tuple[bytes, ...]


def contents_json(request: ModelRequest, provider: str) -> Sequence[bytes]:
    """Return the request's contents as the pieces of a JSON array. It may be megabytes long, so it is joined only in the request's body."""
    prefix_length, cached_pieces = _cached_prefix(request, provider)
    pieces = (*cached_pieces, *_serialize_chunks(request, provider, request.entries[prefix_length:]))
    return b"[", *pieces[:-1], *(piece[:-1] for piece in pieces[-1:]), b"]"


def _cached_prefix(request: ModelRequest, provider: str) -> tuple[int, tuple[bytes, ...]]:
    """Return how many entries precede the run's question in complete contents, and their JSON pieces.

    Requests with attachments are not cached: native files are megabytes large.
    """
    if request.attachments:
        return 0, ()
    cached_contents: _SerializedContents | None = request.prefix_cache.find(_CONTENTS, request.entries)
    prefix_length, pieces = 0, tuple[bytes, ...]()
    if cached_contents is not None and (cached_contents.provider, cached_contents.model) == (provider, request.model):
        prefix_length, pieces = cached_contents.length, cached_contents.pieces
    place, first = _question_start(request, provider)
    if place > prefix_length:
        pieces = (*pieces, *_serialize_chunks(request, provider, request.entries[prefix_length:place]))
        # Cached up to the entry that begins a new content: an entry that follows an empty one may still belong to the content before.
        request.prefix_cache.keep(_CONTENTS, request.entries[: first + 1], _SerializedContents(provider, request.model, place, pieces))
        prefix_length = place
    return prefix_length, pieces


def _question_start(request: ModelRequest, provider: str) -> tuple[int, int]:
    """Return where the content with the run's question begins (`content_start`); everything before it is in complete contents."""
    entries = request.entries
    return content_start(entries, question_index(entries), provider, request.model) if entries else (0, 0)


def _serialize_chunks(request: ModelRequest, provider: str, entries: Sequence[Entry]) -> Iterator[bytes]:
    contents = iter_contents(entries, provider, request.model, request.attachments)
    while together := list(islice(contents, CONTENTS_PER_CHUNK)):
        yield _serialize(together)


def _serialize(contents: Sequence[object]) -> bytes:
    """Return the contents as JSON, each followed by a comma."""
    try:
        return orjson.dumps(contents)[1:-1] + b","
    except TypeError:  # one by one, so that each is written the same regardless of its neighbours
        return b"".join(json_bytes(content) + b"," for content in contents)
