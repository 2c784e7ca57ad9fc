"""What an organization used and what it cost (SPEC 8.6).

The call log (chat.models.ModelCall) is the only source of all figures. Nobody calls this app but URLs, beat and commands, of which config's `organization_export` reads its rows.

- `call_sums`: the SQL over the call log that all share; `rollup`: the sums by day; `repricing`: what calls without a price would have cost.
- `reading`: figures of a period. `pages`: what admins see and download. `platform`: the operator's table of organizations.
- `tools`: usage by tool.
- `reconciliation`: a provider's own figures beside ours. `savings`: hints on how to save.
- `tasks`: adds up what was called since the last round, looks for savings, counts what files take, works on repricings.
- `models`, `admin`, `views` and `shapes` (REST), `urls`, `management`.
"""
