"""The tool sources, one module per kind, and the tools that an agent has without a source (`artifacts`,
`project_files`, `sub_agents`).

- `mcp`, `http`, `github`: servers of others. `fetch_url`, `search`: the web. `files`, `templates`: what Parley has.
- `plan`, `page_state`, `page_tool`: what the user sees of the work, and the page around the chat.

Called by agents.tools.registry and agents.tools.loading; agents.api uses `http.HttpToolClient` to try a tool out.
"""
