"""Cursors of keyset pages: opaque to clients, checked on the way in."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from uuid import UUID

from tenants.errors import BadRequest


def cursor_encode(at: datetime, row_id: UUID) -> str:
    return base64.urlsafe_b64encode(f"{at.isoformat()}|{row_id}".encode()).decode()


def cursor_decode(cursor: str) -> tuple[datetime, UUID]:
    """Raises BadRequest."""
    try:
        at, row_id = base64.urlsafe_b64decode(cursor.encode()).decode().split("|")
        return datetime.fromisoformat(at), UUID(row_id)
    except (ValueError, binascii.Error) as exc:
        raise BadRequest("This list position is not valid any more. Reload the list.") from exc
