"""The tool sources, one module per kind, and the tools that an agent has without a source (`artifacts`, `sub_agents`).

Called by agents.tools.registry and agents.tools.loading; agents.api uses `http.HttpToolClient` to try a tool out.
"""
