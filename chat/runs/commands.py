"""Commands to a run: store what a person sent, then wake or resume the run, and update the member's other tabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from uuid import UUID

from agents.messages import ClientOutput
from chat.conversations.selectors import assistant_of
from chat.runs.announcements import announce_conversation
from chat.runs.client_outputs import ToolOutputsAccepted, client_calls_expire, client_outputs_accept
from chat.runs.run_inputs import InputReceipt, approval_decide, approval_expire, run_end, run_message_send, run_stop
from chat.runs.shield import run_shielded
from chat.runs.supervisor import RunSupervisor, claim_start
from chat.runs.task_queue import take_over_enqueue
from chat.storage.open_runs import lease_revoke
from chat.stream.event_log import log_reset, signal_input, signal_stop
from limits.allowances import Allowances, Sender
from limits.counters import message_count
from limits.selectors import allowances_load
from tenants.access import Actor
from tenants.db import in_db


async def send_run_message(actor: Actor, *, key: str, text: str, client_id: str) -> InputReceipt:
    """Send a message into an open run. Raises the errors of `run_message_send`, and LimitReached: it counts like any other."""
    limits = await in_db(_limits_load, actor, key, organization_id=actor.organization_id)
    if limits:
        identity = sha256(f"{key}\n{client_id}".encode()).hexdigest()
        await message_count(Sender(actor.organization_id, actor.membership_id, None), limits, message=identity, starts_run=False)
    work = partial(run_message_send, actor=actor, key=key, text=text, client_id=client_id)
    return _require_receipt(await run_shielded(_store_and_deliver(actor.organization_id, work)))


def _limits_load(actor: Actor, key: str) -> Allowances:
    """Return the limits of a message to who answers in the conversation. Two statements."""
    return allowances_load(actor, token_id=None, assistant=assistant_of(actor=actor, key=key))


async def decide_approval(actor: Actor, *, key: str, approval_id: UUID, approved: bool, reason: str, lasts: bool = False) -> InputReceipt:
    """Allow or refuse a tool call. Raises the errors of `approval_decide`."""
    work = partial(approval_decide, actor=actor, key=key, approval_id=approval_id, approved=approved, reason=reason, lasts=lasts)
    return _require_receipt(await run_shielded(_store_and_deliver(actor.organization_id, work)))


async def accept_client_outputs(actor: Actor, *, key: str, outputs: Sequence[ClientOutput]) -> ToolOutputsAccepted:
    """Deliver the outputs of client calls. Raises the errors of `client_outputs_accept`."""
    return await run_shielded(_accept_outputs(actor, key, outputs))


async def _accept_outputs(actor: Actor, key: str, outputs: Sequence[ClientOutput]) -> ToolOutputsAccepted:
    result = await in_db(partial(client_outputs_accept, actor=actor, key=key, outputs=outputs), organization_id=actor.organization_id)
    await _deliver(actor.organization_id, result.receipt)
    return result


async def stop_run(actor: Actor, *, key: str, run_id: UUID | None = None) -> InputReceipt | None:
    """Stop the conversation's open run. Return None when there is none to stop. Raises the errors of `run_stop`."""
    return await run_shielded(
        _store_and_deliver(actor.organization_id, partial(run_stop, actor=actor, key=key, run_id=run_id), is_stop=True)
    )


async def end_run(*, organization_id: UUID, run_id: UUID, actor_user_id: int | None = None, action: str = "run.end") -> bool:
    """End a run as an admin, or as the platform's operator, keeping its text. Return False when it has ended already.

    `action`: of the event in the organization's audit log.
    """
    work = partial(run_end, run_id=run_id, actor_user_id=actor_user_id, action=action)
    return await _store_and_deliver(organization_id, work, is_stop=True) is not None


async def move_run(run_id: UUID) -> bool:
    """Take a run from its owner and let a worker take it over. Return False when no process has to work on it."""
    is_free = await in_db(lease_revoke, run_id, using="system")
    if is_free:
        await take_over_enqueue(run_id)
    return is_free


async def _store_and_deliver(
    organization_id: UUID, work: Callable[[], InputReceipt | None], *, is_stop: bool = False
) -> InputReceipt | None:
    receipt = await in_db(work, organization_id=organization_id)
    if receipt is not None and is_stop and not receipt.resumed:
        await signal_stop(receipt.run_id)
    elif receipt is not None:
        await _deliver(organization_id, receipt)
    return receipt


def _require_receipt(receipt: InputReceipt | None) -> InputReceipt:
    assert receipt is not None, "only a stop may find no run"
    return receipt


async def expire_approval(*, organization_id: UUID, approval_row_id: UUID) -> bool:
    """Refuse an expired approval. Return False when it was decided in the meantime."""
    receipt = await in_db(partial(approval_expire, approval_row_id=approval_row_id), organization_id=organization_id)
    if receipt is not None:
        await _deliver(organization_id, receipt)
    return receipt is not None


async def expire_client_calls(*, organization_id: UUID, run_id: UUID) -> bool:
    """Resume a run whose client did not answer in time. Return False when it has answered in the meantime."""
    receipt = await in_db(partial(client_calls_expire, run_id=run_id), organization_id=organization_id)
    if receipt is not None:
        await _deliver(organization_id, receipt)
    return receipt is not None


async def _deliver(organization_id: UUID, receipt: InputReceipt) -> None:
    """Resume a run that waited, or signal the owner of a working run. Then announce the conversation."""
    if receipt.resumed:
        # New viewers must not get the chunks of the pause again.
        await log_reset(receipt.run_id, receipt.epoch)
        if receipt.claim is None:
            await take_over_enqueue(receipt.run_id)
        else:
            await claim_start(receipt.claim)
    else:
        RunSupervisor.current().wake_inbox(receipt.run_id)
        await signal_input(receipt.run_id)
    await announce_conversation(organization_id=organization_id, conversation_id=receipt.conversation_id)
