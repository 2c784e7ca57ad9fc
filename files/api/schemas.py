"""Schema of a file in the REST API (docs/protocol.md), and the function that fills it."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from files.kinds import FileKind
from files.missing_text import reason_in_words
from files.models import File
from files.signed_urls import content_url
from tenants.rest.schemas import ResponseSchema


class FileItem(ResponseSchema):
    """The URLs are valid for five minutes. `reason`: why a failed file has no text.

    `url`: to show; of a picture, a copy of nothing but its pixels. `downloadUrl`: the bytes as they came.
    """

    id: UUID
    name: str
    media_type: str
    kind: FileKind
    size_bytes: int
    state: File.State
    reason: str
    url: str
    download_url: str


class FileText(ResponseSchema):
    """What was read of a file. `text`: with a form feed before each page of a PDF but the first. `isCut`: the file has more."""

    text: str
    is_cut: bool


def file_item(file: File, *, slug: str) -> FileItem:
    return FileItem(
        id=file.pk,
        name=file.name,
        media_type=file.media_type,
        kind=cast(FileKind, file.kind),
        size_bytes=file.size_bytes,
        state=File.State(file.state),
        reason=reason_in_words(file.reason),
        url=content_url(file, slug=slug),
        download_url=content_url(file, slug=slug, is_original=True),
    )
