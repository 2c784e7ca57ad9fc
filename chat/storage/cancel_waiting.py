"""Ends waiting runs, when their user sends a new message instead of answering, or deletes their conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db.models.functions import Now

from agents.engine.open_calls import CallRecords, Occasion, closing_entries, pending_calls
from agents.messages import Entry
from chat.entries import StoredEntry
from chat.models import Approval, Conversation, Part, Run, RunTool
from chat.storage.run_loading import stored_entry
from chat.storage.run_writes import part_rows
from chat.storage.search_columns import tool_rows


def cancel_waiting_run(conversation: Conversation) -> None:
    """End the conversation's waiting run, as `cancel_waiting_runs` does."""
    cancel_waiting_runs([conversation.pk])


def cancel_waiting_runs(conversation_ids: Sequence[UUID]) -> None:
    """End the conversations' waiting runs. Their open tool calls get refusals as their results.

    The caller holds the conversations' locks. One query when no run waits, and as many for one as for many.
    """
    runs = Run.objects.select_for_update().filter(conversation_id__in=conversation_ids, finished_at=None).order_by("pk")
    waiting = [run for run in runs if run.status in Run.WAITING]  # another request may have resumed one in the meantime
    if not waiting:
        return
    entries_by_answer: dict[UUID, list[Entry]] = {run.answer_id: [] for run in waiting}
    for part in Part.objects.filter(message_id__in=entries_by_answer).order_by("message_id", "position"):
        entries_by_answer[part.message_id].append(stored_entry(part).entry)
    parts, tools = list[Part](), list[RunTool]()
    for run in waiting:
        entries = entries_by_answer[run.answer_id]
        refusals = [StoredEntry(entry, run.step) for entry in _refusals(entries)]
        parts += part_rows(message_id=run.answer_id, position=len(entries), entries=refusals)
        tools += tool_rows(run.pk, refusals)
    Part.objects.bulk_create(parts)
    RunTool.objects.bulk_create(tools, ignore_conflicts=True)
    Approval.objects.filter(run__in=waiting, status=Approval.Status.PENDING).update(status=Approval.Status.WITHDRAWN)
    Run.objects.filter(pk__in=[run.pk for run in waiting]).update(status=Run.Status.DONE, finished_at=Now())


def _refusals(entries: list[Entry]) -> Iterator[Entry]:
    waits_for_client = CallRecords.of(entries).waits_for_client
    calls = sorted(pending_calls(entries), key=waits_for_client, reverse=True)
    return closing_entries(calls, entries, Occasion.REPLACED)
