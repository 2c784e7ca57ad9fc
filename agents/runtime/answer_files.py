"""Files that a model makes: stored as soon as they are there, so that the engine and the conversation know them by their id."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import structlog

from agents.engine.cancellation import finish_before_cancel
from agents.engine.messages import AnswerFile, ModelResponse
from files.models import File as StoredFile
from tenants.errors import ParleyError

log = structlog.get_logger(__name__)

MAX_RUN_FILES = 20
TOO_MANY = f"An answer can have at most {MAX_RUN_FILES} files; one more was left out."
NOT_STORED_TEXT = "A file of this answer could not be kept."
STORING_FAILED_TEXT = f"{NOT_STORED_TEXT} Storing it failed."


class FileStore(Protocol):
    """Where the bytes go (files.generated_files.AnswerFiles)."""

    async def keep(self, content_base64: str, stem: str) -> StoredFile:
        """Raises ParleyError, in words, for what can't be kept."""
        ...


@dataclass(slots=True)
class RunAnswerFiles:
    """Stores the files of one run's answers, sub-agents' too, and numbers them."""

    keeper: FileStore
    _count: int = field(default=0)

    async def kept(self, file: AnswerFile) -> AnswerFile:
        """The file with its id, or with the reason why there is none. A stop waits for it: bytes without a row would stay for ever."""
        if not file.unsaved_base64:
            return replace(file, problem=file.problem or NOT_STORED_TEXT)
        self._count += 1
        if self._count > MAX_RUN_FILES:
            return replace(file, unsaved_base64="", problem=TOO_MANY)
        return await finish_before_cancel(self._kept(file, "image" if self._count == 1 else f"image-{self._count}"))

    async def _kept(self, file: AnswerFile, stem: str) -> AnswerFile:
        try:
            stored = await self.keeper.keep(file.unsaved_base64, stem)
        except ParleyError as error:
            log.warning("answer_file_refused", code=error.code, media_type=file.media_type)
            return replace(file, unsaved_base64="", problem=f"{NOT_STORED_TEXT} {error.message}")
        except Exception:  # a storage has faults of its own; the text of the answer is worth more than its picture
            log.exception("answer_file_lost")
            return replace(file, unsaved_base64="", problem=STORING_FAILED_TEXT)
        return AnswerFile(str(stored.pk), stored.name, stored.media_type, stored.size_bytes, provider_metadata=file.provider_metadata)


@dataclass(slots=True)
class CallFiles:
    """The files of one model call: each is stored once, when it is shown or with the response that it comes with."""

    run: RunAnswerFiles
    _shown: list[AnswerFile] = field(default_factory=list)

    async def shown(self, file: AnswerFile) -> AnswerFile:
        kept = await self.run.kept(file)
        self._shown.append(kept)
        return kept

    async def of_response(self, response: ModelResponse) -> ModelResponse:
        """The response with stored files: those that were shown first, in their order, with what goes back to the provider."""
        if not any(isinstance(entry, AnswerFile) for entry in response.entries):
            return response
        shown = iter(self._shown)
        entries = [await self._stored(entry, next(shown, None)) if isinstance(entry, AnswerFile) else entry for entry in response.entries]
        return replace(response, entries=tuple(entries))

    async def _stored(self, file: AnswerFile, shown: AnswerFile | None) -> AnswerFile:
        return await self.run.kept(file) if shown is None else replace(shown, provider_metadata=file.provider_metadata)
