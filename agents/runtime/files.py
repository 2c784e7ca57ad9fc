"""Files in model calls (SPEC 6.5): attachments that a model is sent as they are, and files that a model generates.

Attachments are read once per run; all other files reach the model as text. Generated files are stored as soon as they
arrive, so that the engine and the conversation refer to them by id. Files never change, so a logged call can be rebuilt
with the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Protocol

import structlog

from agents.engine.lifecycle import finish_before_cancel
from agents.messages import AnswerFile, File, ModelEvent, ModelRequest, ModelResponse, ModelSettings, NativeFileKind
from files.models import File as StoredFile
from tenants.errors import ParleyError

log = structlog.get_logger(__name__)

MAX_RUN_FILES = 20
TOO_MANY = f"An answer can have at most {MAX_RUN_FILES} files; one more was left out."
NOT_STORED_TEXT = "A file of this answer could not be kept."
STORING_FAILED_TEXT = f"{NOT_STORED_TEXT} Storing it failed."
_FILES = frozenset({File, AnswerFile})
MAX_CALL_BYTES = 22 * 1024 * 1024  # files of one request: base64 adds a third, and Claude accepts requests of up to 32 MB


class FileStore(Protocol):
    """Where generated files are stored (files.generated_files.AnswerFiles)."""

    async def keep(self, content_base64: str, stem: str) -> StoredFile:
        """Store a file. Raises ParleyError, with a message for the user, when it can't be stored."""
        ...


@dataclass(slots=True)
class RunAnswerFiles:
    """Stores and numbers the files of one run's answers, including those of sub-agents."""

    keeper: FileStore
    _count: int = field(default=0)

    async def store(self, file: AnswerFile) -> AnswerFile:
        """Return the file with its id, or with the reason why it was not stored.

        A cancellation waits until the file is stored: bytes without a database row would never be deleted.
        """
        if not file.unsaved_base64:
            return replace(file, problem=file.problem or NOT_STORED_TEXT)
        self._count += 1
        if self._count > MAX_RUN_FILES:
            return replace(file, unsaved_base64="", problem=TOO_MANY)
        return await finish_before_cancel(self._store(file, "image" if self._count == 1 else f"image-{self._count}"))

    async def _store(self, file: AnswerFile, stem: str) -> AnswerFile:
        try:
            row = await self.keeper.keep(file.unsaved_base64, stem)
        except ParleyError as error:
            log.warning("answer_file_refused", code=error.code, media_type=file.media_type)
            return replace(file, unsaved_base64="", problem=f"{NOT_STORED_TEXT} {error.message}")
        except Exception:  # whatever fails in the storage, losing a picture must not lose the answer's text
            log.exception("answer_file_lost")
            return replace(file, unsaved_base64="", problem=STORING_FAILED_TEXT)
        return AnswerFile(str(row.pk), row.name, row.media_type, row.size_bytes, provider_metadata=file.provider_metadata)


@dataclass(slots=True)
class CallFiles:
    """The files of one model call. Each is stored once: when it is shown, or with the response if it was not shown before."""

    run: RunAnswerFiles
    _stored_files: list[AnswerFile] = field(default_factory=list)

    async def store(self, event: ModelEvent) -> ModelEvent:
        """Return the event with its files stored."""
        match event:
            case AnswerFile():
                self._stored_files.append(file := await self.run.store(event))
                return file
            case ModelResponse():
                return await self._of_response(event)
            case _:
                return event

    async def _of_response(self, response: ModelResponse) -> ModelResponse:
        """Return the response with stored files.

        Its files correspond, in order, to those already shown; further ones are stored now. Provider metadata is taken
        from the response.
        """
        if not any(isinstance(entry, AnswerFile) for entry in response.entries):
            return response
        stored_files = iter(self._stored_files)
        entries = [
            await self._with_metadata(entry, next(stored_files, None)) if isinstance(entry, AnswerFile) else entry
            for entry in response.entries
        ]
        return replace(response, entries=tuple(entries))

    async def _with_metadata(self, file: AnswerFile, stored_file: AnswerFile | None) -> AnswerFile:
        return await self.run.store(file) if stored_file is None else replace(stored_file, provider_metadata=file.provider_metadata)


class FileContents(Protocol):
    """Where the contents of attached files are read from (files.selectors.ConversationFiles)."""

    async def read(self, file_ids: Collection[str]) -> Mapping[str, bytes]:
        """Return the contents by id, without those that do not exist."""
        ...


def native_kind(media_type: str) -> NativeFileKind | None:
    """Return the kind of file that a model must accept to get it as it is; None when it is sent as text."""
    if media_type == "application/pdf":
        return "pdf"
    return "image" if media_type.startswith("image/") else None


def native_file_ids(request: ModelRequest) -> tuple[str, ...]:
    """Return the ids of the request's files that its model accepts as they are, newest first, as many as fit in bytes and pages."""
    if _FILES.isdisjoint(map(type, request.entries)):  # the most common case
        return ()
    file_ids: list[str] = []
    free_bytes, free_pages = MAX_CALL_BYTES, request.settings.max_native_pages or inf
    for entry in reversed(request.entries):
        if not isinstance(entry, File | AnswerFile) or not _is_native(entry, request.settings) or entry.id in file_ids:
            continue
        pages = entry.pages or 1 if isinstance(entry, File) else 1
        if entry.size_bytes <= free_bytes and pages <= free_pages:
            file_ids.append(entry.id)
            free_bytes, free_pages = free_bytes - entry.size_bytes, free_pages - pages
    return tuple(file_ids)


def _is_native(file: File | AnswerFile, settings: ModelSettings) -> bool:
    """Return whether the model accepts the file as it is. Providers refuse a PDF file that is broken or encrypted, with the whole request."""
    is_unreadable = isinstance(file, File) and file.pages == 0
    return bool(file.id) and not is_unreadable and native_kind(file.media_type) in settings.native_files


@dataclass(slots=True)
class RunAttachments:
    """The file contents that a run's calls send; each file is read once."""

    contents: FileContents
    _bytes_by_id: dict[str, bytes] = field(default_factory=dict)

    async def attach(self, request: ModelRequest) -> ModelRequest:
        """Return the request with the files that its model takes. A file whose content is lost is sent as text."""
        if not request.settings.native_files:
            return request
        file_ids = native_file_ids(request)
        if missing := [file_id for file_id in file_ids if file_id not in self._bytes_by_id]:
            self._bytes_by_id |= await self.contents.read(missing)
        return replace(request, attachments={file_id: self._bytes_by_id[file_id] for file_id in file_ids if file_id in self._bytes_by_id})
