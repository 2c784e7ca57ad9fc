"""Leases: which process owns which run (ARCHITECTURE 3).

Sync functions that span organizations: call them through `in_db(..., using="system")`.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from django.db import connections
from django.db.models import Case, DateTimeField, F, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from chat.entries import as_json
from chat.models import Approval, Run

log = structlog.get_logger(__name__)

LEASE_S = 6  # longer than the worst stall of an event loop; a lost run is recovered within this time and one sweep
HEARTBEAT_S = 1

_PROCESS_TOKEN = secrets.token_hex(4)  # because the operating system reuses process ids

_RENEW = """
UPDATE chat_run SET
    lease_expires_at = now() + %s * interval '1 second',
    open_part = COALESCE(beat.open_part, chat_run.open_part)
FROM unnest(%s::uuid[], %s::int[], %s::jsonb[]) AS beat (id, epoch, open_part)
WHERE chat_run.id = beat.id AND chat_run.epoch = beat.epoch AND chat_run.lease_owner = %s AND chat_run.finished_at IS NULL
RETURNING chat_run.id, chat_run.stop_requested_at IS NOT NULL, EXISTS (
    SELECT FROM chat_runinput i WHERE i.organization_id = chat_run.organization_id AND i.run_id = chat_run.id AND i.delivered_at IS NULL
)
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that this process owns from now on."""

    run_id: UUID
    organization_id: UUID
    epoch: int  # the new one
    takeovers: int = 0  # how many owners in a row were lost


def process_name() -> str:
    """Return this process's name in leases. Computed on each call, because a fork changes the process id."""
    return f"{socket.gethostname()[:30]}-{os.getpid()}-{_PROCESS_TOKEN}"


@dataclass(frozen=True, slots=True)
class LeaseState:
    """What a heartbeat reads from the row of a run that this process still owns."""

    stop_requested: bool
    has_inputs: bool  # whether there are inputs that the run has not read


def leases_renew(heartbeats: Sequence[tuple[UUID, int, list[dict[str, Any]] | None]]) -> Mapping[UUID, LeaseState]:
    """Renew this process's leases and store the checkpoints, in one statement. Return the runs that this process still owns.

    `heartbeats`: (run id, epoch, open parts or None for unchanged).
    """
    columns = (
        [run_id for run_id, _, _ in heartbeats],
        [epoch for _, epoch, _ in heartbeats],
        [None if text is None else _open_part_json(run_id, text) for run_id, _, text in heartbeats],
    )
    with connections["system"].cursor() as cursor:
        cursor.execute(_RENEW, [LEASE_S, *columns, process_name()])
        return {run_id: LeaseState(stop_requested, has_inputs) for run_id, stop_requested, has_inputs in cursor.fetchall()}


def _open_part_json(run_id: UUID, open_part: list[dict[str, Any]]) -> str | None:
    """Return the JSON, or None (unchanged) when it can't be encoded: one run's content must not cost all other runs their leases."""
    try:
        return as_json(open_part).decode()
    except Exception:
        log.exception("open_part_not_stored", run_id=str(run_id))
        return None


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


def runs_expired(limit: int = 100) -> list[UUID]:
    """Return the ids of active runs whose lease has expired, the oldest expiry first, at most `limit`."""
    expired = Run.unscoped.using("system").filter(status__in=Run.ACTIVE, lease_expires_at__lt=Now())
    return list(expired.order_by("lease_expires_at").values_list("pk", flat=True)[:limit])


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
