"""What a run's owner writes to Postgres. Every write names the epoch: whose lease was taken can't write any more (ARCHITECTURE 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from uuid import UUID

import orjson
from django.db.models.functions import Now

from agents.calls import CallRecord
from agents.engine.messages import Usage
from chat.entries import StoredEntry, entry_to_row
from chat.eventlog import LeaseLost
from chat.models import Conversation, ModelCall, Part, PromptSnapshot, Run


def run_update(*, run_id: UUID, epoch: int, **values: object) -> None:
    """Change an active run's row. Raises LeaseLost when another process owns it or it is over."""
    if not Run.objects.filter(pk=run_id, epoch=epoch, status__in=Run.ACTIVE).update(**values):
        raise LeaseLost


def parts_append(
    *,
    run_id: UUID,
    epoch: int,
    message_id: UUID,
    position: int,
    entries: Sequence[StoredEntry],
    status: Run.Status,
    step: int,
    usage: Usage,
    calls: Sequence[CallRecord],
) -> None:
    """Add entries from `position` on, and the log of the model calls that made them. Raises LeaseLost."""
    run_update(run_id=run_id, epoch=epoch, status=status, step=step, usage=asdict(usage), open_part=None)
    Part.objects.bulk_create(part_rows(message_id=message_id, position=position, entries=entries))
    calls_record(run_id=run_id, calls=calls)


def part_rows(*, message_id: UUID, position: int, entries: Iterable[StoredEntry]) -> list[Part]:
    rows = []
    for number, stored in enumerate(entries, start=position):
        kind, content, extras = entry_to_row(stored.entry)
        rows.append(
            Part(
                message_id=message_id,
                position=number,
                step=stored.step,
                kind=kind,
                content=content,
                extras=extras,
                duration_ms=stored.duration_ms,
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
    entries: Sequence[StoredEntry],
    status: Run.Status,
    usage: Usage,
    error_code: str,
    calls: Sequence[CallRecord],
) -> None:
    """End a run: its last entries (partial text, notice), its status and usage, the conversation's time. Raises LeaseLost."""
    # The conversation first, as a delete locks it first too.
    Conversation.objects.filter(pk=conversation_id).update(updated_at=Now())
    run_update(
        run_id=run_id,
        epoch=epoch,
        status=status,
        usage=asdict(usage),
        error_code=error_code,
        open_part=None,
        lease_owner="",
        finished_at=Now(),
    )
    if entries:
        Part.objects.bulk_create(part_rows(message_id=message_id, position=position, entries=entries))
    calls_record(run_id=run_id, calls=calls)


def calls_record(*, run_id: UUID, calls: Sequence[CallRecord]) -> None:
    """Log model calls (SPEC 3.16); a prompt that was logged before is not stored again. At most two statements."""
    if not calls:
        return
    prompts = {prompt_hash(call): call.prompt for call in calls}
    PromptSnapshot.objects.bulk_create(
        [PromptSnapshot(content_hash=digest, content=content) for digest, content in prompts.items()], ignore_conflicts=True
    )
    ModelCall.objects.bulk_create(
        [
            ModelCall(
                run_id=run_id,
                agent_key=call.agent_key,
                model=call.model,
                prompt_hash=prompt_hash(call),
                entry_count=call.entry_count,
                settings=call.settings,
                usage=asdict(call.usage),
                finish_reason=call.finish_reason,
                error_code=call.error_code,
                first_token_ms=call.first_token_ms,
                duration_ms=call.duration_ms,
            )
            for call in calls
        ]
    )


def prompt_hash(call: CallRecord) -> str:
    return hashlib.sha256(orjson.dumps(call.prompt, option=orjson.OPT_SORT_KEYS)).hexdigest()
