"""Services of the configuration: writes, reads and checks of an organization's rows and releases.

Used by admin, forms, tasks and commands here. agents and chat read with `selectors`, `own_keys` and `github_endpoints`; agents.tools also
calls `tool_review` and `drafts.sub_agent_checks`. evaluations drives two of them: its `schedules` calls `scheduling` when a time has come, its
`canary` and its pages end canaries with `canary`. All writes need the organization's `tenant_tx`.

- `configuration`: saving and publishing; `scheduling`: at a time; `restoring`: going back; `canary`: some members first;
  `discarding`: throwing the draft away. `settings_lock`: what whoever writes holds.
- `seeding`: an organization's first rows, and those that a newer version adds. It publishes nothing.
- `drafts`: a draft as a release, and what prevents its publishing; `changes`: what a draft changes, and who did it.
- `endpoints`: tests of connections, fetched models; `openapi`: HTTP tools made of a document.
- `agents`: the agents of a kind at all providers, custom agents and assistants.
- `platform`: the defaults that the platform's operator edits.
- `model_configs`: saves models; `model_catalogue`, `price_list`: what is known of them. `currencies`: in what costs are shown.
- `replaced_secrets`: the secrets of today in an older release.
- `agent_history`: an agent's changes and releases, and what waits in the draft, as its page shows them.
- `overview`, `trials`, `breakers`, `switches`, `editors`: one page or question each.
"""
