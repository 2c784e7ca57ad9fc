"""What an organization used and what it cost: sums by day over the call log, the page, the statement, exports and reconciliation (SPEC 8.6).

The call log (chat.models.ModelCall) stays the only ledger. Rooms: `reading/` (figures of a period), `pages/` (what admins see and download),
`platform/` (the operator's table of organizations), `tools/` (usage by tool),
`reconciliation/` (a provider's own figures beside ours). `rollup.py` makes the sums, `ledger.py` is the SQL over the call log that all share.
Nobody calls this app but URLs of the admin sites, beat and commands.
"""
