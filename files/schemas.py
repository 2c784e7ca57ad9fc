"""Schema of a file in the REST API (docs/protocol.md), and the function that fills it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from files.kinds import FileKind
from files.links import content_url
from files.models import File
from tenants.rest.schemas import ResponseSchema


class FileItem(ResponseSchema):
    """`url` is valid for five minutes. `reason`: why a failed file has no text."""

    id: UUID
    name: str
    media_type: str
    kind: FileKind
    size_bytes: int
    state: File.State
    reason: str
    url: str


def file_item(file: File, *, slug: str) -> dict[str, Any]:
    return {
        "id": str(file.pk),
        "name": file.name,
        "mediaType": file.media_type,
        "kind": file.kind,
        "sizeBytes": file.size_bytes,
        "state": file.state,
        "reason": file.reason,
        "url": content_url(file, slug=slug),
    }
