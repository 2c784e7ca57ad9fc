"""Changes: what differs between two releases, or between the draft and the live one, and who changed it.

Called by the pages of releases, agents and files, by the review of tools and by `services.discarding`.

- `diff`: field by field; `change_groups`: the same in the words of the forms; `draft_authors`: who and when, from the audit log.
- `exclusion`: a draft without some of its changes; `field_authors`: who changed each field. `agent_releases`: the releases in an agent's history.
"""
