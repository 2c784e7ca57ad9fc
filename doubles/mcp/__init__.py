"""MCP servers for tests and the demo: the official SDK's own server over HTTP, and one with GitHub-like tools."""

from doubles.github.server import github_server
from doubles.mcp.app import McpDouble

__all__ = ["McpDouble", "github_server"]
