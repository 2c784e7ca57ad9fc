"""The audit log: who did what, on what, from where (docs/decisions/0029).

- `writing`: `audit` and `platform_audit` write one event in the caller's transaction.
- `event_counts`: `count_event` is for what may happen a thousand times a minute: one row per minute and subject, which `event_count_rows` writes.
- `sign_ins`, `refusals`: what is written without a caller: receivers of Django's sign-in signals, and what is refused over HTTP.
- `actions`: categories and sentences; `records`: an event as files and webhooks have it, and the columns of the CSV.
- `reading`: filters and pages; `exports`, `webhooks`, `retention`: what happens to events later; `policy`: what admins decide of it.

Tables: security.audit_models; triggers and the functions that delete: security.audit_sql.
"""

from security.audit.event_counts import count_event
from security.audit.writing import audit, platform_audit

__all__ = ["audit", "count_event", "platform_audit"]
