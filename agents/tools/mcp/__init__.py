"""Client for MCP servers: connections, reviewed definitions, and results that fit a model.

Called by agents.tools.sources (`mcp`, `github`), agents.tools.github and agents.api. `connection` and `results` import the SDK,
which takes most of a second, so callers get connections from `loading`.
"""
