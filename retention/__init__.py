"""Retention by age: what an organization deletes when it has become old (docs/decisions/0067).

- `models`, `rules`: what admins decided, within the platform's bounds; `expired_rows`: the rows that a rule concerns, to be counted or deleted.
- `removal`: deletes them, in small transactions; `tasks` calls it each hour.
- `admin`: the page with the rules and what they would delete; `views`: what members read of them.

Deleted chats, visitors' chats and the audit log have rules of their own (chat.conversations.purging, embed.tasks, security.audit).
"""
