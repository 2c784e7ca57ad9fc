"""The audit log: who did what, on what, from where (docs/decisions/0029).

- `audit`, `platform_audit`: write one event in the caller's transaction; `count_event` (`counted`) is for what may happen a thousand
  times a minute: one row per minute and subject, written in the background.
- `actions`: categories and sentences; `sign_ins`: receivers of Django's sign-in signals; `changes`: before and after of a form.
- `reading`: filters and pages; `exports`, `webhooks`, `retention`: what happens to events later.

Tables: security.audit_models; triggers and the functions that delete: security.audit_sql.
"""

from security.audit.counted import count_event
from security.audit.writing import audit, platform_audit

__all__ = ["audit", "count_event", "platform_audit"]
