"""Finds the run that a viewer follows. Shared by the socket and the event streams."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import DatabaseError
from django.utils import timezone

from agents.runtime.key_lookup import NO_KEYS, RequestKeys
from chat.api.frames import ChatRequest
from chat.api.sends import request_start
from chat.conversations.selectors import latest_run
from chat.conversations.ui_messages import answer_chunks, run_is_over
from chat.models import Run
from chat.stream.delta_merging import split_deltas
from chat.stream.event_log import ENDED_TTL_MS, encode_entry, log_has_ended
from chat.stream.hub import Hub
from tenants.access import Actor, actor_refresh
from tenants.db import in_db
from tenants.errors import Busy

REPLAY_BATCH_BYTES = 32_000
REPLAY_WINDOW = timedelta(milliseconds=ENDED_TTL_MS)


@dataclass(frozen=True, slots=True)
class RunStream:
    """A run that a viewer follows."""

    run_id: UUID
    organization_id: UUID
    replay: list[bytes] | None = None  # its chunks from the database, if it is not active and its log is gone

    def batches(self) -> AsyncGenerator[list[bytes], None]:
        """Yield the chunks (JSON texts) from the start of the answer to its end. Raises LogRebuilt (see Hub.follow)."""
        return _replay_batches(self.replay) if self.replay is not None else Hub.current().follow(self.run_id, self._is_over)

    async def _is_over(self) -> bool:
        try:
            return await in_db(run_is_over, self.run_id, organization_id=self.organization_id)
        except (DatabaseError, Busy):
            return False  # checked again after the next silence


async def _replay_batches(chunks: list[bytes]) -> AsyncGenerator[list[bytes], None]:
    """Yield the chunks in batches of about REPLAY_BATCH_BYTES."""
    batch: list[bytes] = []
    size = 0
    for chunk in chunks:
        if batch and size + len(chunk) > REPLAY_BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(chunk)
        size += len(chunk)
    yield batch


async def request_post(actor: Actor, request: ChatRequest, keys: RequestKeys = NO_KEYS) -> RunStream:
    """Store the message or regeneration and start its run. Return the run to follow. Raises ParleyError.

    A message that was sent before returns its existing answer, however old it is.
    """
    started = await request_start(actor, request, keys)
    if not started.is_new and not await log_has_ended(started.run_id):
        replay = await in_db(_replay, started.run_id, organization_id=actor.organization_id)
        return RunStream(started.run_id, actor.organization_id, replay)
    return RunStream(started.run_id, actor.organization_id)


async def resumable_stream(actor: Actor, key: str) -> RunStream | None:
    """Return the run that a returning viewer follows: the active one, or one that ended or paused a moment ago (docs/protocol.md).

    Return None when there is none, also for an unknown conversation. Raises NotFound when the actor's access has ended.
    """
    run = await in_db(_latest_run, actor, key, organization_id=actor.organization_id)
    if run is None:
        return None
    if run.is_active or await log_has_ended(run.pk):
        return RunStream(run.pk, actor.organization_id)
    ended_at = run.finished_at or run.paused_at
    if ended_at is None or timezone.now() - ended_at > REPLAY_WINDOW:
        return None
    # It is over, but its log has no end yet or is lost: take the answer from the database.
    return RunStream(run.pk, actor.organization_id, await in_db(_replay, run.pk, organization_id=actor.organization_id))


def _replay(run_id: UUID) -> list[bytes] | None:
    """Return the answer's chunks from the database, or None while the run is active, as its log will follow."""
    chunks = answer_chunks(run_id)
    return encode_entry(split_deltas(chunks)).split(b"\n") if chunks is not None else None


def _latest_run(actor: Actor, key: str) -> Run | None:
    return latest_run(actor=actor_refresh(actor), key=key)
