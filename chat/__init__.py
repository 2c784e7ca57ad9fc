"""Conversations: their storage, the runs that answer messages, the streams that viewers follow, and the APIs.

Packages, from the top; each imports only those below it (import-linter checks this):

- `urls`, `token_urls`, `routing`: URLs of HTTP and sockets. `admin` registers the pages of the rooms below.
- `tasks`: approvals that expire, runs that a worker takes, titles, the index of texts, holds of lost processes, sums of hours, the purge.
- `mcp_server`: agents, documents and prompts for MCP clients, at /mcp.
- `openai_api`: the OpenAI-compatible API under /v1/.
- `exports`, `live`: conversations as files; sockets of documents that several write. `operations`: the board for admins and the operator.
- `api`: the chat socket, server-sent events, REST views and the chat page. `projects`, `from_templates`: REST views beside it.
- `explorer`, `feedback`, `overview`: pages of admins: runs, ratings, sums of hours.
- `runs`: who owns a run, how it is executed, recovered and stopped.
- `conversations`: reads and writes of conversations for the APIs.
- `search`: the index of texts, its upkeep and what it is asked.
- `storage`: the database reads and writes of runs, branches, leases and the call log.
- `stream`: AI SDK chunks and the event log in Redis.
- `entries`, `errors`: stored entries, and the errors that callers see.
- `models`: the tables.

`templatetags` holds the template tag that loads the front end. The apps above import `conversations`, `models` and some of `storage`.
"""
