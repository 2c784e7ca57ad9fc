"""Services that write files. Bytes are written outside transactions, before the row that refers to them.

Also lets an answer wait for the text of its files (`wait_for_files`).
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from celery import current_app
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_noop
from kombu.exceptions import OperationalError

from files.contents import contents_discard, contents_remove_on_commit, contents_write
from files.errors import FileInUse, FilesTooLarge, FileTooLarge, TooManyFiles
from files.kinds import MAX_MESSAGE_BYTES, MAX_MESSAGE_FILES, MEGABYTE, FileKind, limit_of
from files.models import MAX_TEXT_CHARS, File
from files.names import clean_name
from files.quotas import storage_check
from files.scanning.scanner import INFECTED, infection_audit, is_scanning
from files.sniffing import DetectedType, detect
from tenants.access import Actor, actor_refresh
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.errors import NotFound
from tenants.postgres.bulk_insert import rows_insert

log = structlog.get_logger(__name__)

MAX_UNSENT_FILES = 100  # per member
UNSENT_RETENTION = timedelta(days=7)
EXTRACTION_EXPIRES_S = 600
TOO_LATE = gettext_noop("It was not read in time. Attach it again.")
EXTRACTED_KINDS: frozenset[FileKind] = frozenset({"pdf", "office"})  # kinds whose text is read in the background
POLL_S = 0.2


def file_upload(*, actor: Actor, name: str, content: bytes, source: str = "") -> File:
    """Store an uploaded file and queue the extraction of its text. Opens its own transactions.

    `source`: the service that it came from. Raises FileEmpty, FileTypeNotAllowed, FileTooLarge, PictureTooLarge, PictureBroken, TooManyFiles,
    StorageFull.
    """
    file = file_write(actor=actor, name=name, content=content, source=source)
    try:
        with tenant_tx(actor.organization_id):
            _check_unsent_quota(actor)
            file_rows_insert([file])
    except BaseException:
        contents_discard(file)
        raise
    extraction_enqueue(file)
    return file


def file_rows_insert(files: Sequence[File]) -> None:
    """Insert the rows of new files of one member, in the organization's transaction. Raises StorageFull; then none is inserted."""
    storage_check(files, organization_id=files[0].organization_id, owner_id=files[0].owner_id)
    rows_insert(files)


def file_write(*, actor: Actor, name: str, content: bytes, source: str = "") -> File:
    """Store the bytes and return the new file, whose row is not saved yet.

    Raises FileEmpty, FileTypeNotAllowed, FileTooLarge, PictureTooLarge, PictureBroken; then nothing is stored.
    """
    name = clean_name(name)
    detected = detect(content, name)
    if len(content) > limit_of(detected.kind).size_bytes:
        raise FileTooLarge(detected.kind)
    file = file_row(actor.organization_id, actor.membership_id, name=name, content=content, detected=detected, source=source)
    contents_write(file, content)
    return file


def file_row(organization_id: UUID, owner_id: UUID, *, name: str, content: bytes, detected: DetectedType, source: str = "") -> File:
    """Return an unsaved row for these bytes."""
    text = (detected.text or "").replace("\x00", "")
    return File(
        id=uuid4(),
        organization_id=organization_id,
        owner_id=owner_id,
        source=source,
        name=name,
        media_type=detected.media_type,
        kind=detected.kind,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        text=text[:MAX_TEXT_CHARS],
        text_cut=len(text) > MAX_TEXT_CHARS,
        state=File.State.PENDING if detected.kind in EXTRACTED_KINDS or is_scanning() else File.State.READY,
        is_unchecked=is_scanning(),
    )


def files_forget(*, organization_id: UUID) -> int:
    """Delete files that no message has had for UNSENT_RETENTION: never sent, or made in a step that broke. Return how many.

    Opens its own transaction.
    """
    with tenant_tx(organization_id):
        return _forget(File.objects.filter(conversation_id=None, deleted_at=None))


def _forget(unsent: QuerySet[File]) -> int:
    old = list(unsent.filter(created_at__lt=Now() - UNSENT_RETENTION).defer("text"))
    return sum(_remove(file) for file in old)


def _check_unsent_quota(actor: Actor) -> None:
    """Delete the member's old unsent files, and raise TooManyFiles if too many are left. Locks the membership, so uploads count one by one."""
    actor_refresh(actor, lock=True)
    unsent = File.objects.filter(owner_id=actor.membership_id, conversation_id=None, deleted_at=None)
    _forget(unsent)
    if unsent.count() >= MAX_UNSENT_FILES:
        raise TooManyFiles(gettext("You have many files that were never sent. Send or remove some first."))


def extraction_enqueue(file: File) -> None:
    """Queue the extraction of a pending file's text. While the broker is away, a worker's sweep finds the file."""
    if file.state != File.State.PENDING:
        return
    try:
        current_app.send_task(
            "files.tasks.file_text_read", (str(file.organization_id), str(file.pk)), expires=EXTRACTION_EXPIRES_S, retry=False
        )
    except OperationalError as exc:
        log.warning("file_not_queued", file_id=str(file.pk), reason=type(exc).__name__)


