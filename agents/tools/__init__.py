"""Tools: what gives an agent its tools, and the kinds of tool sources.

`base`: the interface of a source kind. `registry`: the list of kinds. `loading`: merges all tools of an agent.
`hosts`: which hosts tools may call. `arguments_schema`: the schema that an admin writes. `recent_calls`: how a source's last calls went.
`sources`: one module per kind, built on the clients in `github`, `http`, `mcp` and `web`.
Called by agents.orchestrator (`base`, `loading`), agents.apps (`registry`), agents.api (`github`, `http`, `mcp`, `sources.http`) and
chat.operations (`recent_calls`).
"""
