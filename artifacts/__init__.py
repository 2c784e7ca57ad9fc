"""Artifacts: versioned documents, programs, diagrams and images beside a conversation (SPEC 7).

Imports files, security and tenants. agents.artifact_agents and chat call these modules:

- `services`, `edits`, `images`, `suggestions`: writes, all inside the caller's tenant transaction.
- `selectors`: reads; the only way to an artifact by its id. `access`: who may write, beside its owner.
- `merge_context`, `anchors`: merging concurrent edits, and finding a suggestion's place again.
- `live`: texts that several write at once; chat.live has their sockets. `tasks` makes versions of those that nobody ended.
- `text`: diffs, merges and UTF-16 offsets; pure functions.
- `models`, `kinds`, `schemas`, `errors`: rows, kinds, REST shapes and errors.
- `exports`, with the child process `rendering`: artifacts as files.
- `views`, `export_views`, `sandbox_views`, `urls`: Django's entry points.
"""
