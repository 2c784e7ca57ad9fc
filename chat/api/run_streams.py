"""Starts or finds the run that a viewer follows. Shared by the socket and the event streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import DatabaseError
from django.utils import timezone

from agents.runtime.key_lookup import NO_KEYS, RequestKeys
from chat.api.frames import ChatRequest
from chat.conversations.selectors import answer_chunks, latest_run, parse_uuid, run_is_over
from chat.conversations.send_prefetch import send_selects
from chat.conversations.services import answer_regenerate, message_post
from chat.errors import NothingToRegenerate
from chat.models import Run
from chat.runs.supervisor import RunSupervisor, SupervisorDraining, claim_release
from chat.runs.task_queue import enqueue
from chat.storage.run_creation import RunOptions, StartedRun
from chat.storage.run_loading import LoadedRun, run_load
from chat.stream.event_log import ENDED_TTL_MS, encode_entry, log_has_ended
from chat.stream.hub import Hub
from files.inline_files import inline_files_finish, inline_files_write
from files.models import File
from tenants.access import Actor, actor_refresh
from tenants.db import in_db
from tenants.errors import Busy
from tenants.postgres.prepared_select import BoundSelect, read_ahead

REPLAY_WINDOW = timedelta(milliseconds=ENDED_TTL_MS)

_running_requests: set[asyncio.Task[StartedRun]] = set()  # the loop itself keeps only weak references


@dataclass(frozen=True, slots=True)
class RunStream:
    """A run that a viewer follows."""

    run_id: UUID
    organization_id: UUID
    replay: list[bytes] | None = None  # its chunks from the database, if it is not active and its log is gone

    def batches(self) -> AsyncGenerator[list[bytes], None]:
        """Yield the chunks (JSON texts) from the start of the answer to its end. Raises LogRebuilt (see Hub.follow)."""
        return _single_batch(self.replay) if self.replay is not None else Hub.current().follow(self.run_id, self._is_over)

    async def _is_over(self) -> bool:
        try:
            return await in_db(run_is_over, self.run_id, organization_id=self.organization_id)
        except (DatabaseError, Busy):
            return False  # checked again after the next silence


async def _single_batch(batch: list[bytes]) -> AsyncGenerator[list[bytes], None]:
    yield batch


async def request_post(actor: Actor, request: ChatRequest, keys: RequestKeys = NO_KEYS) -> RunStream:
    """Store the message or regeneration and start its run. Return the run to follow. Raises ParleyError.

    A message that was sent before returns its existing answer, however old it is.
    """
    started = await _run_shielded(_store_with_files(actor, request, keys))
    if not started.is_new and not await log_has_ended(started.run_id):
        replay = await in_db(_replay, started.run_id, organization_id=actor.organization_id)
        return RunStream(started.run_id, actor.organization_id, replay)
    return RunStream(started.run_id, actor.organization_id)


async def run_start(store: Callable[[], StartedRun], keys: RequestKeys, *, organization_id: UUID) -> StartedRun:
    """Call `store` in the organization's transaction and start its run, even if the caller is cancelled in the meantime."""
    return await _run_shielded(_store_and_start(store, keys, organization_id))


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


async def _store_with_files(actor: Actor, request: ChatRequest, keys: RequestKeys) -> StartedRun:
    """Store the request with the files that it contains, and start its run."""
    inline_files = request.inline_files
    files = await inline_files_write(actor, inline_files) if inline_files else ()
    try:
        queries = send_selects(actor, request.id, request.options.model_config_id) if request.trigger == "submit-message" else ()
        return await _store_and_start(partial(_store, actor, request, keys, files), keys, actor.organization_id, queries)
    finally:
        if files:
            await inline_files_finish(files, organization_id=actor.organization_id)


async def _store_and_start(
    store: Callable[[], StartedRun], keys: RequestKeys, organization_id: UUID, queries: Sequence[BoundSelect[Any]] = ()
) -> StartedRun:
    """Store a request and start its run. `queries`: selects that `store` and the run's loading will certainly need."""
    started, loaded = await in_db(_store_and_load, store, keys, queries, organization_id=organization_id)
    if started.is_new:
        await _start(started, loaded, keys)
    return started


async def _run_shielded(work: Coroutine[Any, Any, StartedRun]) -> StartedRun:
    """Await the work, which continues when the viewer leaves: what it sent is stored and answered."""
    task = asyncio.ensure_future(work)
    _running_requests.add(task)
    task.add_done_callback(_running_requests.discard)
    return await asyncio.shield(task)


def _store_and_load(
    store: Callable[[], StartedRun], keys: RequestKeys, queries: Sequence[BoundSelect[Any]]
) -> tuple[StartedRun, LoadedRun | None]:
    """Store the request. A run for this process is loaded in the same transaction, which saves a transaction before the first token."""
    with read_ahead(queries):
        started = store()
        if started.claim is None:
            return started, None
        return started, run_load(run_id=started.run_id, epoch=started.claim.epoch, row=started.row, branch=started.branch, keys=keys)


def _store(actor: Actor, request: ChatRequest, keys: RequestKeys, inline_files: Sequence[File]) -> StartedRun:
    if request.trigger == "submit-message":
        return message_post(actor=actor, send=request.as_new_message(inline_files), keys=keys)
    message_id = parse_uuid(request.message_id) if request.message_id else None
    if request.message_id and message_id is None:
        raise NothingToRegenerate
    options = request.options
    run_options = RunOptions(options.model_config_id, options.thinking, options.page_state or None)
    return answer_regenerate(actor=actor, key=request.id, message_id=message_id, run_options=run_options, keys=keys)


def _replay(run_id: UUID) -> list[bytes] | None:
    """Return the answer's chunks from the database, or None while the run is active, as its log will follow."""
    chunks = answer_chunks(run_id)
    return encode_entry(chunks).split(b"\n") if chunks is not None else None


def _latest_run(actor: Actor, key: str) -> Run | None:
    return latest_run(actor=actor_refresh(actor), key=key)


async def _start(started: StartedRun, loaded: LoadedRun | None, keys: RequestKeys) -> None:
    if started.claim is None:
        await enqueue("chat.tasks.run_take_over", str(started.run_id), expires_s=30)
        return
    try:
        _ = RunSupervisor.current().start(started.claim, loaded, keys)
    except SupervisorDraining:
        await claim_release(started.claim)
        await enqueue("chat.tasks.run_take_over", str(started.run_id), expires_s=30)