def file_remove(file: File) -> None:
    """Delete an unsent file and its bytes. Raises FileInUse when a message includes it."""
    if not _remove(file):
        raise FileInUse(gettext("This file was sent already and stays with its message."))


def _remove(file: File) -> bool:
    """Delete the file; return False if a message has taken it meanwhile. Bytes that can't be deleted are logged and left."""
    row_count = File.objects.filter(pk=file.pk, conversation_id=None, deleted_at=None).update(deleted_at=Now(), text="")
    if row_count:
        contents_remove_on_commit(file)
    return bool(row_count)


def files_attach(*, actor: Actor, file_ids: Sequence[UUID], conversation_id: UUID) -> list[File]:
    """Attach the actor's files to the conversation; return them in the order of their ids. Runs in the caller's transaction.

    Raises NotFound when one is missing, foreign or another member's, TooManyFiles, FilesTooLarge, and FileInUse for one of another
    conversation.
    """
    unique_ids = list(dict.fromkeys(file_ids))
    if len(unique_ids) > MAX_MESSAGE_FILES:
        raise TooManyFiles(gettext("A message can have at most %(max_message_files)s files.") % {"max_message_files": MAX_MESSAGE_FILES})
    own = File.objects.select_for_update().filter(pk__in=unique_ids, owner_id=actor.membership_id, deleted_at=None)
    files_by_id = {file.pk: file for file in own.defer("text").order_by("pk")}
    if len(files_by_id) != len(unique_ids):
        raise NotFound(gettext("A file of this message does not exist any more. Attach it again."))
    _check_message_files(list(files_by_id.values()), conversation_id)
    File.objects.filter(pk__in=unique_ids).update(conversation_id=conversation_id)
    return [files_by_id[file_id] for file_id in unique_ids]


def _check_message_files(files: Sequence[File], conversation_id: UUID) -> None:
    if any(file.conversation_id not in (None, conversation_id) for file in files):
        raise FileInUse
    if sum(file.size_bytes for file in files) > MAX_MESSAGE_BYTES:
        raise FilesTooLarge(
            gettext("These files are too large together. The limit for one message is %(max_message_bytes)s MB.")
            % {"max_message_bytes": MAX_MESSAGE_BYTES // MEGABYTE}
        )


def files_delete_of_conversations(*, conversation_ids: Collection[UUID], at: datetime | None = None) -> None:
    """Mark deleted conversations' files as deleted, at this time or now."""
    File.objects.filter(conversation_id__in=conversation_ids, deleted_at=None).update(deleted_at=at or Now())


def files_restore_of_conversations(*, conversation_ids: Collection[UUID], deleted_at: datetime) -> None:
    """Undo the deletion of conversations' files at this time."""
    File.objects.filter(conversation_id__in=conversation_ids, deleted_at=deleted_at).update(deleted_at=None)


def file_refuse(file: File, threat: str) -> None:
    """Delete the bytes and the text of a pending file that is infected, say so to its owner, and write the audit event."""
    pending = File.objects.filter(pk=file.pk, state=File.State.PENDING)
    if pending.update(state=File.State.FAILED, text="", reason=INFECTED % {"threat": threat}):
        assert file.organization_id is not None
        infection_audit(organization_id=file.organization_id, owner_id=file.owner_id, file_id=file.pk, threat=threat)
        contents_remove_on_commit(file)


def file_mark_clean(file_id: UUID) -> None:
    """Note that the file is clean."""
    File.objects.filter(pk=file_id).update(is_unchecked=False)


def text_store(*, file_id: UUID, text: str, is_cut: bool, pages: int | None) -> None:
    _settle(file_id, state=File.State.READY, text=text, text_cut=is_cut, pages=pages)


def text_fail(*, file_id: UUID, reason: str, pages: int | None = None) -> None:
    """Mark the file as failed. `reason`: a sentence for the user."""
    _settle(file_id, state=File.State.FAILED, reason=reason, pages=pages)


def _settle(file_id: UUID, **values: object) -> None:
    """Set the final state of a pending file. It happens only once, so that what a model was told of the file stays true."""
    File.objects.filter(pk=file_id, state=File.State.PENDING).update(**values)


def files_settle(file_ids: Collection[str]) -> None:
    """Mark files that are still pending as failed, so that a model call that reported this can be rebuilt."""
    File.objects.filter(pk__in=file_ids, state=File.State.PENDING).update(state=File.State.FAILED, reason=TOO_LATE)


async def wait_for_files(file_ids: Collection[str], *, organization_id: UUID, timeout_s: float) -> None:
    """Return when none of the files is pending. After `timeout_s`, those that still are become failed, permanently."""
    end = time.monotonic() + timeout_s
    while await in_db(_are_any_pending, file_ids, organization_id=organization_id):
        if time.monotonic() >= end:
            await in_db(files_settle, file_ids, organization_id=organization_id)
            return
        await asyncio.sleep(POLL_S)  # another process reads it, and only its row tells when that is done


def _are_any_pending(file_ids: Collection[str]) -> bool:
    return File.objects.filter(pk__in=file_ids, state=File.State.PENDING).exists()
