"""Drafts: an organization's working rows as a release, and the problems that prevent publishing it.

`draft` composes (agents in `agent_snapshots`) and checks; publishing itself is in `services.configuration`, discarding in
`services.discarding`. Forms call the checks early, agents.tools calls `sub_agent_checks`.

- `assistant_checks`, `provider_checks`, `secret_placeholders`: what `draft` checks, one subject each.
- `tool_checks`: names of tools; `sub_agent_checks`: sub-agents, their circles and how deep they are nested.
- `draft_hashes`: hashes of what the organization has set itself, by which a changed draft is noticed.
"""
