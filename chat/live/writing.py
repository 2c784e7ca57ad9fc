"""What the pages of one document type, on its way to the database.

Everything that waits becomes one transaction and one update, while the next changes gather: twenty writers cost little more than one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID

from artifacts.live.access import artifact_to_write, artifact_writers
from artifacts.live.documents import LiveChange, ReadText, StoredChanges, live_changes_store
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotAllowed, ParleyError

MAX_AT_ONCE: Final = 100
CHECK_HOLDS_S: Final = 1.0  # a right that was looked at within this time is not looked at again


@dataclass(eq=False, slots=True)
class _Batch:
    """Changes that are stored together. `work` returns why each was refused; None for one that is stored."""

    changes: list[LiveChange] = field(default_factory=list)
    unchecked: set[Actor] = field(default_factory=set)
    work: asyncio.Task[list[ParleyError | None]] = field(init=False)


class ChangeWriter:
    """Stores the changes that come to this process, in their order. It keeps the text for the next ones: reading it costs more than all else."""

    def __init__(self, organization_id: UUID, artifact_id: UUID) -> None:
        self._organization_id, self._artifact_id = organization_id, artifact_id
        self._gathering: _Batch | None = None
        self._newest: asyncio.Task[list[ParleyError | None]] | None = None
        self._text: ReadText | None = None

    async def store(self, change: LiveChange, *, checked_at: float) -> None:
        """Return when it is stored. `checked_at`: when its actor's right was looked at, in the loop's time.

        Raises what `live_changes_store` refuses it for, NotAllowed, and errors of the database.
        """
        batch = self._batch()
        batch.changes.append(change)
        if checked_at < asyncio.get_running_loop().time() - CHECK_HOLDS_S:
            batch.unchecked.add(change.actor)
        place = len(batch.changes) - 1
        outcomes = await asyncio.shield(batch.work)  # a socket that goes takes no other's change with it
        if (refusal := outcomes[place]) is not None:
            raise refusal

    def _batch(self) -> _Batch:
        batch = self._gathering
        if batch is None or len(batch.changes) >= MAX_AT_ONCE:
            self._gathering = batch = _Batch()
            self._newest = batch.work = asyncio.create_task(self._store(batch, after=self._newest))
        return batch

    async def _store(self, batch: _Batch, *, after: asyncio.Task[list[ParleyError | None]] | None) -> list[ParleyError | None]:
        """Store what has gathered by the time at which the batch before is stored."""
        if after is not None:
            await asyncio.wait({after})
        if self._gathering is batch:
            self._gathering = None
        snapshot, self._text = self._text, None
        work = partial(_changes_store, self._artifact_id, batch.changes, batch.unchecked, snapshot)
        result = await in_db(work, organization_id=self._organization_id)
        self._text = result.text
        return result.refusals


def refused_actors(artifact_id: UUID, actors: Collection[Actor]) -> set[Actor]:
    """Return those who may not write here any more. A few queries for all who may, and some for each other one."""
    writers = artifact_writers(artifact_id)
    return {actor for actor in actors if not (actor.can_write and actor.membership_id in writers) and _is_refused(artifact_id, actor)}


def _is_refused(artifact_id: UUID, actor: Actor) -> bool:
    try:
        artifact_to_write(artifact_id=artifact_id, actor=actor)
    except ParleyError:
        return True
    return False


def _changes_store(
    artifact_id: UUID, changes: Sequence[LiveChange], unchecked: Collection[Actor], snapshot: ReadText | None
) -> StoredChanges:
    non_writers = refused_actors(artifact_id, unchecked)
    allowed = [change for change in changes if change.actor not in non_writers]
    result = live_changes_store(artifact_id=artifact_id, changes=allowed, snapshot=snapshot)
    outcomes = iter(result.refusals)
    return StoredChanges([NotAllowed() if change.actor in non_writers else next(outcomes) for change in changes], result.text)
