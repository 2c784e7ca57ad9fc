"""Conversations: reads and writes on behalf of their owner, pages of messages, exports and usage.

Called by chat.api, chat.openai_api and chat.runs. `services` writes and `selectors` reads; every conversation that a user can reach
is loaded through `selectors`. `shapes` is their JSON.

- `lists`, `search` (with `search_hits`), `filing`: the list, search in all, and where a conversation lies.
- `messages`, `branch_pages`, `ui_messages`: writes about one message; pages of the branch that is shown; what the browser gets of each.
- `deletion`, `purging`, `ownership`: deleted and taken back, gone for good, of removed members.
- `export`, `personal_export`, `plain_branch`: as JSON, for a member's own export, as texts for sharing. `usage`: tokens and cost.
- `admin_reading`: whether admins may read. `trials`: talks with a draft. `stopped_replays`: replays that go on.
"""
