"""A Gemini request's `contents` as JSON; what an earlier request on the branch made of its beginning is not written anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import orjson

from agents.engine.context.cached_context import question_index
from agents.engine.messages import Entry, ModelRequest
from agents.providers.google.contents import content_start, iter_contents
from tenants.json_encoding import json_bytes

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
