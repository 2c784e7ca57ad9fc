"""From a message or a resume to a run that can be followed; shared by the socket and the HTTP stream."""

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

from agents.runtime.keys import NO_KEYS, RequestKeys
from chat.api.frames import ChatRequest
from chat.conversations.selectors import answer_chunks, latest_run, parse_uuid, run_is_over
from chat.conversations.send_reading import send_asks
from chat.conversations.services import answer_regenerate, message_post
from chat.errors import NothingToRegenerate
from chat.models import Run
from chat.runs.queueing import enqueue
from chat.runs.supervisor import Draining, RunSupervisor, run_give_up
from chat.storage.beginning import Posted, RunChoices
from chat.storage.loading import LoadedRun, run_load
from chat.stream.event_log import ENDED_TTL_MS, encode_entry, log_has_ended
from chat.stream.hub import Hub
from files.inline import inline_settle, inline_write
from files.models import File
from tenants.access import Actor, actor_refresh
from tenants.db import in_db
from tenants.errors import Busy
from tenants.postgres.prepared import Ask, read_ahead

JUST_ENDED = timedelta(milliseconds=ENDED_TTL_MS)

_posting: set[asyncio.Task[Posted]] = set()  # the loop itself keeps only weak references


@dataclass(frozen=True, slots=True)
class Attached:
    """A run that a viewer follows. `replay`: its chunks from the rows, when it is over and its log is gone."""

    run_id: UUID
    organization_id: UUID
    replay: list[bytes] | None = None

    def batches(self) -> AsyncGenerator[list[bytes], None]:
        """Yield the chunks (JSON texts) from the answer's start to its end. Raises LogRebuilt (see Hub.follow)."""
        return _once(self.replay) if self.replay is not None else Hub.current().follow(self.run_id, self._is_over)

    async def _is_over(self) -> bool:
        try:
            return await in_db(run_is_over, self.run_id, organization_id=self.organization_id)
        except (DatabaseError, Busy):
            return False  # asked again after the next silence


async def _once(batch: list[bytes]) -> AsyncGenerator[list[bytes], None]:
    yield batch


async def request_post(actor: Actor, request: ChatRequest, keys: RequestKeys = NO_KEYS) -> Attached:
    """Store what the client asks for and see that somebody works on it; return the run to follow. Raises ParleyError.

    A message that was sent before leads to its answer, however old that is.
    """
    posted = await _to_its_end(_posted(actor, request, keys))
    if not posted.is_new and not await log_has_ended(posted.run_id):
        replay = await in_db(_replay, posted.run_id, organization_id=actor.organization_id)
        return Attached(posted.run_id, actor.organization_id, replay)
    return Attached(posted.run_id, actor.organization_id)


async def run_begun(store: Callable[[], Posted], keys: RequestKeys, *, organization_id: UUID) -> Posted:
    """Call `store` in the organization's transaction and see that somebody works on its run, also when the caller leaves meanwhile."""
    return await _to_its_end(_post_and_start(store, keys, organization_id))


async def run_to_resume(actor: Actor, key: str) -> Attached | None:
    """The run whose stream a returning viewer gets: the active one, or one that ended or began to wait a moment ago (docs/protocol.md).

    None: nothing runs. Raises NotFound when the actor's access has ended; an unknown conversation has no run.
    """
    run = await in_db(_latest_run, actor, key, organization_id=actor.organization_id)
    if run is None:
        return None
    if run.is_active or await log_has_ended(run.pk):
        return Attached(run.pk, actor.organization_id)
    ended_at = run.finished_at or run.paused_at
    if ended_at is None or timezone.now() - ended_at > JUST_ENDED:
        return None
    # Over, but its log has no end yet, or is lost: the rows have the answer.
    return Attached(run.pk, actor.organization_id, await in_db(_replay, run.pk, organization_id=actor.organization_id))


async def _posted(actor: Actor, request: ChatRequest, keys: RequestKeys) -> Posted:
    """Store the request with the files that it brings along."""
    brought = request.brought
    files = await inline_write(actor, brought) if brought else ()
    try:
        asks = send_asks(actor, request.id, request.options.model_config_id) if request.trigger == "submit-message" else ()
        return await _post_and_start(partial(_store, actor, request, keys, files), keys, actor.organization_id, asks)
    finally:
        if files:
            await inline_settle(files, organization_id=actor.organization_id)


async def _post_and_start(store: Callable[[], Posted], keys: RequestKeys, organization_id: UUID, asks: Sequence[Ask[Any]] = ()) -> Posted:
    """`asks`: what `store` and the run's loading read for certain."""
    posted, loaded = await in_db(_post, store, keys, asks, organization_id=organization_id)
    if posted.is_new:
        await _start(posted, loaded, keys)
    return posted


async def _to_its_end(work: Coroutine[Any, Any, Posted]) -> Posted:
    """A viewer that leaves meanwhile leaves alone: what it sent is stored and answered."""
    task = asyncio.ensure_future(work)
    _posting.add(task)
    task.add_done_callback(_posting.discard)
    return await asyncio.shield(task)


def _post(store: Callable[[], Posted], keys: RequestKeys, asks: Sequence[Ask[Any]]) -> tuple[Posted, LoadedRun | None]:
    """Store the request; a run for this process is loaded in the same transaction, which saves one before the first token."""
    with read_ahead(asks):
        posted = store()
        if posted.claim is None:
            return posted, None
        return posted, run_load(run_id=posted.run_id, epoch=posted.claim.epoch, row=posted.row, branch=posted.branch, keys=keys)


def _store(actor: Actor, request: ChatRequest, keys: RequestKeys, brought: Sequence[File]) -> Posted:
    if request.trigger == "submit-message":
        return message_post(actor=actor, send=request.as_send(brought), keys=keys)
    message_id = parse_uuid(request.message_id) if request.message_id else None
    if request.message_id and message_id is None:
        raise NothingToRegenerate
    options = request.options
    chosen = RunChoices(options.model_config_id, options.thinking, options.page_state or None)
    return answer_regenerate(actor=actor, key=request.id, message_id=message_id, chosen=chosen, keys=keys)


def _replay(run_id: UUID) -> list[bytes] | None:
    """None while the run is active: its log will be written."""
    chunks = answer_chunks(run_id)
    return encode_entry(chunks).split(b"\n") if chunks is not None else None


def _latest_run(actor: Actor, key: str) -> Run | None:
    return latest_run(actor=actor_refresh(actor), key=key)


async def _start(posted: Posted, loaded: LoadedRun | None, keys: RequestKeys) -> None:
    if posted.claim is None:
        await enqueue("chat.tasks.run_take_over", str(posted.run_id), expires_s=30)
        return
    try:
        _ = RunSupervisor.current().start(posted.claim, loaded, keys)
    except Draining:
        await run_give_up(posted.claim)
        await enqueue("chat.tasks.run_take_over", str(posted.run_id), expires_s=30)
