"""Redis: clients per event loop, notifications to a member's open pages.

Any app may call `clients` (key names and connections) and `notifications`. config's Celery settings and doctor also take
`connections.sentinel_options`.

- `stores`: what is kept in Redis, and which variable says where; `addresses`: one server, Sentinels or a cluster.
- `clients`, `sync_clients`, `connections`, `cluster`: clients of event loops and of threads.
- `pauses`: of questions to a Redis that does not answer in time. `scripts`: Lua scripts.
- `channel_layer`: of sockets. `notifications`: what a member's open pages are told. `access_notices`: what `access_signals` tells
  all processes, so that they check somebody's access at once.
- `stream_listener`: reads what all processes are told. `workers`: which of them live.
"""
