"""An answer waits for the text of the files that it was sent with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from uuid import UUID

from files.models import File
from files.services import files_settle
from tenants.db import in_db

POLL_S = 0.2


async def wait_for_files(file_ids: Collection[str], *, organization_id: UUID, timeout_s: float) -> None:
    """Return when none of the files is pending: after `timeout_s` those that still are count as failed, for good."""
    end = time.monotonic() + timeout_s
    while await in_db(_any_pending, file_ids, organization_id=organization_id):
        if time.monotonic() >= end:
            await in_db(files_settle, file_ids, organization_id=organization_id)
            return
        await asyncio.sleep(POLL_S)  # a worker of another process reads it, and its row is the only word of that


def _any_pending(file_ids: Collection[str]) -> bool:
    return File.objects.filter(pk__in=file_ids, state=File.State.PENDING).exists()
