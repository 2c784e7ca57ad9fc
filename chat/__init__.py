"""Conversations: their storage, the runs that answer messages, the streams that viewers follow, and the APIs.

Packages, from the top; each imports only those below it (import-linter checks this):

- `urls`, `token_urls`, `routing`, `tasks`: URLs of HTTP and sockets, and the Celery tasks.
- `mcp_server`: agents, documents and prompts for MCP clients, at /mcp.
- `openai_api`: the OpenAI-compatible API under /v1/.
- `api`: the chat socket, server-sent events, REST views and the chat page.
- `runs`: who owns a run, how it is executed, recovered and stopped.
- `conversations`: reads and writes of conversations for the APIs.
- `search`: the index of texts, its upkeep and what it is asked.
- `storage`: the database reads and writes of runs, branches, leases and the call log.
- `stream`: AI SDK chunks and the event log in Redis.
- `entries`, `errors`: stored entries, and the errors that callers see.
- `models`: the tables.

`templatetags` holds the template tag that loads the front end. Only `config` imports this app.
"""
