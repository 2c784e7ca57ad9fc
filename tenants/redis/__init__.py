"""Redis: clients per event loop, notifications to a member's open pages.

Any app may call `clients` (key names and connections) and `notifications`. config's Celery settings and doctor also take
`connections.sentinel_options`.

- `stores`: what is kept in Redis, and which variable says where; `addresses`: one server, Sentinels or a cluster.
- `clients`, `sync_clients`, `connections`, `cluster`: clients of event loops and of threads.
- `pauses`: of questions to a Redis that does not answer in time. `scripts`: Lua scripts.
- `channel_layer`: of sockets. `notifications`, `access_notices`: what pages are told, and processes of whose access ends.
- `stream_listener`: reads what all processes are told. `workers`: which of them live.
"""
