"""Ends a waiting run when its user sends a new message instead of answering it."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models.functions import Now

from agents.engine.messages import Entry
from agents.engine.open_calls import CallRecords, Occasion, closing_entries, pending_calls
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
    waits_for_client = CallRecords.of(entries).waits_for_client
    calls = sorted(pending_calls(entries), key=waits_for_client, reverse=True)
    return closing_entries(calls, entries, Occasion.REPLACED)
