"""An export as a ZIP: the conversation as Markdown, and each document as a file. It is sent while it is made, one file at a time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator, Callable
from itertools import chain, count
from typing import TYPE_CHECKING, Final
from uuid import UUID

from artifacts.exports import ExportSource, artifact_download
from artifacts.kinds import kind_get
from artifacts.models import FILE_ID_KEY, Version
from chat.exports.contents import ExportContents
from files.models import File
from files.selectors import pictures_of_member
from files.storage import content_read, in_file_thread
from tenants.access import Actor
from tenants.db import in_db

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

CONVERSATION: Final = "conversation.md"
FOLDER: Final = "documents"


class _Sink(io.RawIOBase):
    """What the ZIP is written to. It can't seek, so that no byte that was taken is needed again."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: ReadableBuffer, /) -> int:
        self._waiting += content
        return memoryview(content).nbytes

    def take(self) -> bytes:
        chunk, self._waiting = bytes(self._waiting), bytearray()
        return chunk


async def archive_stream(text: AsyncIterator[bytes], contents: ExportContents, *, actor: Actor, all_versions: bool) -> AsyncIterator[bytes]:
    """Yield the ZIP. `text`: the conversation as Markdown."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(CONVERSATION, "w") as target:
            async for piece in text:
                target.write(piece)
                yield sink.take()
        paths = _Paths(all_versions)
        for read in contents.versions():
            for version, picture in await in_db(_with_pictures, read, actor, organization_id=actor.organization_id):
                await in_file_thread(_add, archive, paths, version, picture)
                yield sink.take()
    yield sink.take()


def _with_pictures(read: Callable[[], list[Version]], actor: Actor) -> list[tuple[Version, File | None]]:
    """Return the versions, those of images with their picture. An image whose picture is gone is left out."""
    versions = read()
    ids = {version.pk: version.metadata.get(FILE_ID_KEY, "") for version in versions if not kind_get(version.artifact.kind).is_editable}
    pictures = {str(picture.pk): picture for picture in pictures_of_member({pk for pk in ids.values() if pk}, actor=actor)}
    pairs = [(version, pictures.get(ids.get(version.pk, ""))) for version in versions]
    return [(version, picture) for version, picture in pairs if picture is not None or version.pk not in ids]


def _add(archive: zipfile.ZipFile, paths: _Paths, version: Version, picture: File | None) -> None:
    """Add the version's file. A picture whose bytes are lost is left out."""
    artifact = version.artifact
    try:
        file = (content_read(picture.shown_as), picture.media_type) if picture else None
    except FileNotFoundError:
        return
    download = artifact_download(ExportSource(artifact.title, kind_get(artifact.kind), version.content, file), "source")
    archive.writestr(paths.of(artifact.pk, download.name, version.number), download.content)


class _Paths:
    """Gives each version a path of its own: of two documents with one name, the second gets a number."""

    def __init__(self, all_versions: bool) -> None:
        self._all = all_versions
        self._names: dict[UUID, str] = {}
        self._taken_names: set[str] = set()

    def of(self, artifact_id: UUID, name: str, number: int) -> str:
        stem, _, extension = name.rpartition(".")
        own = self._names.get(artifact_id) or self._name(stem)
        self._names[artifact_id] = own
        return f"{FOLDER}/{own}/version {number}.{extension}" if self._all else f"{FOLDER}/{own}.{extension}"

    def _name(self, stem: str) -> str:
        """Return the first free name. Case counts for nothing, as on some operating systems."""
        names = chain([stem], (f"{stem} ({number})" for number in count(2)))
        free = next(name for name in names if name.lower() not in self._taken_names)
        self._taken_names.add(free.lower())
        return free
