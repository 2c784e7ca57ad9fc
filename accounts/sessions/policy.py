"""How long sessions last, and how long they may rest, as the organizations of their users decide (`MemberPolicy`)."""

from __future__ import annotations

import structlog
from django.db import connections

from tenants.redis.access_notices import access_notice_send

log = structlog.get_logger(__name__)

# The strictest of somebody's organizations counts. A session without a start is as old as can be.
_END = """\
DELETE FROM tenants_session s
USING (
    SELECT m.user_id, MIN({hours}) AS hours, MIN({minutes}) AS idle_minutes
    FROM tenants_membership m JOIN tenants_organization o ON o.id = m.organization_id
    WHERE m.is_active AND o.is_active AND o.policy ?| ARRAY['session_hours', 'session_idle_minutes']
    GROUP BY m.user_id
) p
WHERE s.user_id = p.user_id AND (
    (p.hours IS NOT NULL AND COALESCE(s.started_at, '-infinity') < STATEMENT_TIMESTAMP() - p.hours * INTERVAL '1 hour')
    OR s.last_used_at < STATEMENT_TIMESTAMP() - p.idle_minutes * INTERVAL '1 minute'
)
RETURNING s.session_key
"""
_NUMBER = "CASE WHEN jsonb_typeof(o.policy -> '{0}') = 'number' THEN (o.policy ->> '{0}')::float8 END"


def sessions_end_by_policy() -> int:
    """End the sessions that are older, or have rested longer, than an organization of their user allows; return how many.

    Requests and sockets of such a session end as if it had been signed out. One statement as the auth role.
    """
    statement = _END.format(hours=_NUMBER.format("session_hours"), minutes=_NUMBER.format("session_idle_minutes"))
    with connections["auth"].cursor() as cursor:
        cursor.execute(statement)
        row_keys = [row_key for (row_key,) in cursor.fetchall()]
    for row_key in row_keys:
        access_notice_send("session", row_key, using="auth")
    if row_keys:
        log.info("sessions_ended_by_policy", sessions=len(row_keys))
    return len(row_keys)
