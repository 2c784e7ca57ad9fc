"""Storage of files that models make: checked by their bytes, limited and stored like members' attachments.

The row is created before the entry that refers to it. Appending that entry attaches the file to the conversation
(chat.storage.attached_files). If the step breaks before that, the file is deleted like one that was never sent
(files.services.files_forget).
"""

from __future__ import annotations

import base64
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath
from uuid import UUID, uuid4

from django.db.models import Subquery
from django.utils.translation import gettext_lazy

from files.contents import contents_discard, contents_write
from files.errors import FileInfected, FileTooLarge, FileTypeNotAllowed
from files.kinds import limit_of
from files.models import File
from files.scanning.scanner import check_now, infection_audit
from files.services import file_row, file_rows_insert
from files.sniffing import DetectedType, detect
from files.storage import in_file_thread, in_intake_thread
from tenants.db import in_db

NOT_AN_IMAGE = gettext_lazy("It is none of the images that can be shown (PNG, JPEG, GIF, WebP).")
_URL_SAFE = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class AnswerFiles:
    """Stores the files of one member's answers. Implements `agents.runtime.files.FileStore`."""

    organization_id: UUID
    membership_id: UUID

    async def keep(self, content_base64: str, stem: str) -> File:
        """Store the file under the name `stem` plus the extension of its detected type, and return it.

        Raises FileEmpty, FileTypeNotAllowed, FileTooLarge, PictureTooLarge, PictureBroken, StorageFull, FileInfected, ScannerUnavailable; then
        nothing is stored.
        """
        try:
            file = await in_intake_thread(self._write_file, content_base64, stem)
        except FileInfected as error:
            await in_db(self._audit, error.threat, organization_id=self.organization_id)
            raise
        try:
            await in_db(file_rows_insert, [file], organization_id=self.organization_id)
        except BaseException:
            await in_file_thread(contents_discard, file)
            raise
        return file

    def _audit(self, threat: str) -> None:
        infection_audit(organization_id=self.organization_id, owner_id=self.membership_id, file_id=uuid4(), threat=threat)

    def _write_file(self, content_base64: str, stem: str) -> File:
        """Decode and write the file in a thread: decoding megabytes of base64 would delay all streaming answers."""
        content = _decode_base64(content_base64)
        detected = _detect_image(content)
        if len(content) > limit_of(detected.kind).size_bytes:
            raise FileTooLarge(detected.kind)
        name = f"{stem}.{PurePosixPath(detected.media_type).name}"
        check_now(content)
        file = file_row(self.organization_id, self.membership_id, name=name, content=content, detected=detected)
        file.state, file.is_unchecked = File.State.READY, False
        contents_write(file, content)
        return file


def _decode_base64(content_base64: str) -> bytes:
    """Decode either base64 alphabet, since JSON of protocol buffers may use both."""
    plain = content_base64.translate(_URL_SAFE).rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except ValueError as error:
        raise FileTypeNotAllowed(NOT_AN_IMAGE) from error


def _detect_image(content: bytes) -> DetectedType:
    """Detect the type by the bytes; the provider's media type is ignored. Raises FileTypeNotAllowed for anything but an image."""
    try:
        detected = detect(content, "")
    except FileTypeNotAllowed as error:
        raise FileTypeNotAllowed(NOT_AN_IMAGE) from error
    if detected.kind != "image":
        raise FileTypeNotAllowed(NOT_AN_IMAGE)
    return detected


def answer_files_attach(*, file_ids: Collection[UUID], conversation_id: UUID, owner_id: UUID | Subquery) -> None:
    """Attach the files to the conversation, whose owner they belong to from now on. Runs in the caller's transaction."""
    File.objects.filter(pk__in=file_ids, conversation_id=None).update(conversation_id=conversation_id, owner_id=owner_id)
