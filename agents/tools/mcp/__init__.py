"""Client for MCP servers: connections, reviewed definitions, and results that fit a model.

Called by agents.tools.sources (`mcp`, `github`), agents.tools.github and agents.api. `connection` and `results` import the SDK,
which takes most of a second, so callers get connections from `loading`.

- `server`, `connection`, `session`: a server, and how it is reached. `server_session`: its tools during a run.
- `definitions`: tools as admins accept them. `results`: what a model gets of an answer.
- `call_clock`, `progress`: how long a call may take, and how far it is. `error_translation`: the SDK's errors as ours.
"""
