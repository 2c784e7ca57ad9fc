"""Database reads and writes of runs: creation, loading, leases, parts, inputs, branches and the call log.

Called by chat.conversations, chat.runs, chat.api, chat.openai_api and chat.tasks. All functions are sync and run in the organization's
transaction, except those in `leases`, which use the system role, and `call_log.sent_request_of`, which reads files after it. Nothing
here checks access: callers have found the conversation through chat.conversations.selectors.
"""
