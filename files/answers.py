"""The shape of files in the REST API (docs/protocol.md); files.shapes makes it."""

from __future__ import annotations

from uuid import UUID

from files.kinds import FileKind
from files.models import File
from tenants.rest.schemas import ResponseSchema


class FileItem(ResponseSchema):
    """`url` is good for five minutes. `reason`: why a failed file has no text."""

    id: UUID
    name: str
    media_type: str
    kind: FileKind
    size_bytes: int
    state: File.State
    reason: str
    url: str
