"""Leases: which process owns which run (ARCHITECTURE 3).

Sync functions that span organizations: call them through `in_db(..., using="system")`.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from django.db import connections
from django.db.models import Case, DateTimeField, F, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from chat.entries import as_json
from chat.models import Approval, OpenText, Run

log = structlog.get_logger(__name__)

LEASE_S = 6  # longer than the worst stall of an event loop; a lost run is recovered within this time and one sweep
HEARTBEAT_S = 1

_PROCESS_TOKEN = secrets.token_hex(4)  # because the operating system reuses process ids

_RENEW = """
WITH beat AS (
    SELECT * FROM unnest(%s::uuid[], %s::int[], %s::int[], %s::int[], %s::jsonb[], %s::jsonb[])
    AS beat (id, epoch, number, position, parts, calls)
), renewed AS (
    UPDATE chat_run SET lease_expires_at = now() + %s * interval '1 second'
    FROM beat
    WHERE chat_run.id = beat.id AND chat_run.epoch = beat.epoch AND chat_run.lease_owner = %s AND chat_run.finished_at IS NULL
    RETURNING chat_run.id, chat_run.organization_id, chat_run.stop_requested_at IS NOT NULL AS stop_requested, EXISTS (
        SELECT FROM chat_runinput i WHERE i.organization_id = chat_run.organization_id AND i.run_id = chat_run.id AND i.delivered_at IS NULL
    ) AS has_inputs
), opened AS (
    INSERT INTO chat_opentext (id, organization_id, run_id, epoch, number, position, parts, calls)
    SELECT gen_random_uuid(), organization_id, id, epoch, number, position, parts, calls
    FROM beat JOIN renewed USING (id) WHERE parts IS NOT NULL
    ON CONFLICT (organization_id, run_id, epoch, number) DO NOTHING
)
SELECT id, stop_requested, has_inputs FROM renewed
"""


_CLAIM_EXPIRED = """
WITH expired AS (
    SELECT id, row_number() OVER (PARTITION BY organization_id ORDER BY lease_expires_at) AS turn, lease_expires_at
    FROM chat_run WHERE status = ANY(%s) AND lease_expires_at < now() AND (lease_owner = '' OR NOT %s)
), free AS (
    SELECT run.id FROM chat_run run JOIN expired ON expired.id = run.id
    ORDER BY expired.turn, expired.lease_expires_at LIMIT %s FOR UPDATE OF run SKIP LOCKED
), claimed AS (
    UPDATE chat_run SET
        epoch = epoch + 1,
        takeovers = takeovers + CASE WHEN lease_owner = '' THEN 0 ELSE 1 END,
        lease_owner = %s,
        lease_expires_at = now() + %s * interval '1 second'
    FROM free WHERE chat_run.id = free.id AND chat_run.lease_expires_at < now()
    RETURNING chat_run.id, organization_id, epoch, takeovers
)
SELECT claimed.*, (SELECT count(*) FROM expired), EXISTS (SELECT FROM chat_run WHERE status = ANY(%s)) FROM (SELECT 1) one LEFT JOIN claimed ON true
"""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What an owner showed and spent since its last checkpoint and has not stored yet (chat.models.OpenText)."""

    number: int  # grows with each checkpoint of an owner
    position: int  # how many parts the answer has
    parts: list[dict[str, Any]]  # JSON; "more" continues the text before it
    # Model calls that are not in the call log yet: "id", and what is new of the other fields of chat.models.ModelCall.
    calls: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that this process owns from now on."""

    run_id: UUID
    organization_id: UUID
    epoch: int  # the new one
    takeovers: int = 0  # how many owners in a row were lost


class ExpiredLeases(NamedTuple):
    """What a sweep found."""

    claims: list[Claim]
    waiting: int  # runs whose lease has expired, too, and that nobody has claimed
    has_active: bool  # whether there is any active run, whoever owns it


def process_name() -> str:
    """Return this process's name in leases. Computed on each call, because a fork changes the process id."""
    return f"{socket.gethostname()[:30]}-{os.getpid()}-{_PROCESS_TOKEN}"


@dataclass(frozen=True, slots=True)
class LeaseState:
    """What a heartbeat reads from the row of a run that this process still owns."""

    stop_requested: bool
    has_inputs: bool  # whether there are inputs that the run has not read


def leases_renew(heartbeats: Sequence[tuple[UUID, int, Checkpoint | None]]) -> Mapping[UUID, LeaseState]:
    """Renew this process's leases and store the checkpoints, in one statement. Return the runs that this process still owns.

    `heartbeats`: (run id, epoch, what was shown since the last checkpoint or None for nothing). A checkpoint that is stored already is
    not stored again.
    """
    columns = (
        [run_id for run_id, _, _ in heartbeats],
        [epoch for _, epoch, _ in heartbeats],
        [None if checkpoint is None else checkpoint.number for _, _, checkpoint in heartbeats],
        [None if checkpoint is None else checkpoint.position for _, _, checkpoint in heartbeats],
        [None if checkpoint is None else _parts_json(run_id, checkpoint) for run_id, _, checkpoint in heartbeats],
        [None if checkpoint is None else as_json(checkpoint.calls).decode() for _, _, checkpoint in heartbeats],
    )
    with connections["system"].cursor() as cursor:
        cursor.execute(_RENEW, [*columns, LEASE_S, process_name()])
        return {run_id: LeaseState(stop_requested, has_inputs) for run_id, stop_requested, has_inputs in cursor.fetchall()}


