"""MCP servers for tests and the demo: the official SDK's own server over HTTP, and one with GitHub-like tools."""

from doubles.mcp.app import McpDouble
from doubles.mcp.github import github_server

__all__ = ["McpDouble", "github_server"]
