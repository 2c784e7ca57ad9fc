"""What an owner does when its connection broke during a commit: it looks whether the write is stored before it repeats it.

Only an owner writes under its epoch, so what is stored under it is its own. The lock on the run's row waits for the former transaction,
which has locked the row too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import structlog

from chat.entries import StoredEntry
from chat.models import Part, Run
from chat.storage.run_loading import stored_entries
from chat.stream.event_log import LeaseLost
from tenants.db import CommitUncertain, in_db, in_db_then

log = structlog.get_logger(__name__)

Result = TypeVar("Result")
ReadResult = TypeVar("ReadResult")


async def write_once(write: Callable[[], Result], find: Callable[[], Result | None], *, organization_id: UUID) -> Result:
    """Return the result of the write. `find`: return the result if it was stored, else None."""
    return await _write_until_certain(
        lambda: in_db(write, organization_id=organization_id),
        lambda: in_db(find, organization_id=organization_id),
    )


async def write_once_then(
    write: Callable[[], Result], find: Callable[[], Result | None], read: Callable[[], ReadResult], *, organization_id: UUID
) -> tuple[Result, ReadResult | None]:
    """Return the results of the write, and of the `read` that followed its commit (tenants.db.in_db_then); None: nothing was read."""

    async def find_written() -> tuple[Result, None] | None:
        result = await in_db(find, organization_id=organization_id)
        return None if result is None else (result, None)

    return await _write_until_certain(lambda: in_db_then(write, read, organization_id=organization_id), find_written)


async def _write_until_certain(write: Callable[[], Awaitable[Result]], find: Callable[[], Awaitable[Result | None]]) -> Result:
    is_uncertain = False
    while True:
        try:
            if is_uncertain and (result := await find()) is not None:
                return result
            return await write()
        except CommitUncertain:
            log.warning("commit_uncertain")
            is_uncertain = True


def find_parts(*, run_id: UUID, epoch: int, message_id: UUID, position: int) -> bool | None:
    """Return True if the parts from `position` on are stored. Raises LeaseLost."""
    _own_run(run_id, epoch)
    return Part.objects.filter(message_id=message_id, position=position).exists() or None


def find_end(*, run_id: UUID, epoch: int, message_id: UUID, position: int) -> list[StoredEntry] | None:
    """Return the entries from `position` on, if the run has ended. Raises LeaseLost."""
    return stored_entries(message_id)[position:] if _own_run(run_id, epoch).finished_at else None


def find_pause(*, run_id: UUID, epoch: int) -> bool | None:
    """Return True if the run waits. Raises LeaseLost."""
    return _own_run(run_id, epoch).status in Run.WAITING or None


def _own_run(run_id: UUID, epoch: int) -> Run:
    run = Run.objects.select_for_update(no_key=True).filter(pk=run_id, epoch=epoch).first()
    if run is None:
        raise LeaseLost
    return run
