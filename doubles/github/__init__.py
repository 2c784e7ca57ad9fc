"""A small imitation of GitHub's MCP server, for tests and the demo: `server` has the tools, `data` the repositories.

Called through doubles.mcp, which serves it over HTTP.
"""
