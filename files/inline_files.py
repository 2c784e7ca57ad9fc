"""Inline files: files inside a request, as data URLs. AI SDK and OpenAI clients send files that way when they were not uploaded.

Their bytes are stored first, and their rows together with the message that includes them, so that a refused or repeated message leaves
nothing behind.
"""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes
from uuid import UUID

import structlog
from django.utils.translation import gettext, gettext_lazy

from files.contents import contents_discard
from files.errors import FileTypeNotAllowed, TooManyFiles
from files.kinds import MAX_MESSAGE_FILES
from files.models import File
from files.names import UNNAMED
from files.services import extraction_enqueue, file_write
from files.storage import in_file_thread, in_intake_thread
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import BadRequest, NotAllowed

log = structlog.get_logger(__name__)

SCHEME = "data:"
MAX_HEADER_CHARS = 1000  # of a data URL before the comma
MAX_ESCAPES = 64 * 1024 // len("%20")  # per message: an escape costs about a hundred times as much as a base64 character
UNREADABLE = gettext_lazy("A file's data URL can't be read. It looks like data:image/png;base64,iVBORw0...")
TOO_ESCAPED = gettext_lazy(
    "A data URL has too many characters that are written as %20 and the like. Send its file as base64, or upload it before."
)


@dataclass(frozen=True, slots=True)
class InlineFile:
    """A file as the request has it."""

    url: str = field(repr=False)  # the data URL, not decoded yet
    name: str = ""  # "" when the client gave none


def data_url_parse(inline: InlineFile) -> tuple[str, bytes]:
    """Return the file's name and its bytes. A missing name is made from the media type. Raises BadRequest."""
    head, comma, data = inline.url.removeprefix(SCHEME).partition(",")
    if not comma or len(head) > MAX_HEADER_CHARS:
        raise BadRequest(UNREADABLE)
    media_type, *parameters = (word.strip().lower() for word in head.split(";"))
    try:
        content = _decode_data(data, "base64" in parameters)
    except ValueError as exc:
        raise BadRequest(UNREADABLE) from exc
    return inline.name or UNNAMED + (mimetypes.guess_extension(media_type) or ""), content


def _decode_data(data: str, is_base64: bool) -> bytes:
    if not is_base64:
        return unquote_to_bytes(data)
    return base64.b64decode(unquote_to_bytes(data) if "%" in data else data, validate=True)


async def inline_files_write(actor: Actor, inline: Sequence[InlineFile]) -> tuple[File, ...]:
    """Store the bytes and return the new files, whose rows the caller must store.

    Then call `inline_files_finish` in any case. Raises NotAllowed, TooManyFiles, BadRequest and what files.services.file_write raises; then
    nothing is stored.
    """
    if not actor.can_write:
        raise NotAllowed
    if len(inline) > MAX_MESSAGE_FILES:
        raise TooManyFiles(gettext("A message can have at most %(max_message_files)s files.") % {"max_message_files": MAX_MESSAGE_FILES})
    if sum(each.url.count("%") for each in inline) > MAX_ESCAPES:
        raise BadRequest(TOO_ESCAPED)
    return await in_intake_thread(_write_all, actor, inline)


def _write_all(actor: Actor, inline: Sequence[InlineFile]) -> tuple[File, ...]:
    files: list[File] = []
    try:
        for each in inline:
            name, content = data_url_parse(each)
            files.append(file_write(actor=actor, name=name, content=content))
    except BaseException:
        _discard(files)
        raise
    return tuple(files)


def images_check(files: Iterable[File]) -> None:
    """Raise FileTypeNotAllowed unless all files are images."""
    if any(file.kind != "image" for file in files):
        raise FileTypeNotAllowed(gettext("Only images can be sent here (PNG, JPEG, GIF, WebP)."))


async def inline_files_finish(files: Sequence[File], *, organization_id: UUID) -> None:
    """Queue text extraction for files that have a row now, and delete the bytes of the others.

    The bytes stay when the database can't be asked. Never raises, because the message is already stored or refused.
    """
    try:
        await _finish(files, organization_id)
    except Exception:
        log.exception("inline_files_unsettled", count=len(files))


async def _finish(files: Sequence[File], organization_id: UUID) -> None:
    stored_ids = await in_db(_stored_ids, [file.pk for file in files], organization_id=organization_id)
    await in_file_thread(_discard, [file for file in files if file.pk not in stored_ids])
    for file in files:
        if file.pk in stored_ids:
            await in_file_thread(extraction_enqueue, file)


def _stored_ids(file_ids: Collection[UUID]) -> set[UUID]:
    return set(File.objects.filter(pk__in=file_ids).values_list("pk", flat=True))


def _discard(files: Sequence[File]) -> None:
    for file in files:
        contents_discard(file)
