"""What can go wrong with an MCP server, in words for the person at the screen and for the model."""

from __future__ import annotations


class McpError(Exception):
    """The server gave no usable answer. The text is a plain sentence without secrets."""


class McpUnauthorized(McpError):
    """The server did not take the key."""


class McpDisconnected(McpError):
    """The connection ended. Whether the call was carried out is not known."""


def disconnected(server: str) -> McpDisconnected:
    return McpDisconnected(f"{server} ended the connection before it had answered.")
