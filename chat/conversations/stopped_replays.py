"""A replay that ended at a call that was not recorded goes on once an admin has settled the call (docs/decisions/0064)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from agents.runtime.replay.recorded_calls import UNRECORDED_READING
from agents.runtime.replay.settled_calls import ENTERED, LIVE, settled_entries, stops_of
from chat.conversations.ui_messages import duration_ms
from chat.entries import StoredEntry, storable_entry
from chat.models import Part, Run
from chat.storage.leases import lease_expired
from chat.storage.run_loading import stored_entries
from chat.storage.run_writes import part_rows
from tenants.errors import BadRequest, NotFound


def replay_go_on(*, run_id: UUID, call_id: str, output: Any = None, is_live: bool = False) -> str:
    """Settle a call of an ended replay and leave the run for a process to take up. Return the tool's name. Locks the run.

    `output`: what the tool would have given. `is_live`: the tool runs instead. Needs the organization's `tenant_tx`. The caller has checked
    that the actor may administer and may read the run. Raises NotFound (the replay did not end at this call), BadRequest.
    """
    run = Run.objects.select_for_update().exclude(replay_of=None).filter(pk=run_id).first()
    if run is None:
        raise NotFound
    if run.finished_at is None:
        raise BadRequest(gettext("The replay is running."))
    rows = stored_entries(run.answer_id)
    entries = [each.entry for each in rows]
    stops = stops_of(entries)
    stop = next((each for each in stops if each.result.call_id == call_id), None)
    if stop is None:
        raise NotFound
    if is_live and stop.code != UNRECORDED_READING:
        raise BadRequest(gettext("This tool may change something, so it does not run in a replay. Enter a result."))
    placed_entries = settled_entries(entries, stop, output, is_live=is_live)
    _parts_replace(
        run.answer_id, [replace(rows[place], entry=storable_entry(entry)) for place, entry in placed_entries], since=stops[0].place
    )
    _reopen(run, {**run.settled_calls, call_id: LIVE if is_live else ENTERED})
    return stop.result.name


def _parts_replace(message_id: UUID, entries: list[StoredEntry], *, since: int) -> None:
    """Store the entries in the place of those that there are."""
    Part.objects.filter(message_id=message_id, position__gte=since).delete()
    Part.objects.bulk_create(part_rows(message_id=message_id, position=since, entries=entries[since:]))


def _reopen(run: Run, settled_calls: dict[str, str]) -> None:
    """Make the run one that nobody works on, under the next epoch. The time since its end counts as a wait."""
    wait_ms = duration_ms(run.finished_at, timezone.now()) if run.finished_at else 0
    Run.objects.filter(pk=run.pk).update(
        status=Run.Status.INITIALIZING,
        finished_at=None,
        error_code="",
        settled_calls=settled_calls,
        epoch=F("epoch") + 1,
        takeovers=0,
        waited_ms=F("waited_ms") + wait_ms,
        stop_requested_at=None,
        lease_owner="",
        lease_expires_at=lease_expired(),
    )
