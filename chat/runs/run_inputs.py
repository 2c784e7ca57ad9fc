"""Stores inputs of runs: messages while a run works, replies and decisions while it waits (docs/decisions/0006-waits-and-inputs.md).

Sync functions that need the organization's transaction. A waiting run is resumed in the same transaction. After the commit, the caller
acknowledges the input and wakes the run's owner.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from agents.messages import ApprovalResponse
from chat.conversations.selectors import conversation_get_for_user, stored_call
from chat.conversations.services import clean_text, require_writer
from chat.conversations.ui_messages import duration_ms
from chat.errors import AlreadyDecided, RunEnded, TooManyInputs
from chat.models import Approval, Conversation, Run, RunInput
from chat.storage.leases import Claim, lease_expired, lease_expiry, process_name
from chat.storage.run_writes import arguments_hash
from security.audit import audit
from tenants.access import Actor
from tenants.errors import NotFound

MAX_PENDING_INPUTS = 20  # per run
EXPIRED = "Nobody decided in time."  # other languages: frontend/src/chat/work/RefusalReason.tsx


@dataclass(frozen=True, slots=True)
class InputReceipt:
    """The result of storing an input: its run."""

    run_id: UUID
    conversation_id: UUID
    answer_id: UUID
    claim: Claim | None  # this process's claim on a resumed run; None: a worker takes it, or it was not resumed
    resumed: bool  # the run waited and continues now, under `epoch`
    epoch: int = 0


def run_message_send(*, actor: Actor, key: str, text: str, client_id: str) -> InputReceipt:
    """Send a message into the conversation's open run. It interrupts a working run; a waiting run resumes.

    A repeated client id changes nothing. Locks the run. Raises NotAllowed, NotFound, BadRequest, RunEnded, TooManyInputs.
    """
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key)
    text = clean_text(text)
    run = open_run(conversation)
    if (earlier := _run_of_same_input(conversation, client_id)) is not None:  # under the run's lock: the same send may arrive twice
        return InputReceipt(earlier.pk, conversation.pk, earlier.answer_id, None, resumed=False)
    if run is None:
        raise RunEnded
    if RunInput.objects.filter(run=run, delivered_at=None).count() >= MAX_PENDING_INPUTS:
        raise TooManyInputs
    RunInput.objects.create(run=run, kind=RunInput.Kind.MESSAGE, client_id=client_id, content={"text": text})
    return run_resume_if_waiting(run)


def approval_decide(*, actor: Actor, key: str, approval_id: UUID, approved: bool, reason: str = "", lasts: bool = False) -> InputReceipt:
    """Allow or refuse a call, once. Raises NotAllowed, NotFound, AlreadyDecided (also when it expired or its run ended).

    `lasts`: also allow the tool's other calls to the same host, those that wait now and those of the rest of the conversation. It is
    ignored where that was not offered.
    """
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key)
    run = open_run(conversation)
    approval = Approval.objects.filter(run__conversation=conversation, approval_id=approval_id).order_by("-created_at").first()
    if approval is None:
        raise NotFound
    if run is None or approval.run_id != run.pk or approval.status != Approval.Status.PENDING or approval.expires_at <= timezone.now():
        raise AlreadyDecided(approval.run_id)
    status = Approval.Status.APPROVED if approved else Approval.Status.DENIED
    if not (approved and lasts and approval.host):
        return _decide(run, approval, status, reason=reason, decided_by=actor)
    others = Approval.objects.filter(run=run, status=Approval.Status.PENDING, tool_name=approval.tool_name, host=approval.host)
    for other in others.exclude(pk=approval.pk).filter(expires_at__gt=timezone.now()):
        _record_decision(run, other, status, reason="", decided_by=actor)
    return _decide(run, approval, status, reason="", decided_by=actor, lasts=True)


def run_stop(*, actor: Actor, key: str, run_id: UUID | None = None) -> InputReceipt | None:
    """Request a stop of the conversation's open run. A waiting run resumes, to end itself.

    Return None when there is no open run, or it is not `run_id`. Locks the run. Raises NotAllowed, NotFound.
    """
    run = open_run(conversation_get_for_user(actor=require_writer(actor), key=key))
    if run is None or run_id not in (None, run.pk):
        return None
    Run.objects.filter(pk=run.pk).update(stop_requested_at=Now())
    return run_resume_if_waiting(run)


def run_end(*, run_id: UUID, actor_user_id: int | None = None, action: str = "run.end") -> InputReceipt | None:
    """Request a stop as an admin, or as the platform's operator (`manage.py runs --end`; None). Return None when the run has ended.

    `action`: of the event in the organization's audit log. Locks the run.
    """
    run = Run.objects.select_for_update().filter(pk=run_id, finished_at=None).first()
    if run is None:
        return None
    Run.objects.filter(pk=run.pk).update(stop_requested_at=Now())
    audit(organization_id=run.organization_id, actor_user_id=actor_user_id, action=action, object_kind="run", object_id=run.pk)
    return run_resume_if_waiting(run, in_this_process=False)


def approval_expire(*, approval_row_id: UUID) -> InputReceipt | None:
    """Refuse a call whose approval has expired. Return None when it was decided in the meantime. Locks the run."""
    approval = Approval.objects.filter(pk=approval_row_id).first()
    run = Run.objects.select_for_update().filter(pk=approval.run_id, finished_at=None).first() if approval else None
    pending = Approval.objects.filter(pk=approval_row_id, status=Approval.Status.PENDING, expires_at__lte=Now()).first() if run else None
    return _decide(run, pending, Approval.Status.EXPIRED, reason=EXPIRED, in_this_process=False) if run and pending else None


def _decide(
    run: Run,
    approval: Approval,
    status: Approval.Status,
    *,
    reason: str,
    decided_by: Actor | None = None,
    in_this_process: bool = True,
    lasts: bool = False,
) -> InputReceipt:
    _record_decision(run, approval, status, reason=reason, decided_by=decided_by, lasts=lasts)
    return run_resume_if_waiting(run, in_this_process=in_this_process)


def _record_decision(
    run: Run, approval: Approval, status: Approval.Status, *, reason: str, decided_by: Actor | None, lasts: bool = False
) -> None:
    if status == Approval.Status.APPROVED and arguments_hash(stored_call(run, approval.call_id).arguments) != approval.arguments_hash:
        raise AlreadyDecided  # the call that was shown is not the one that would run
    approval.status, approval.reason, approval.decided_at = status, reason.replace("\x00", "")[:500], timezone.now()
    approval.decided_by_id = decided_by.membership_id if decided_by else None
    approval.save(update_fields=["status", "reason", "decided_by", "decided_at"])
    approved = status == Approval.Status.APPROVED
    response = ApprovalResponse(str(approval.approval_id), approval.call_id, approved, "" if approved else approval.reason, lasts)
    RunInput.objects.create(run=run, kind=RunInput.Kind.DECISION, content=asdict(response))
    audit(
        organization_id=run.organization_id,
        actor_user_id=decided_by.user_id if decided_by else None,
        action=f"approval.{status.value}",
        object_kind="tool call",
        object_id=approval.pk,
        detail={"run": str(run.pk), "tool": approval.tool_name, "step": approval.step, **({"lasts_for": approval.host} if lasts else {})},
    )


def run_resume(run: Run, *, in_this_process: bool = True) -> Claim | None:
    """Resume a waiting run under the next epoch. Return this process's claim, or None when a worker takes it."""
    inline = in_this_process and settings.RUN_EXECUTOR == "inline"
    Run.objects.filter(pk=run.pk, status__in=Run.WAITING).update(
        status=Run.Status.INITIALIZING,
        epoch=F("epoch") + 1,
        takeovers=0,
        waited_ms=F("waited_ms") + _waited_ms(run),
        lease_owner=process_name() if inline else "",
        lease_expires_at=lease_expiry() if inline else lease_expired(),
    )
    return Claim(run.pk, run.organization_id, run.epoch + 1) if inline else None


def _waited_ms(run: Run) -> int:
    return duration_ms(run.paused_at, timezone.now()) if run.paused_at else 0


def run_resume_if_waiting(run: Run, *, in_this_process: bool = True) -> InputReceipt:
    """Resume the run if it waits. Return the receipt of the input that was just stored."""
    is_waiting = run.status in Run.WAITING
    claim = run_resume(run, in_this_process=in_this_process) if is_waiting else None
    return InputReceipt(run.pk, run.conversation_id, run.answer_id, claim, resumed=is_waiting, epoch=run.epoch + is_waiting)


def open_run(conversation: Conversation) -> Run | None:
    """Return the conversation's run that has not ended, or None. Locks it, so that it neither ends nor pauses in this transaction."""
    return Run.objects.select_for_update().filter(conversation=conversation, finished_at=None).first()


def _run_of_same_input(conversation: Conversation, client_id: str) -> Run | None:
    if not client_id:
        return None
    same = RunInput.objects.filter(run__conversation=conversation, client_id=client_id).select_related("run").first()
    return same.run if same else None
