"""A Gemini request's `contents` as JSON; what an earlier request on the branch made of its beginning is not written anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from agents.engine.messages import Entry, ModelRequest
from agents.engine.remembering import question_place
from agents.providers.google_contents import content_start, contents_of
from agents.providers.prepared import as_json

_CONTENTS = "google contents"


@dataclass(frozen=True, slots=True)
class _Written:
    """Whole contents of the first `length` entries, without the brackets around them, for this provider and model."""

    provider: str
    model: str
    length: int
    contents: bytes


def contents_json(request: ModelRequest, provider: str) -> bytes:
    """A JSON array, of what `contents_of` gives for the request."""
    begun, contents = _beginning(request, provider)
    rest = _json_of(request, provider, request.entries[begun:])
    return b"[" + b",".join(filter(None, (contents, rest))) + b"]"


def _beginning(request: ModelRequest, provider: str) -> tuple[int, bytes]:
    """The contents before the run's question, and of how many entries they are. Files that go as they are are megabytes: not kept."""
    if request.attachments:
        return 0, b""
    kept = request.memo.find(_CONTENTS, request.entries)
    written: _Written | None = kept.piece if kept else None
    if written is not None and (written.provider, written.model) == (provider, request.model):
        begun, contents = written.length, written.contents
    else:
        begun, contents = 0, b""
    place, first = _question_start(request, provider)
    if place > begun:
        contents = b",".join(filter(None, (contents, _json_of(request, provider, request.entries[begun:place]))))
        # Up to the entry that begins a content of its own: what follows an entry that says nothing may go on with the content before.
        request.memo.keep(_CONTENTS, request.entries[: first + 1], _Written(provider, request.model, place, contents))
        begun = place
    return begun, contents


def _question_start(request: ModelRequest, provider: str) -> tuple[int, int]:
    """Where the content with the run's question begins (`content_start`): what is before stands in whole contents."""
    entries = request.entries
    return content_start(entries, question_place(entries), provider, request.model) if entries else (0, 0)


def _json_of(request: ModelRequest, provider: str, entries: Sequence[Entry]) -> bytes:
    """Contents with commas between them."""
    contents = contents_of(entries, provider, request.model, request.attachments)
    try:
        return orjson.dumps(contents)[1:-1]
    except TypeError:  # one by one, so that each is written the same whatever stands beside it
        return b",".join(map(as_json, contents))
