"""How many runs the whole installation has, by their state, for operators. Sync functions that span organizations, on `system`."""

from __future__ import annotations

from django.db import connections

from chat.models import Approval, Run

_OWNERLESS = """
SELECT count(*), coalesce(extract(epoch FROM now() - min(lease_expires_at)), 0)::float
FROM chat_run WHERE status = ANY(%s) AND lease_expires_at < now()
"""


def run_counts() -> dict[str, int]:
    """Return the numbers of runs that are under way, and of those that wait for an approval or for their page, by state.

    Three queries, each of a partial index. Runs that wait for a message are conversations at rest, and not counted.
    """
    with connections["system"].cursor() as cursor:
        cursor.execute("SELECT status, count(*) FROM chat_run WHERE status = ANY(%s) GROUP BY status", [list(Run.ACTIVE)])
        active: dict[str, int] = dict(cursor.fetchall())
    runs, approvals = Run.unscoped.using("system"), Approval.unscoped.using("system")
    return {
        **{state: active.get(state, 0) for state in Run.ACTIVE},
        Run.Status.WAITING_FOR_CLIENT.value: runs.filter(status=Run.Status.WAITING_FOR_CLIENT).count(),
        Run.Status.WAITING_FOR_APPROVAL.value: approvals.filter(status=Approval.Status.PENDING).values("run_id").distinct().count(),
    }


def ownerless_runs() -> tuple[int, float]:
    """Return how many runs have no owner, and for how many seconds the one that lost it first has had none."""
    with connections["system"].cursor() as cursor:
        cursor.execute(_OWNERLESS, [list(Run.ACTIVE)])
        count, oldest_s = cursor.fetchone()
    return int(count), float(oldest_s)
