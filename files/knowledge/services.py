"""Services that write knowledge files. An upload gets its row at once; a document's text is read in the background."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

import structlog
from celery import current_app
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from kombu.exceptions import OperationalError

from admin_config.models import ToolSource
from files.errors import DISK_FULL, STORE_AWAY, DiskFull, FileStoreUnavailable, FileTooLarge, FileTypeNotAllowed
from files.extraction.claims import GAVE_UP, MAX_CLAIMS, claim, claim_postpone, release_connection
from files.extraction.text import FILE_LOST, ExtractedText, ExtractionLimits, extract_text
from files.kinds import limit_of
from files.knowledge.models import MAX_KNOWLEDGE_TEXT_CHARS, KnowledgeFile
from files.quotas import storage_check
from files.scanning.scanner import INFECTED, RETRY, infection_audit, is_scanning, scan
from files.scanning.verdict import ScannerUnreachable
from files.sniffing import detect
from files.storage import content_discard, content_read, content_write
from tenants.context import current_organization_id, tenant_tx

log = structlog.get_logger(__name__)

KNOWLEDGE_LIMITS = ExtractionLimits(wall_s=240.0, cpu_s=40, characters=MAX_KNOWLEDGE_TEXT_CHARS)
EXTRACTION_EXPIRES_S = 3600
OVERDUE_AFTER = timedelta(hours=2)  # by then a queued task has expired and a started one has ended
NO_TEXT = gettext_noop("No text was found in it. Its pages may be pictures.")
NOT_QUEUED = gettext_noop("It could not be read now. Delete it and upload it again.")


def knowledge_file_row(*, source: ToolSource | None = None, project_id: UUID | None = None, path: str, content: bytes) -> KnowledgeFile:
    """Return an unsaved file of the tool source or the project. Raises FileEmpty, FileTypeNotAllowed, FileTooLarge, StorageFull.

    Runs in the transaction that will save it.
    """
    detected = detect(content, path)
    if detected.kind == "image":
        raise FileTypeNotAllowed(gettext("Agents know texts: a picture has none."))
    if len(content) > limit_of(detected.kind).size_bytes:
        raise FileTooLarge(detected.kind)
    text = (detected.text or "").replace("\x00", "")
    is_ready = detected.text is not None and not is_scanning()
    file = KnowledgeFile(
        id=uuid4(),
        source=source,
        project_id=project_id,
        path=path,
        media_type=detected.media_type,
        kind=detected.kind,
        size_bytes=len(content),
        text=text[:MAX_KNOWLEDGE_TEXT_CHARS],
        text_cut=len(text) > MAX_KNOWLEDGE_TEXT_CHARS,
        state=KnowledgeFile.State.READY if is_ready else KnowledgeFile.State.PENDING,
        has_bytes=not is_ready,
    )
    storage_check([file], organization_id=current_organization_id())
    return file


def knowledge_file_save(file: KnowledgeFile, content: bytes) -> None:
    """Save the file in the organization's transaction. The bytes of documents, which are read later, are stored after the commit."""
    file.save(force_insert=True)
    if file.state == KnowledgeFile.State.PENDING:
        transaction.on_commit(partial(_store_and_enqueue, file, content))


def _store_and_enqueue(file: KnowledgeFile, content: bytes) -> None:
    """Store the bytes and queue the reading. If the broker is away, a worker's sweep finds the file."""
    assert file.organization_id is not None
    try:
        content_write(file.stored_as, content)
    except (DiskFull, FileStoreUnavailable) as error:  # the row is there already, and says it
        reason = DISK_FULL if isinstance(error, DiskFull) else STORE_AWAY
        _settle(file.organization_id, file.pk, ExtractedText(reason=reason), keeps_bytes=False)
        return
    _enqueue(file)


def _enqueue(file: KnowledgeFile) -> None:
    arguments = (str(file.organization_id), str(file.pk))
    try:
        current_app.send_task("files.tasks.knowledge_text_read", arguments, expires=EXTRACTION_EXPIRES_S, retry=False)
    except OperationalError as error:
        log.warning("knowledge_file_not_queued", file_id=str(file.pk), reason=type(error).__name__)


def knowledge_file_retry(file: KnowledgeFile) -> None:
    """Have a file read again that could not be read, as if it came now. Runs in the organization's transaction, with the file locked."""
    file.state, file.reason = KnowledgeFile.State.PENDING, ""
    file.claims, file.claimed_until = 0, None
    file.created_at = timezone.now()  # it is overdue by this time
    file.save(update_fields=["state", "reason", "claims", "claimed_until", "created_at"])
    transaction.on_commit(partial(_enqueue, file))


