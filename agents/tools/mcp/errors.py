"""What can go wrong with an MCP server, in words for the person at the screen and for the model."""

from __future__ import annotations


class McpFailed(Exception):
    """The server gave no usable answer. The text is a plain sentence without secrets."""


class McpUnauthorized(McpFailed):
    """The server did not take the key."""


class McpGone(McpFailed):
    """The connection ended. Whether the call was carried out is not known."""


def gone(server: str) -> McpGone:
    return McpGone(f"{server} ended the connection before it had answered.")
