"""Reads of files.

Users' requests reach a file by its id only through `file_get_for_member`; foreign, missing and deleted files look the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

import structlog
from cachetools import LRUCache

from files.errors import PictureBroken
from files.models import File
from files.pictures.process import first_frame
from files.storage import contents_read_async, in_intake_thread
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotFound

log = structlog.get_logger(__name__)

# Frames by file id: a file never changes. A child draws one in 0.06 to 0.4 s of CPU, for which each answer of its chat would wait.
_frames: LRUCache[str, bytes] = LRUCache(16 * 1024 * 1024, getsizeof=len)

IMAGE_NOTE = "[An image. Its content is not part of this text.]"
NO_TEXT_NOTE = "[No text was found in this file. Its pages may be pictures.]"
TRUNCATION_NOTE = "[Cut here: the file's text is longer.]"


def file_get_for_member(*, file_id: UUID, actor: Actor, lock: bool = False) -> File:
    """Return the actor's own file; other members of the organization can't see it. Raises NotFound.

    `lock`: hold the row until the transaction ends.
    """
    own = File.objects.filter(owner_id=actor.membership_id, deleted_at=None)
    file = (own.select_for_update() if lock else own).filter(pk=file_id).first()
    if file is None:
        raise NotFound
    return file


def pictures_of_member(file_ids: Collection[str], *, actor: Actor) -> list[File]:
    """Return those of the files that are the actor's own pictures, oldest first; what is deleted or not checked is left out. One query."""
    own = File.objects.filter(owner_id=actor.membership_id, deleted_at=None, is_unchecked=False, kind="image", pk__in=file_ids)
    return list(own.order_by("created_at", "pk").defer("text"))


@dataclass(frozen=True, slots=True)
class ModelText:
    """The text that a model gets for a file."""

    text: str
    is_pending: bool = False  # the file is still being read, and `text` is empty
    pages: int | None = None  # of a PDF file (files.models.File)


def model_texts(file_ids: Collection[str]) -> dict[str, ModelText]:
    """Return the texts by file id. One query. A text never changes once the file is no longer pending.

    Deleted files are included, because a history must not change.
    """
    return {str(file.pk): replace(_model_text(file), pages=file.pages) for file in File.objects.filter(pk__in=file_ids)}


def _model_text(file: File) -> ModelText:
    if file.state == File.State.PENDING:
        return ModelText("", is_pending=True)
    if file.state == File.State.FAILED:
        return ModelText(f"[This file could not be read: {file.reason}]")
    if file.kind == "image":
        return ModelText(IMAGE_NOTE)
    if not file.text:
        return ModelText(NO_TEXT_NOTE)
    return ModelText(f"{file.text}\n{TRUNCATION_NOTE}" if file.text_cut else file.text)


@dataclass(frozen=True, slots=True)
class ConversationFiles:
    """Reads the bytes of one conversation's files, whatever ids are requested. Implements `agents.runtime.files.FileContents`."""

    organization_id: UUID
    conversation_id: UUID

    async def read(self, file_ids: Collection[str]) -> Mapping[str, bytes]:
        """Return the bytes by id, without files that are missing, not checked or can't be drawn.

        Of a picture it is the clean copy, of a GIF its first frame as PNG: no provider takes one that moves, and Gemini takes none.
        """
        files = await in_db(_stored_files, file_ids, self.conversation_id, organization_id=self.organization_id)
        contents = await contents_read_async({str(file.pk): file.shown_as for file in files})
        for file in files:
            key = str(file.pk)
            if file.media_type == "image/gif" and key in contents:
                contents |= await _first_frame(key, contents.pop(key))
        return contents


async def _first_frame(file_id: str, content: bytes) -> dict[str, bytes]:
    """Return the frame by the file's id; nothing when it can't be drawn: the answer goes on without it."""
    if file_id not in _frames:
        try:
            _frames[file_id] = await in_intake_thread(first_frame, content)
        except PictureBroken:
            log.warning("first_frame_not_drawn", file_id=file_id)
            return {}
    return {file_id: _frames[file_id]}


def files_with_same_content(files: Iterable[File], *, conversation_id: UUID) -> dict[str, File]:
    """Return the conversation's files that have the same bytes as one of these, by SHA-256."""
    same = File.objects.filter(conversation_id=conversation_id, sha256__in={file.sha256 for file in files}, deleted_at=None)
    return {file.sha256: file for file in same.defer("text")}


def _stored_files(file_ids: Collection[str], conversation_id: UUID) -> list[File]:
    files = File.objects.filter(pk__in=file_ids, conversation_id=conversation_id, is_unchecked=False)
    return list(files.only("pk", "organization_id", "kind", "media_type"))
