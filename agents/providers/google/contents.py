"""A conversation's entries as the `contents` of a Gemini request. Parts that came from the API go back verbatim.

Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/function-calling,
https://ai.google.dev/gemini-api/docs/thought-signatures.

A Gemini request's `contents` as JSON; what an earlier request on the branch made of its beginning is not written anew.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, assert_never

import orjson

from agents.engine.context.cached_context import question_index
from agents.engine.messages import (
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
from agents.providers.entry_tags import entry_as_tag
from agents.providers.google.model_traits import requires_thought_signature
from agents.providers.native_files import with_model_files_as_files
from tenants.json_encoding import json_bytes

NATIVE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf"})
# What Google documents for calls whose signature is lost: another model made them, or another key.
SKIP_SIGNATURE = "skip_thought_signature_validator"
NO_FILES: Mapping[str, bytes] = {}

Part = dict[str, Any]
ContentSide = Literal["user", "model", "results"]
_SIDE_BY_TYPE: Mapping[type[Entry], ContentSide] = {
    **dict.fromkeys((AssistantText, Reasoning, ToolCall, ProviderToolCall, AnswerFile), "model"),
    ToolResult: "results",
}  # all others are the user's


def build_contents(
    entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes] = NO_FILES
) -> list[dict[str, Any]]:
    """Consecutive entries of one side are one content, the results of a step's calls their own. `attachments`: see ModelRequest.

    Reasoning goes back only with its signatures: a summary alone is for people. Entries that are no part of the context do not part
    what stands around them: two contents of the model in a row would be refused.
    """
    return list(iter_contents(entries, provider, model, attachments))


def iter_contents(entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """The contents of `build_contents`, one by one."""
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
        return {"role": "model", "parts": _signed(parts) if signs else parts}
    return {"role": "user", "parts": parts}


def _signed(parts: list[Part]) -> list[Part]:
    """One step's parts, whose first call carries a signature."""
    first = next((place for place, part in enumerate(parts) if "functionCall" in part), None)
    if first is None or "thoughtSignature" in parts[first]:
        return parts
    return [*parts[:first], {**parts[first], "thoughtSignature": SKIP_SIGNATURE}, *parts[first + 1 :]]


def content_start(entries: Sequence[Entry], place: int, provider: str, model: str) -> tuple[int, int]:
    """Where the content begins that the user's message at `place` goes into, in a request without attachments, and the place of the first
    entry that is in it for certain; (0, 0) also for a message without text, which goes into none.
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
        case AnswerFile(id=file_id):  # without its bytes it goes as a File, see with_model_files_as_files
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
        case File(id=file_id, media_type=media_type) if attachments.get(file_id) and media_type in NATIVE_TYPES:
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
    """The file as it is, after its name, which it has not on this wire."""
    label = entry_as_tag(replace(file, text="The file follows."))
    return [{"text": label}, {"inlineData": {"mimeType": file.media_type, "data": b64encode(data).decode()}}]


def _verbatim(provider_metadata: ProviderMetadata | None, provider: str, model: str) -> list[Part]:
    """The parts as they came; none when another model made them, for which they are no use or an error."""
    if provider_metadata is None or (provider_metadata.get("provider"), provider_metadata.get("model")) != (provider, model):
        return []
    return list(provider_metadata["parts"])


def _with_bytes(part: Part, data: bytes) -> Part:
    """A part as the API gave it: its bytes are the file's, and are kept nowhere else."""
    return {**part, "inlineData": {**part["inlineData"], "data": b64encode(data).decode()}} if "inlineData" in part else part


def _with_call_id(part: Part, call_id: str) -> Part:
    """The engine may have renamed a call; its result names it the same way."""
    return {**part, "functionCall": {**part["functionCall"], "id": call_id}} if "functionCall" in part else part


CONTENTS_PER_CHUNK = (
    200  # contents that are made and written together: what they are made of is gone before it fills the caches and wakes the collector
)

_CONTENTS = "google contents"


@dataclass(frozen=True, slots=True)
class _SerializedContents:
    """Whole contents of the first `length` entries for this provider and model: their JSON in pieces, each ending with a comma."""

    provider: str
    model: str
    length: int
    pieces: tuple[bytes, ...]


def contents_json(request: ModelRequest, provider: str) -> Sequence[bytes]:
    """The pieces of a JSON array, of what `contents_of` gives for the request. A long one is megabytes: it is put together once, in the body."""
    prefix_length, cached = _cached_prefix(request, provider)
    pieces = (*cached, *_serialize_chunks(request, provider, request.entries[prefix_length:]))
    return b"[", *pieces[:-1], *(piece[:-1] for piece in pieces[-1:]), b"]"


def _cached_prefix(request: ModelRequest, provider: str) -> tuple[int, tuple[bytes, ...]]:
    """The contents before the run's question, and of how many entries they are. Files that go as they are are megabytes: not kept."""
    if request.attachments:
        return 0, ()
    kept = request.prefix_cache.find(_CONTENTS, request.entries)
    cached: _SerializedContents | None = kept.piece if kept else None
    prefix_length, pieces = 0, tuple[bytes, ...]()
    if cached is not None and (cached.provider, cached.model) == (provider, request.model):
        prefix_length, pieces = cached.length, cached.pieces
    place, first = _question_start(request, provider)
    if place > prefix_length:
        pieces = (*pieces, *_serialize_chunks(request, provider, request.entries[prefix_length:place]))
        # Up to the entry that begins a content of its own: what follows an entry that says nothing may go on with the content before.
        request.prefix_cache.keep(_CONTENTS, request.entries[: first + 1], _SerializedContents(provider, request.model, place, pieces))
        prefix_length = place
    return prefix_length, pieces


def _question_start(request: ModelRequest, provider: str) -> tuple[int, int]:
    """Where the content with the run's question begins (`content_start`): what is before stands in whole contents."""
    entries = request.entries
    return content_start(entries, question_index(entries), provider, request.model) if entries else (0, 0)


def _serialize_chunks(request: ModelRequest, provider: str, entries: Sequence[Entry]) -> Iterator[bytes]:
    contents = iter_contents(entries, provider, request.model, request.attachments)
    while together := list(islice(contents, CONTENTS_PER_CHUNK)):
        yield _serialize(together)


def _serialize(contents: Sequence[object]) -> bytes:
    """A comma after each."""
    try:
        return orjson.dumps(contents)[1:-1] + b","
    except TypeError:  # one by one, so that each is written the same whatever stands beside it
        return b"".join(json_bytes(content) + b"," for content in contents)
