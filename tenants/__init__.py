"""Tenants: organizations, users and memberships, and everything that keeps organizations apart.

The lowest app: every other one may import it, and it imports none of them.

- `models`, `managers`, `context`: tenant rows and the transaction that limits them to one organization.
- `access`, `members`: who acts, with which role and rights, and when their access ends; `authentication`: by which
  session or token; `request_context`: with what request.
- `access_signals`: tells sockets and runs when a row that access depends on changes.
- `db`, `errors`, `json_encoding`: database work from async code, errors that users may read, JSON output. `prefetching`: children of many rows.
- `time_ids`: ids that begin with a time. `plain_keys`, `closed_fields`: columns with rules of their own.
- `input`: texts, networks and pictures that people enter. `form_changes`: what an admin's form changed.
- `localization`, `templatetags`: the reader's language and currency, and how labels, numbers and dates are written in them.
- `postgres`: row security, database roles, and fast inserts and selects.
- `redis`: clients, pipelined commands and notifications to a member's open pages.
- `lanes`: the queues of background jobs.
- `deletion`: rows, organizations and users, deleted for good.
- `rest`: the base of all REST views, with pagination, idempotency keys and rate limits.
- `rounds`: background work on all organizations. `tasks`: old idempotent answers, expired sessions, partitions of the coming months.
- `admin`, `checks`, `urls`, `views`: Django's entry points.
"""
