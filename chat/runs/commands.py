"""From a person's call to the run that hears it: store, wake or go on, tell the other tabs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from agents.engine.messages import ClientOutput
from chat.runs.client_outputs import Taken, client_calls_expire, client_outputs_take
from chat.runs.inputs import Delivered, approval_decide, approval_expire, run_message_send, run_stop
from chat.runs.notifications import announce_conversation
from chat.runs.queueing import enqueue
from chat.runs.supervisor import Draining, RunSupervisor, run_give_up
from chat.stream.event_log import log_forget, wake_input, wake_stop
from tenants.access import Actor
from tenants.db import in_db

Result = TypeVar("Result")

_heard_tasks: set[asyncio.Task[Any]] = set()  # the loop itself keeps only weak references


async def message_into_run(actor: Actor, *, key: str, text: str, client_id: str) -> Delivered:
    """Raises ParleyError; see `run_message_send`."""
    work = partial(run_message_send, actor=actor, key=key, text=text, client_id=client_id)
    return _there(await _to_its_end(_carry_out(actor.organization_id, work)))


async def decision(actor: Actor, *, key: str, approval_id: UUID, approved: bool, reason: str) -> Delivered:
    """Raises ParleyError; see `approval_decide`."""
    work = partial(approval_decide, actor=actor, key=key, approval_id=approval_id, approved=approved, reason=reason)
    return _there(await _to_its_end(_carry_out(actor.organization_id, work)))


async def client_outputs(actor: Actor, *, key: str, outputs: Sequence[ClientOutput]) -> Taken:
    """Raises ParleyError; see `client_outputs_take`."""
    return await _to_its_end(_taken(actor, key, outputs))


async def _taken(actor: Actor, key: str, outputs: Sequence[ClientOutput]) -> Taken:
    taken = await in_db(partial(client_outputs_take, actor=actor, key=key, outputs=outputs), organization_id=actor.organization_id)
    await _heard(actor.organization_id, taken.delivered)
    return taken


async def stop(actor: Actor, *, key: str, run_id: UUID | None = None) -> Delivered | None:
    """Raises ParleyError; see `run_stop`."""
    return await _to_its_end(_carry_out(actor.organization_id, partial(run_stop, actor=actor, key=key, run_id=run_id), is_stop=True))


async def _carry_out(organization_id: UUID, work: Callable[[], Delivered | None], *, is_stop: bool = False) -> Delivered | None:
    delivered = await in_db(work, organization_id=organization_id)
    if delivered is not None and is_stop and not delivered.resumed:
        await wake_stop(delivered.run_id)
    elif delivered is not None:
        await _heard(organization_id, delivered)
    return delivered


async def _to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """A caller that leaves meanwhile leaves alone: what is stored is heard."""
    task = asyncio.ensure_future(work)
    _heard_tasks.add(task)
    task.add_done_callback(_heard_tasks.discard)
    return await asyncio.shield(task)


def _there(delivered: Delivered | None) -> Delivered:
    assert delivered is not None, "it is stored or refused"
    return delivered


async def expiry(*, organization_id: UUID, approval_row_id: UUID) -> bool:
    """Refuse an overdue request for approval; False when it was decided meanwhile."""
    delivered = await in_db(partial(approval_expire, approval_row_id=approval_row_id), organization_id=organization_id)
    if delivered is not None:
        await _heard(organization_id, delivered)
    return delivered is not None


async def client_expiry(*, organization_id: UUID, run_id: UUID) -> bool:
    """Go on with a run whose client is silent for too long; False when it has answered meanwhile."""
    delivered = await in_db(partial(client_calls_expire, run_id=run_id), organization_id=organization_id)
    if delivered is not None:
        await _heard(organization_id, delivered)
    return delivered is not None


async def _heard(organization_id: UUID, delivered: Delivered) -> None:
    """Let the run's owner know, or go on with a run that waited."""
    if delivered.resumed:
        await log_forget(delivered.run_id, delivered.epoch)
        await _go_on(delivered)
    else:
        RunSupervisor.current().wake_inbox(delivered.run_id)
        await wake_input(delivered.run_id)
    await announce_conversation(organization_id=organization_id, conversation_id=delivered.conversation_id)


async def _go_on(delivered: Delivered) -> None:
    if delivered.claim is None:
        await enqueue("chat.tasks.run_take_over", str(delivered.run_id), expires_s=30)
        return
    try:
        _ = RunSupervisor.current().start(delivered.claim)
    except Draining:
        await run_give_up(delivered.claim)
        await enqueue("chat.tasks.run_take_over", str(delivered.run_id), expires_s=30)
