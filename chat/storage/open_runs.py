"""Runs that have not ended, of all organizations, for the operator's commands `runs` and `stuck` (docs/operations.md).

Sync functions that span organizations: they use the system alias, as chat.storage.leases does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from chat.models import WAITING_FOR, Run
from chat.storage.leases import LEASE_S, lease_expired

STUCK_S = 60  # without an owner, or after it was told to stop: ten times what a takeover or a stop needs


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run under way, without its texts."""

    id: UUID
    organization_id: UUID
    organization: str  # slug
    status: str
    owner: str  # the process; empty: none
    age_s: float
    heartbeat_s: float | None  # since its owner's last heartbeat; None: nobody has to work on it
    is_stopping: bool

    @property
    def waits_for(self) -> str:
        """Return for what the run waits: approval, reply, client, a process; empty: for nothing."""
        waits = WAITING_FOR.get(self.status, "")
        return waits or ("" if self.owner else "process")


def open_runs(*, stuck_only: bool = False, run_id: UUID | None = None) -> list[OpenRun]:
    """Return the runs, the oldest first.

    `stuck_only`: those that no process works on although one has to, and those that do not stop, for STUCK_S seconds.
    """
    runs = Run.unscoped.using("system").filter(finished_at=None)
    if run_id is not None:
        runs = runs.filter(pk=run_id)
    if stuck_only:
        long_ago = Now() - timedelta(seconds=STUCK_S)
        runs = runs.filter(Q(status__in=Run.ACTIVE, lease_expires_at__lt=long_ago) | Q(stop_requested_at__lt=long_ago))
    columns = (
        "pk",
        "organization_id",
        "organization__slug",
        "status",
        "lease_owner",
        "created_at",
        "lease_expires_at",
        "stop_requested_at",
    )
    rows = runs.order_by("created_at").annotate(now=Now()).values_list(*columns, "now")
    return [_open_run(*row) for row in rows]


def _open_run(
    run_id: UUID,
    organization_id: UUID,
    slug: str,
    status: str,
    owner: str,
    created_at: datetime,
    lease_expires_at: datetime,
    stop_requested_at: datetime | None,
    now: datetime,
) -> OpenRun:
    heartbeat = (now - lease_expires_at).total_seconds() + LEASE_S if status in Run.ACTIVE and owner else None
    age = (now - created_at).total_seconds()
    return OpenRun(run_id, organization_id, slug, status, owner, age, heartbeat, stop_requested_at is not None)


def lease_revoke(run_id: UUID) -> bool:
    """Take a run from its owner, who can't write any more once another process has claimed it. Return False when no process has to work on the run."""
    active = Run.unscoped.using("system").filter(pk=run_id, finished_at=None, status__in=Run.ACTIVE)
    return bool(active.update(lease_owner="", lease_expires_at=lease_expired()))
