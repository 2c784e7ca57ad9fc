"""The database writes of a run's owner.

Every write checks the epoch, so that a process that has lost its lease can't write (ARCHITECTURE 3).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from psycopg.errors import UniqueViolation

from admin_config.services.selectors import approval_wait
from agents.entry_codec import entry_encode
from agents.messages import Notice, ToolCall, Usage
from agents.runtime.call_recording import CallRecord
from chat.entries import StoredEntry, as_json
from chat.models import PART_POSITION, Approval, Part, Run
from chat.storage.attached_files import generated_files_attach
from chat.storage.call_log import calls_record
from chat.storage.pending_inputs import (
    InputsPending,
    PendingInput,
    StopPending,
    inputs_mark_delivered,
    pending_from_rows,
    pending_inputs,
    pending_select,
)
from chat.storage.run_access import access_check
from chat.storage.search_columns import cost_of, tool_rows
from chat.stream.event_log import LeaseLost
from files.services import files_delete_of_conversations
from tenants.context import current_organization_id, database_pipeline
from tenants.postgres.prepared_statements import prepared

# Plain SQL, because the ORM needs half a millisecond of CPU to compile such a statement, each time.
_ACTIVE = ", ".join(f"'{status.value}'" for status in Run.ACTIVE)
_OWN_ACTIVE_RUN = f"organization_id = %s AND id = %s AND epoch = %s AND status IN ({_ACTIVE})"
_SUMS = "usage = %s, cost_usd = cost_usd + %s::float8"
_UPDATE_RUN = f"UPDATE chat_run SET status = %s, step = %s, {_SUMS} WHERE {_OWN_ACTIVE_RUN}"  # noqa: S608 - no value is in it
_FINISH_RUN = (
    f"UPDATE chat_run SET status = %s, error_code = %s, step = GREATEST(step, %s), {_SUMS}, lease_owner = '', finished_at = STATEMENT_TIMESTAMP()"  # noqa: S608 - no value is in it
    f" WHERE {_OWN_ACTIVE_RUN}"
)
_DELETE_OPEN_TEXT = "DELETE FROM chat_opentext WHERE organization_id = %s AND run_id = %s"
_TOUCH_CONVERSATION = (
    "UPDATE chat_conversation SET updated_at = STATEMENT_TIMESTAMP() WHERE organization_id = %s AND id = %s AND deleted_at IS NULL"
)


@dataclass(frozen=True, slots=True)
class NewApproval:
    """A tool call that the user must approve."""

    approval_id: str
    call: ToolCall
    host: str = ""  # see Approval.host


def run_update(*, run_id: UUID, epoch: int, **values: object) -> None:
    """Update an active run's row. Raises LeaseLost when another process owns it or it is not active any more."""
    if not Run.objects.filter(pk=run_id, epoch=epoch, status__in=Run.ACTIVE).update(**values):
        raise LeaseLost


def parts_append(
    *,
    run_id: UUID,
    epoch: int,
    conversation_id: UUID,
    message_id: UUID,
    position: int,
    entries: Sequence[StoredEntry],
    status: Run.Status,
    step: int,
    usage: Usage,
    calls: Sequence[CallRecord],
    approvals: Sequence[NewApproval] = (),
    delivered_ids: Sequence[UUID] = (),
    settled_ids: Sequence[str] = (),
    has_open_text: bool = True,
    starts_tools: bool = False,
) -> bool:
    """Append entries from `position` on, and log the model calls that produced them. Raises LeaseLost.

    `approvals`: for the ApprovalRequests among the entries. `delivered_ids`: ids of the inputs that became entries. `settled_ids`: ids of calls
    that had asked for approval and now have a result; their pending approvals are withdrawn. `has_open_text`: whether any may be stored.
    `starts_tools`: raises AccessEnded when the member may not write any more. Return True.
    """
    update_run = _UPDATE_RUN, [status.value, step, *_sums(usage, calls), current_organization_id(), run_id, epoch]
    with _raise_lease_lost_on_duplicate():
        parts = part_rows(message_id=message_id, position=position, entries=entries)
        if not calls_record(run_id=run_id, calls=calls, beside=parts, if_new=tool_rows(run_id, entries), then=update_run):
            raise LeaseLost
    if starts_tools:
        access_check(run_id)
    if has_open_text:
        open_text_delete(run_id)
    generated_files_attach(entries, conversation_id=conversation_id)
    if approvals:
        approvals_create(run_id=run_id, step=step, approvals=approvals)
    if delivered_ids:
        inputs_mark_delivered(delivered_ids)
    if settled_ids:
        pending = Approval.objects.filter(run_id=run_id, call_id__in=settled_ids, status=Approval.Status.PENDING)
        pending.update(status=Approval.Status.WITHDRAWN)
    return True


def open_text_delete(run_id: UUID) -> None:
    """Delete what was shown and is stored as parts now. Call it after the run's row was updated, so that no heartbeat adds any."""
    with connection.cursor() as cursor:
        cursor.execute(_DELETE_OPEN_TEXT, [current_organization_id(), run_id])


def unfinished_calls_record(*, run_id: UUID, epoch: int, usage: Usage, calls: Sequence[CallRecord]) -> None:
    """Log the model calls of an owner that gives up the run before they produced any entry. Raises LeaseLost."""
    run_update(run_id=run_id, epoch=epoch, usage=usage.as_dict(), cost_usd=F("cost_usd") + cost_of(calls))
    calls_record(run_id=run_id, calls=calls)


def _sums(usage: Usage, calls: Sequence[CallRecord]) -> list[Any]:
    """Return the parameters of _SUMS. `calls`: those that are stored beside."""
    return [as_json(usage.as_dict()).decode(), cost_of(calls)]


