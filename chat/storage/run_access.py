"""Whether the member for whom a run works may still write, and by the token that began it."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import connection, connections

from agents.messages import Notice
from tenants.access import ACCESS_END
from tenants.context import current_organization_id

_COLUMNS = {"token_id": "r.token_id", "organization": "r.organization_id", "membership": "c.owner_id"}
_ENDS = f"""
SELECT r.id, {ACCESS_END.format(**_COLUMNS)}
FROM chat_run r JOIN chat_conversation c ON c.organization_id = r.organization_id AND c.id = r.conversation_id
"""  # noqa: S608 - no value is in it

_TEXTS = {
    "user": "Stopped, because the account of the person who asked is no longer active.",
    "organization": "Stopped, because the organization is no longer active.",
    "role": "Stopped, because the person who asked may no longer write here.",
    "token": "Stopped, because the token that asked has expired or was revoked.",
}


class AccessEnded(Exception):
    """The member for whom the run works may not write any more. `reason`: a key of the texts above."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def access_notice(reason: str) -> Notice:
    """Return what is said in an answer that ends because access has ended."""
    return Notice(code="access_ended", text=f"{_TEXTS[reason]} What was written so far is kept.", level="warning")


def access_ends(run_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return, for those of these runs whose member may not write any more, the reason. For `in_db(..., using="system")`.

    Not part of the leases' renewal, so that a lock on the tables of members costs no run its lease.
    """
    with connections["system"].cursor() as cursor:
        cursor.execute(f"{_ENDS} WHERE r.id = ANY(%s)", [list(run_ids)])
        return {run_id: reason for run_id, reason in cursor.fetchall() if reason}


def access_check(run_id: UUID) -> None:
    """Raises AccessEnded when the run's member may not write any more. In the organization's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(f"{_ENDS} WHERE r.organization_id = %s AND r.id = %s", [current_organization_id(), run_id])
        row = cursor.fetchone()
    if row is not None and row[1]:
        raise AccessEnded(row[1])
