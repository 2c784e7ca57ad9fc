"""Services of the configuration: writes, reads and checks of an organization's rows and releases.

Used by admin, forms, tasks and commands here. agents and chat read with `selectors`, `own_keys` and `github_endpoints`; agents.tools also
calls `tool_review` and `draft_checks`. All writes need the organization's `tenant_tx`.
"""
