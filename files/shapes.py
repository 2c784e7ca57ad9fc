"""A file as the API gives it (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from files.links import content_url
from files.models import File


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
