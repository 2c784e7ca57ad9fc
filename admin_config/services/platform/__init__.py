"""The platform's defaults, which its operator edits and publishes (docs/decisions/0094). Called by the operator's pages, a task, and the
operator's overview (usage).

- `releases`: the draft, what it changes, publishing it, going back. `rollout`: brings a release to the organizations.
"""
