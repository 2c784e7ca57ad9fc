"""MCP servers for tests and the demo: the official SDK's server over HTTP, and one with tools like GitHub's.

Called through `McpDouble` and `github_server`.
"""

from doubles.github.server import github_server
from doubles.mcp.app import McpDouble

__all__ = ["McpDouble", "github_server"]
