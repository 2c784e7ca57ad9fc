"""Files that come inside a request, as data URLs: what AI SDK clients and OpenAI's do with files that nobody uploaded.

Their bytes are stored first and their rows together with the message that takes them along, so that a refused or repeated message
leaves nothing behind.
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes
from uuid import UUID

import structlog
from django.db import DatabaseError

from files.errors import TooManyFiles
from files.kinds import MESSAGE_FILES_MAX
from files.models import File
from files.names import UNNAMED
from files.services import file_written, reading_enqueue
from files.storage import content_remove, in_file_thread
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import BadRequest, Busy, NotAllowed

log = structlog.get_logger(__name__)

SCHEME = "data:"
UNREADABLE = "A file's data URL can't be read. It looks like data:image/png;base64,iVBORw0..."


@dataclass(frozen=True, slots=True)
class InlineFile:
    """A file as a request brings it."""

    name: str
    content: bytes


def data_url_read(url: str, name: str = "") -> InlineFile:
    """The file in a data URL; without a name it gets one that fits the URL's media type. Raises BadRequest."""
    head, comma, data = url.removeprefix(SCHEME).partition(",")
    media_type, *parameters = (word.strip().lower() for word in head.split(";"))
    if not comma:
        raise BadRequest(UNREADABLE)
    content = unquote_to_bytes(data)
    if "base64" in parameters:
        try:
            content = base64.b64decode(content, validate=True)
        except binascii.Error as exc:
            raise BadRequest(UNREADABLE) from exc
    return InlineFile(name or UNNAMED + (mimetypes.guess_extension(media_type) or ""), content)


async def inline_write(actor: Actor, brought: Sequence[InlineFile]) -> tuple[File, ...]:
    """New files whose bytes are stored; the rows are the caller's to store. Then call `inline_settle`, whatever happened.

    Raises NotAllowed, TooManyFiles and what files.services.file_written does; nothing is stored then.
    """
    if not actor.can_write:
        raise NotAllowed
    if len(brought) > MESSAGE_FILES_MAX:
        raise TooManyFiles(f"A message can have at most {MESSAGE_FILES_MAX} files.")
    return await in_file_thread(_all_written, actor, brought)


def _all_written(actor: Actor, brought: Sequence[InlineFile]) -> tuple[File, ...]:
    files: list[File] = []
    try:
        files.extend(file_written(actor=actor, name=each.name, content=each.content) for each in brought)
    except BaseException:
        _remove(files)
        raise
    return tuple(files)


async def inline_settle(files: Sequence[File], *, organization_id: UUID) -> None:
    """Have those read that have a row now, and take the bytes of the others away; while nobody can tell, they stay."""
    try:
        stored = await in_db(_stored, [file.pk for file in files], organization_id=organization_id)
    except (DatabaseError, Busy) as exc:
        log.warning("inline_files_unsettled", count=len(files), reason=type(exc).__name__)
        return
    await in_file_thread(_remove, [file for file in files if file.pk not in stored])
    for file in files:
        if file.pk in stored:
            await in_file_thread(reading_enqueue, file)


def _stored(file_ids: Collection[UUID]) -> set[UUID]:
    return set(File.objects.filter(pk__in=file_ids).values_list("pk", flat=True))


def _remove(files: Sequence[File]) -> None:
    for file in files:
        content_remove(file.stored_as)
