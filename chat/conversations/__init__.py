"""Conversations: reads and writes on behalf of their owner, pages of messages, exports and usage.

Called by chat.api, chat.openai_api and chat.runs. `services` writes and `selectors` reads; every conversation that a user can reach
is loaded through `selectors`. chat.tasks calls `purging`. chat.api also uses `branch_pages`, `export` and `usage`.
"""