def knowledge_bytes_remove(files: QuerySet[KnowledgeFile]) -> None:
    """Delete the bytes of files that are about to be deleted, after the commit."""
    for file in files.filter(has_bytes=True).only("pk", "organization_id"):
        transaction.on_commit(partial(content_discard, file.stored_as))


def knowledge_bytes_remove_of_folder(*, instance: ToolSource, **signal: object) -> None:
    """Delete the bytes of a deleted folder's files (receiver of `pre_delete`)."""
    knowledge_bytes_remove(KnowledgeFile.objects.filter(source_id=instance.pk))


def knowledge_files_overdue_fail(*, organization_id: UUID) -> int:
    """Fail files that were not read in time because their task was lost, and delete their bytes; return how many.

    Opens its own transactions.
    """
    with tenant_tx(organization_id):
        pending = KnowledgeFile.objects.filter(state=KnowledgeFile.State.PENDING, created_at__lt=Now() - OVERDUE_AFTER)
        overdue = list(pending.only("pk", "organization_id"))
    for file in overdue:
        _settle(organization_id, file.pk, ExtractedText(reason=NOT_QUEUED), keeps_bytes=False)
        _remove_unkept(organization_id, file.pk)
    return len(overdue)


def knowledge_text_read(*, organization_id: UUID, file_id: UUID) -> None:
    """Claim a pending file, read and store its text, and delete its bytes. Opens its own transactions. Repeating it changes nothing."""
    with tenant_tx(organization_id):
        pending = KnowledgeFile.objects.filter(pk=file_id, state=KnowledgeFile.State.PENDING)
        file = pending.first() if claim(pending, for_s=KNOWLEDGE_LIMITS.wall_s) else None
    if file is not None:
        release_connection()
        try:
            threat = _threat(file)
            read = _read(file, threat)
        except (ScannerUnreachable, FileStoreUnavailable):
            _postpone(organization_id, file)
            return
        can_help = bool(read.reason) and read.reason != FILE_LOST and not threat  # to read it again
        _settle(organization_id, file_id, read, keeps_bytes=can_help and file.project_id is not None)
    _remove_unkept(organization_id, file_id)


def _remove_unkept(organization_id: UUID, file_id: UUID) -> None:
    """Delete a file's bytes unless its row says that they are kept. The row is asked, because another reader may have been first.

    Bytes that can't be deleted are logged and left.
    """
    with tenant_tx(organization_id):
        if KnowledgeFile.objects.filter(pk=file_id, has_bytes=True).exists():
            return
    content_discard(KnowledgeFile(id=file_id, organization_id=organization_id).stored_as)


def _threat(file: KnowledgeFile) -> str:
    """Return what the malware scanner finds in the file; "" for nothing, or for a file that is lost. Raises ScannerUnreachable."""
    try:
        return scan(content_read(file.stored_as)) if is_scanning() else ""
    except FileNotFoundError:
        return ""


def _postpone(organization_id: UUID, file: KnowledgeFile) -> None:
    """Let a file wait for the scanner, or for the store. What waits too long is failed by `knowledge_files_overdue_fail`."""
    with tenant_tx(organization_id):
        claim_postpone(KnowledgeFile.objects.filter(pk=file.pk), wait=RETRY)


def _read(file: KnowledgeFile, threat: str) -> ExtractedText:
    if threat:
        assert file.organization_id is not None
        with tenant_tx(file.organization_id):
            infection_audit(organization_id=file.organization_id, owner_id=None, file_id=file.pk, threat=threat)
        return ExtractedText(reason=INFECTED % {"threat": threat})
    if file.claims > MAX_CLAIMS:
        return ExtractedText(file.text, file.text_cut, GAVE_UP)  # a text file came with its text, and another try needs it
    return ExtractedText(file.text, file.text_cut) if file.kind == "text" else _extract_file(file)


def _extract_file(file: KnowledgeFile) -> ExtractedText:
    try:
        content = content_read(file.stored_as)
    except FileNotFoundError:
        return ExtractedText(reason=FILE_LOST)
    read = extract_text(content, file.media_type, KNOWLEDGE_LIMITS)
    return read if read.text.strip() or read.reason else ExtractedText(reason=NO_TEXT)


def _settle(organization_id: UUID, file_id: UUID, read: ExtractedText, *, keeps_bytes: bool) -> None:
    state = KnowledgeFile.State.FAILED if read.reason else KnowledgeFile.State.READY
    with tenant_tx(organization_id):
        pending = KnowledgeFile.objects.filter(pk=file_id, state=KnowledgeFile.State.PENDING)
        pending.update(state=state, text=read.text, text_cut=read.is_cut, reason=read.reason, has_bytes=keeps_bytes)
