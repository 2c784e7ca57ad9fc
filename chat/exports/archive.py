"""An export as a ZIP: the conversation as Markdown, and each document as a file. It is sent while it is made, one file at a time."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Final
from uuid import UUID

from artifacts.exports import ExportSource, artifact_download
from artifacts.images import image_file
from artifacts.kinds import kind_get
from artifacts.models import Version
from chat.exports.contents import ExportContents
from files.storage import content_read, in_file_thread
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotFound

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
        taken, self._waiting = bytes(self._waiting), bytearray()
        return taken


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
            for version, stored_as in await in_db(_with_files, read, actor, organization_id=actor.organization_id):
                await in_file_thread(_add, archive, paths, version, stored_as)
                yield sink.take()
    yield sink.take()


def _with_files(read: Callable[[], list[Version]], actor: Actor) -> list[tuple[Version, tuple[str, str] | None]]:
    """Return the versions, and of those of images where the bytes are, with their media type."""
    return [(version, _stored(version, actor)) for version in read()]


def _stored(version: Version, actor: Actor) -> tuple[str, str] | None:
    if kind_get(version.artifact.kind).body != "file":
        return None
    try:
        file = image_file(version, actor=actor)
    except NotFound:
        return ("", "")
    return file.shown_as, file.media_type


def _add(archive: zipfile.ZipFile, paths: _Paths, version: Version, stored: tuple[str, str] | None) -> None:
    """Add the version's file. A picture that has gone is left out."""
    artifact, file = version.artifact, None
    if stored is not None:
        try:
            file = content_read(stored[0]), stored[1]
        except (FileNotFoundError, ValueError):
            return
    made = artifact_download(ExportSource(artifact.title, kind_get(artifact.kind), version.content, file), "source")
    archive.writestr(paths.of(artifact.pk, made.name, version.number), made.content)


class _Paths:
    """Gives each version a path of its own: of two documents with one name, the second gets a number."""

    def __init__(self, all_versions: bool) -> None:
        self._all = all_versions
        self._names: dict[UUID, str] = {}
        self._taken: Counter[str] = Counter()

    def of(self, artifact_id: UUID, name: str, number: int) -> str:
        stem, _, extension = name.rpartition(".")
        if artifact_id not in self._names:
            self._taken[stem.lower()] += 1
            again = self._taken[stem.lower()]
            self._names[artifact_id] = stem if again == 1 else f"{stem} ({again})"
        own = self._names[artifact_id]
        return f"{FOLDER}/{own}/version {number}.{extension}" if self._all else f"{FOLDER}/{own}.{extension}"
