"""Ends a waiting run when its user sends a new message instead of answering it."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models.functions import Now

from agents.engine.context.model_context import pending_calls
from agents.engine.messages import Entry
from agents.engine.tools.step_tools import withdraw_approval
from agents.engine.tools.waiting_calls import Approvals, unanswered_call_results
from chat.entries import StoredEntry
from chat.models import Approval, Conversation, Part, Run
from chat.storage.run_loading import stored_entries
from chat.storage.run_writes import part_rows


def cancel_waiting_run(conversation: Conversation) -> None:
    """End the conversation's waiting run, if there is one. Its open tool calls get refusals as their results.

    The caller holds the conversation's lock. One query when no run waits.
    """
    run = Run.objects.select_for_update().filter(conversation=conversation, finished_at=None).first()
    if run is None or run.status not in Run.WAITING:  # another request may have resumed it in the meantime
        return
    stored = stored_entries(run.answer_id)
    refusals = [StoredEntry(entry, run.step) for entry in _refusals([each.entry for each in stored])]
    Part.objects.bulk_create(part_rows(message_id=run.answer_id, position=len(stored), entries=refusals))
    Approval.objects.filter(run=run, status=Approval.Status.PENDING).update(status=Approval.Status.WITHDRAWN)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.DONE, finished_at=Now())


def _refusals(entries: list[Entry]) -> Iterator[Entry]:
    approvals, calls = Approvals.of(entries), pending_calls(entries)
    silent = list(unanswered_call_results(calls, entries))
    yield from silent
    for call in calls:
        if call.id not in {result.call_id for result in silent}:
            yield from withdraw_approval(call, approvals)
