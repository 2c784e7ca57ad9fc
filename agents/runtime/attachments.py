"""Files that a model is given as they are (SPEC 6.5): which ones, and their bytes, read once a run. Those that it makes are stored.

All others reach it as text. Files never change, so a call in the log is rebuilt with the same bytes.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol

from agents.engine.messages import AnswerFile, File, ModelEvent, ModelRequest, ModelResponse, NativeFileKind, TextDelta
from agents.engine.ports import LanguageModel
from agents.runtime.answer_files import CallFiles, RunAnswerFiles

_FILES = frozenset({File, AnswerFile})
MAX_CALL_BYTES = 22 * 1024 * 1024  # of one request: base64 adds a third, and Claude takes 32 MB with all that is said


class FileContents(Protocol):
    """Where the bytes are (files.selectors.ConversationFiles)."""

    async def read(self, file_ids: Collection[str]) -> Mapping[str, bytes]:
        """By id, without those that there are none of."""
        ...


def native_kind(media_type: str) -> NativeFileKind | None:
    """What a provider would have to take it as; None: it goes as text."""
    if media_type == "application/pdf":
        return "pdf"
    return "image" if media_type.startswith("image/") else None


def native_file_ids(request: ModelRequest) -> tuple[str, ...]:
    """The request's files that its model takes as they are, newest first, as many as fit together."""
    if _FILES.isdisjoint(map(type, request.entries)):  # as in most conversations
        return ()
    chosen: dict[str, int] = {}
    for entry in reversed(request.entries):
        if not isinstance(entry, File | AnswerFile) or not entry.id or native_kind(entry.media_type) not in request.settings.native_files:
            continue
        if sum(chosen.values()) + entry.size_bytes <= MAX_CALL_BYTES:
            chosen.setdefault(entry.id, entry.size_bytes)
    return tuple(chosen)


@dataclass(slots=True)
class RunAttachments:
    """The bytes that a run's calls carry; each file is read once."""

    contents: FileContents
    _bytes_by_id: dict[str, bytes] = field(default_factory=dict)

    async def of(self, request: ModelRequest) -> dict[str, bytes]:
        """`attachments` of the request. A file whose bytes are lost is left to its text."""
        wanted = native_file_ids(request)
        if missing := [file_id for file_id in wanted if file_id not in self._bytes_by_id]:
            self._bytes_by_id |= await self.contents.read(missing)
        return {file_id: self._bytes_by_id[file_id] for file_id in wanted if file_id in self._bytes_by_id}


@dataclass(frozen=True, slots=True)
class FileAttachingModel:
    """Wraps a model: its requests carry the files that it takes as they are, and the files that it makes come out stored, unless there is no place for them."""

    model: LanguageModel
    attachments: RunAttachments
    answer_file_store: RunAnswerFiles | None = None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        if request.settings.native_files:
            request = replace(request, attachments=await self.attachments.of(request))
        files = CallFiles(self.answer_file_store) if self.answer_file_store else None
        async with aclosing(self.model.stream(request)) as events:
            async for event in events:
                if files is None or isinstance(event, TextDelta):
                    yield event
                elif isinstance(event, AnswerFile):
                    yield await files.shown(event)
                else:
                    yield await files.of_response(event) if isinstance(event, ModelResponse) else event
