"""Files that a model makes: stored as soon as they are there, so that the engine and the conversation know them by their id."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import structlog

from agents.engine.messages import AnswerFile, ModelResponse
from agents.engine.tasks import uninterrupted
from files.models import File as StoredFile
from tenants.errors import ParleyError

log = structlog.get_logger(__name__)

RUN_FILES_MAX = 20
TOO_MANY = f"An answer can have at most {RUN_FILES_MAX} files; one more was left out."
NOT_KEPT = "A file of this answer could not be kept."
NOT_STORED = f"{NOT_KEPT} Storing it failed."


class FileKeeper(Protocol):
    """Where the bytes go (files.answer_files.AnswerFiles)."""

    async def keep(self, content_base64: str, stem: str) -> StoredFile:
        """Raises ParleyError, in words, for what can't be kept."""
        ...


@dataclass(slots=True)
class RunAnswerFiles:
    """Stores the files of one run's answers, sub-agents' too, and numbers them."""

    keeper: FileKeeper
    _count: int = field(default=0)

    async def kept(self, file: AnswerFile) -> AnswerFile:
        """The file with its id, or with the reason why there is none. A stop waits for it: bytes without a row would stay for ever."""
        if not file.unsaved:
            return replace(file, problem=file.problem or NOT_KEPT)
        self._count += 1
        if self._count > RUN_FILES_MAX:
            return replace(file, unsaved="", problem=TOO_MANY)
        return await uninterrupted(self._kept(file, "image" if self._count == 1 else f"image-{self._count}"))

    async def _kept(self, file: AnswerFile, stem: str) -> AnswerFile:
        try:
            stored = await self.keeper.keep(file.unsaved, stem)
        except ParleyError as error:
            log.warning("answer_file_refused", code=error.code, media_type=file.media_type)
            return replace(file, unsaved="", problem=f"{NOT_KEPT} {error.message}")
        except Exception:  # a storage has faults of its own; the text of the answer is worth more than its picture
            log.exception("answer_file_lost")
            return replace(file, unsaved="", problem=NOT_STORED)
        return AnswerFile(str(stored.pk), stored.name, stored.media_type, stored.size_bytes, extras=file.extras)


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
        return await self.run.kept(file) if shown is None else replace(shown, extras=file.extras)
