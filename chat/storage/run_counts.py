"""How many runs the whole installation has, by their state, for operators. Sync functions that span organizations, on `system`."""

from __future__ import annotations

from typing import Final

from django.db import connections

from chat.models import Run

# Each part reads a partial index. Runs that wait for a message are conversations at rest, and not counted.
_COUNTS: Final = """
SELECT status, count(*) FROM chat_run WHERE status = ANY(%s) GROUP BY status
UNION ALL SELECT 'waiting_for_client', count(*) FROM chat_run WHERE status = 'waiting_for_client'
UNION ALL SELECT 'waiting_for_approval', count(DISTINCT run_id) FROM chat_approval WHERE status = 'pending'
"""
_OWNERLESS: Final = """
SELECT count(*), coalesce(extract(epoch FROM now() - min(lease_expires_at)), 0)::float
FROM chat_run WHERE status = ANY(%s) AND lease_expires_at < now()
"""


def run_counts() -> dict[str, int]:
    """Return how many runs are under way, and how many wait for an approval or for their page, by state. One query."""
    with connections["system"].cursor() as cursor:
        cursor.execute(_COUNTS, [list(Run.ACTIVE)])
        return dict.fromkeys((state.value for state in Run.ACTIVE), 0) | dict(cursor.fetchall())


def ownerless_runs() -> tuple[int, float]:
    """Return how many runs have no owner, and for how many seconds the one that lost it first has had none. One query."""
    with connections["system"].cursor() as cursor:
        cursor.execute(_OWNERLESS, [list(Run.ACTIVE)])
        count, oldest_s = cursor.fetchone()
    return int(count), float(oldest_s)
