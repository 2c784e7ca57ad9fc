"""Security: secrets, outgoing HTTP requests, the audit log, redaction and response headers.

Imports only tenants. Callers use these modules:

- `secrets`: sealed secrets of endpoints, tools and members.
- `egress`: the only way to make outgoing HTTP requests.
- `audit` (with `audit_models` and `audit_sql`): the audit logs.
- `organization_policy`: saves what admins decide as keys of `Organization.policy`.
- `deletion`: deletes organizations and users, with its audit event.
- `redaction`: removes what looks like a key from logs, error texts and tool results; `known_secrets` finds secrets in what others send back.
- `logged_errors`: errors as logs have them; `csv_cells`: CSV that no spreadsheet runs; `line_files`: exports, as CSV or JSON lines.
- `api_tokens`: creating and revoking API tokens (authentication: tenants.authentication.tokens).
- `csp`: the middleware for Content Security Policy and other headers.
- `tasks`: keys of sessions that are over; audit events: counted ones, exports, webhooks, and how long they are kept.
- `models`, `secret_views`, `token_views`, `urls`, `management`: tables, REST views and commands.
"""
