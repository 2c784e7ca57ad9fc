"""Live documents: several people, and agents, write the text of one artifact at the same time (docs/decisions/0069).

Everything runs inside the caller's tenant transaction. chat.live has the sockets.

- `access`: who may write with others; the one place that decides it.
- `documents`: opening a live document, its updates, and taking over what others made versions of.
- `versions`: the live text as an ordinary version; `tasks` of the app above calls it for sessions that nobody ended.
- `relay`: tells the processes that have sockets of a document what has happened to it.
- `text`: the text inside a Yjs document; pure.
"""
