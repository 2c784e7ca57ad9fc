"""Text extraction from attached documents, in a confined child process.

The child has no network, no new files, and bounded memory and time. A document that needs more is marked as failed, with a reason for the
user.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from uuid import UUID

from django.conf import settings
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from files.errors import FileStoreUnavailable
from files.extraction.claims import GAVE_UP, MAX_CLAIMS, claim, claim_postpone, release_connection
from files.models import MAX_TEXT_CHARS, File
from files.scanning.scanner import NOT_CHECKED, PATIENCE, RETRY, scan
from files.scanning.verdict import ScannerUnreachable
from files.services import file_mark_clean, file_refuse, text_fail, text_store
from files.storage import content_read
from tenants.context import tenant_tx

MAX_WALL_S = 60.0  # on a busy machine reading takes long and costs little: the CPU time is what counts
MAX_CPU_S = 10
MAX_MEMORY_BYTES = 512 * 1024 * 1024

TOO_LONG = gettext_noop("Reading it took too long.")
DOCUMENT_BROKEN = gettext_noop("It is broken, or not what it seems to be.")
FILE_LOST = gettext_noop("It was lost before it could be read.")
_PAGES = re.compile(rb'{"pages": ([0-9]{1,9})}\n')  # the first line of a PDF file's output (files.readers)


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """Limits of one child process."""

    wall_s: float = MAX_WALL_S  # wall clock
    cpu_s: int = MAX_CPU_S
    memory_bytes: int = MAX_MEMORY_BYTES  # address space
    characters: int = MAX_TEXT_CHARS  # of text


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of a document, or the reason why there is none."""

    text: str = ""
    is_cut: bool = False
    reason: str = ""  # a sentence for the user
    pages: int | None = None  # of a PDF file; 0: it is broken or encrypted; None: unknown


def file_text_read(*, organization_id: UUID, file_id: UUID) -> None:
    """Claim a pending file, read and store its text. Does nothing for one of another reader or state. Opens its own transactions."""
    with tenant_tx(organization_id):
        pending = File.objects.filter(pk=file_id, state=File.State.PENDING)
        file = pending.first() if claim(pending, for_s=MAX_WALL_S) else None
    if file is None:
        return
    release_connection()
    try:
        if file.is_unchecked and not _check(file):
            return
        read = ExtractedText(reason=GAVE_UP) if file.claims > MAX_CLAIMS else _extract_file(file)
    except FileStoreUnavailable:
        with tenant_tx(organization_id):
            claim_postpone(File.objects.filter(pk=file_id), wait=RETRY)
        return
    with tenant_tx(organization_id):
        if read.reason:
            text_fail(file_id=file_id, reason=read.reason, pages=read.pages)
        else:
            text_store(file_id=file_id, text=read.text, is_cut=read.is_cut, pages=read.pages)


def _check(file: File) -> bool:
    """Return whether the file is clean. An infected one is refused; without a scanner it waits, up to PATIENCE."""
    assert file.organization_id is not None
    threat, is_away = "", False
    try:
        threat = scan(content_read(file.stored_as))
    except FileNotFoundError:
        return True  # reading it will say so
    except ScannerUnreachable:
        is_away = True
    with tenant_tx(file.organization_id):
        if threat:
            file_refuse(file, threat)
        elif not is_away:
            file_mark_clean(file.pk)
        elif File.objects.filter(pk=file.pk, created_at__lt=Now() - PATIENCE).exists():
            text_fail(file_id=file.pk, reason=NOT_CHECKED)
        else:
            claim_postpone(File.objects.filter(pk=file.pk), wait=RETRY)
    return not (threat or is_away)


def _extract_file(file: File) -> ExtractedText:
    if file.kind in ("image", "text"):
        return ExtractedText(file.text, file.text_cut)
    try:
        content = content_read(file.stored_as)
    except FileNotFoundError:
        return ExtractedText(reason=FILE_LOST)
    return extract_text(content, file.media_type)


def extract_text(content: bytes, media_type: str, limits: ExtractionLimits | None = None) -> ExtractedText:
    """Return a document's text, read in a child process. Never raises because of the document's content."""
    limits = limits or ExtractionLimits()
    numbers = (limits.characters, limits.memory_bytes, limits.cpu_s)
    command = [sys.executable, "-s", "-m", "files.readers", media_type, *map(str, numbers)]
    try:
        # An empty environment, so that the child has none of our keys and addresses.
        done = subprocess.run(
            command, input=content, capture_output=True, timeout=limits.wall_s, env={}, cwd=settings.BASE_DIR, check=False
        )
    except subprocess.TimeoutExpired as exc:
        return ExtractedText(reason=TOO_LONG, pages=_parse_pages(exc.stdout or b""))
    pages = _parse_pages(done.stdout)
    if done.returncode:
        return ExtractedText(reason=TOO_LONG if done.returncode < 0 else DOCUMENT_BROKEN, pages=pages)
    return replace(_parse_text(done.stdout), pages=pages)


def _parse_pages(output: bytes) -> int | None:
    """Return the number in the first line; None when the document has none."""
    match = _PAGES.match(output)
    return int(match[1]) if match else None


def _parse_text(output: bytes) -> ExtractedText:
    try:
        answer = json.loads(output.rpartition(b"\n")[2])
        text, is_cut, reason = str(answer["text"]), bool(answer["cut"]), str(answer["reason"])
    except (ValueError, KeyError, TypeError):
        return ExtractedText(reason=DOCUMENT_BROKEN)
    return ExtractedText(reason=reason[:300]) if reason else ExtractedText(text.replace("\x00", ""), is_cut)