def part_rows(*, message_id: UUID, position: int, entries: Iterable[StoredEntry]) -> list[Part]:
    """Return unsaved rows for the entries, numbered from `position`."""
    rows = []
    for number, entry in enumerate(entries, start=position):
        kind, content, extras = entry_encode(entry.entry)
        rows.append(
            Part(
                message_id=message_id,
                position=number,
                step=entry.step,
                kind=kind,
                content=content,
                extras=extras,
                duration_ms=entry.duration_ms,
            )
        )
    return rows


def run_finish(
    *,
    run_id: UUID,
    epoch: int,
    conversation_id: UUID,
    message_id: UUID,
    position: int,
    answer: Sequence[StoredEntry],
    entries: Sequence[StoredEntry],
    status: Run.Status,
    usage: Usage,
    error_code: str,
    calls: Sequence[CallRecord],
    step: int,
    stored_step: int,
    has_asked: bool,
) -> list[StoredEntry]:
    """End a run: store its last entries, status, usage and model calls. Return the entries that were stored.

    `answer`: the last answer, when it is not stored yet, and `stored_step` is its step. `entries`: partial text and notices.

    Pending messages keep a run from being done. If the run failed or was stopped, they are appended, so that the next answer knows them.
    `has_asked`: whether the run ever asked for an approval; pending ones are withdrawn. Raises LeaseLost, InputsPending.
    """
    is_deleted, waiting = _finish_row(run_id, epoch, conversation_id, [status.value, error_code, stored_step, *_sums(usage, calls)])
    if status == Run.Status.DONE and any(each.is_message for each in waiting):
        raise InputsPending
    pending_messages = [StoredEntry(each.entry, step) for each in waiting if each.is_message]
    notices = [each for each in entries if isinstance(each.entry, Notice)]
    last_entries = [*answer, *(each for each in entries if each not in notices), *pending_messages, *notices]
    with _raise_lease_lost_on_duplicate():
        parts = part_rows(message_id=message_id, position=position, entries=last_entries)
        calls_record(run_id=run_id, calls=calls, beside=parts, if_new=tool_rows(run_id, last_entries))
    if last_entries:
        generated_files_attach(last_entries, conversation_id=conversation_id)
    if is_deleted:
        files_delete_of_conversations(conversation_ids=[conversation_id])  # files that were generated after the delete
    if waiting:
        inputs_mark_delivered(each.id for each in waiting)
    if has_asked:
        Approval.objects.filter(run_id=run_id, status=Approval.Status.PENDING).update(status=Approval.Status.WITHDRAWN)
    return last_entries


def _finish_row(run_id: UUID, epoch: int, conversation_id: UUID, end: Sequence[Any]) -> tuple[bool, tuple[PendingInput, ...]]:
    """Update the rows of a run that ends. Return whether the conversation was deleted, and the pending inputs. One round trip.

    Raises LeaseLost.
    """
    organization_id, database = current_organization_id(), transaction.get_connection()
    with prepared(database):
        conversation, run, open_text, inputs = (database.cursor() for _ in range(4))
        with database_pipeline(database):
            conversation.execute(_TOUCH_CONVERSATION, [organization_id, conversation_id])  # first: a delete locks in the same order
            run.execute(_FINISH_RUN, [*end, organization_id, run_id, epoch])
            open_text.execute(_DELETE_OPEN_TEXT, [organization_id, run_id])  # after the lock, so that no heartbeat adds any
            inputs.execute(*pending_select(run_id))  # the run is locked now, so no further inputs can arrive
    if not run.rowcount:
        raise LeaseLost
    return not conversation.rowcount, pending_from_rows(inputs.fetchall())


@contextmanager
def _raise_lease_lost_on_duplicate() -> Iterator[None]:
    """Raises LeaseLost when a part's position is taken. An owner never writes a position twice, so the next owner has taken it."""
    try:
        yield
    except IntegrityError as exc:
        if isinstance(exc.__cause__, UniqueViolation) and exc.__cause__.diag.constraint_name == PART_POSITION:
            raise LeaseLost from exc
        raise


def run_pause(*, run_id: UUID, epoch: int, status: Run.Status, usage: Usage, calls: Sequence[CallRecord]) -> bool:
    """Let a run wait, for a person or for its client. No process owns it afterwards. Return True.

    Raises LeaseLost, InputsPending, StopPending.
    """
    run_update(
        run_id=run_id,
        epoch=epoch,
        status=status,
        usage=usage.as_dict(),
        cost_usd=F("cost_usd") + cost_of(calls),
        lease_owner="",
        paused_at=Now(),
    )
    open_text_delete(run_id)
    if pending_inputs(run_id):
        raise InputsPending
    if Run.objects.filter(pk=run_id).exclude(stop_requested_at=None).exists():
        raise StopPending
    calls_record(run_id=run_id, calls=calls)
    return True


def approvals_create(*, run_id: UUID, step: int, approvals: Sequence[NewApproval]) -> None:
    """Store the pending approvals. Rows that exist already are kept."""
    wait = approval_wait()
    Approval.objects.bulk_create(
        [
            Approval(
                run_id=run_id,
                approval_id=new.approval_id,
                step=step,
                call_id=new.call.id,
                tool_name=new.call.name,
                arguments_hash=arguments_hash(new.call.arguments),
                host=new.host,
                expires_at=Now() + wait,
            )
            for new in approvals
        ],
        ignore_conflicts=True,
    )


def arguments_hash(arguments: Mapping[str, Any]) -> str:
    """Return the SHA-256 (hex) of the arguments' canonical JSON."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()