def _parts_json(run_id: UUID, checkpoint: Checkpoint) -> str | None:
    """Return the JSON, or None (nothing) when it can't be encoded: one run's content must not cost all other runs their leases."""
    try:
        return as_json(checkpoint.parts).decode()
    except Exception:
        log.exception("open_text_not_stored", run_id=str(run_id))
        return None


def open_text_load(run_id: UUID, position: int) -> list[dict[str, Any]]:
    """Return what was shown of a run and not stored. `position`: how many parts are stored.

    Of several lost owners the one whose text is longest: a shorter text was never shown in its place (chat.runs.journal.deferred_reset). Call it in
    the organization's transaction.
    """
    by_owner: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = OpenText.objects.filter(run_id=run_id, position=position).order_by("epoch", "number")
    for epoch, parts in rows.values_list("epoch", "parts"):
        by_owner[epoch] += parts
    return max(by_owner.values(), key=_text_length, default=[])


def _text_length(parts: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the length of the text, and of all that is shown: thoughts count only where there is no text."""
    lengths = [(part["kind"] == "text", len(part.get("text", ""))) for part in parts]
    return sum(length for is_text, length in lengths if is_text), sum(length for _, length in lengths)


def lease_claim(run_id: UUID) -> Claim | None:
    """Claim an active run whose lease has expired, under the next epoch. Return None when a process owns it or it is not active.

    Counts as a takeover only if the former owner died, not if it released the run: deployments must not use up an answer's takeovers.
    """
    free = Run.unscoped.using("system").filter(pk=run_id, status__in=Run.ACTIVE, lease_expires_at__lt=Now())
    deaths = Case(When(lease_owner="", then=0), default=1)
    if not free.update(
        epoch=F("epoch") + 1, takeovers=F("takeovers") + deaths, lease_owner=process_name(), lease_expires_at=lease_expiry()
    ):
        return None
    row = Run.unscoped.using("system").values_list("organization_id", "epoch", "takeovers").get(pk=run_id)
    return Claim(run_id, *row)


def lease_release(*, run_id: UUID, epoch: int) -> None:
    """Give up a run, so that another process can take it over without waiting for the lease to expire."""
    Run.unscoped.using("system").filter(pk=run_id, epoch=epoch, lease_owner=process_name()).update(lease_owner="", lease_expires_at=Now())


def expired_claim(limit: int, *, only_released: bool = False) -> ExpiredLeases:
    """Claim active runs whose lease has expired, at most `limit`.

    Organizations take turns, so that many runs of one do not keep another's waiting; of one organization the oldest expiry comes first.
    `only_released`: leave alone what has an owner, who may live and only could not renew its lease.
    """
    with connections["system"].cursor() as cursor:
        cursor.execute(_CLAIM_EXPIRED, [list(Run.ACTIVE), only_released, limit, process_name(), LEASE_S, list(Run.ACTIVE)])
        rows = cursor.fetchall()
    claims = [Claim(*row[:4]) for row in rows if row[0] is not None]
    *_, expired_count, has_active = rows[0]
    return ExpiredLeases(claims, max(expired_count - len(claims), 0), has_active)


def approvals_overdue(limit: int = 100) -> list[tuple[UUID, UUID]]:
    """Return (organization id, approval row id) of pending approvals that have expired, the oldest first, at most `limit`."""
    pending = Approval.unscoped.using("system").filter(status=Approval.Status.PENDING, run__finished_at=None)
    overdue = pending.filter(expires_at__lte=Now()).order_by("expires_at")
    return list(overdue.values_list("organization_id", "pk")[:limit])


def clients_overdue(wait: timedelta, limit: int = 100) -> list[tuple[UUID, UUID]]:
    """Return (organization id, run id) of runs that have waited for their client for `wait`, the longest first, at most `limit`."""
    waiting = Run.unscoped.using("system").filter(status=Run.Status.WAITING_FOR_CLIENT, paused_at__lte=Now() - wait)
    return list(waiting.order_by("paused_at").values_list("organization_id", "pk")[:limit])


def lease_expiry() -> Any:
    """Return the expression for the end of a lease that starts now, by the database's clock."""
    return RawSQL("STATEMENT_TIMESTAMP() + %s * interval '1 second'", [LEASE_S], output_field=DateTimeField())


def lease_expired() -> Any:
    """Return the expression for the end of a lease that any process may take over at once."""
    return RawSQL("STATEMENT_TIMESTAMP() - interval '1 second'", [], output_field=DateTimeField())
