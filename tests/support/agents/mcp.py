"""An MCP server on a real loopback port: the official SDK's own, with GitHub-like tools, one that grows, and one of odd answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, ImageContent, ResourceLink, TextContent

from doubles.mcp import McpDouble, github_server
from tests.support.agents.gemini import serve
from tests.support.chat.workspace import allow_egress

MCP_TOKEN = "CanaryOfTheMcpServer4Kp82vTq6Zm1"


class ServedMcp(McpDouble):
    """`url`: where it is served."""

    url = ""


@contextmanager
def mcp_double(server: MCPServer) -> Iterator[ServedMcp]:
    """Served until the block ends; it takes MCP_TOKEN alone, and may be called."""
    double = ServedMcp(server, tokens=[MCP_TOKEN])
    with serve(double) as base_url, allow_egress(base_url):
        double.url = f"{base_url}/mcp"
        yield double


@pytest.fixture
def github() -> Iterator[ServedMcp]:
    with mcp_double(github_server(read_only=False)) as double:
        yield double


def odd_server() -> MCPServer:
    """Answers that are large, structured, or no text."""
    server: MCPServer = MCPServer("odd")

    def big() -> str:
        """A megabyte."""
        return "x" * 1_000_000

    def numbers() -> dict[str, int]:
        """Structured."""
        return {"seven": 7}

    def mixed() -> CallToolResult:
        """An image, a link and a key."""
        token = TextContent(type="text", text="Use ghp_0123456789abcdefghijABCDEFGHIJ012345 to sign in.")
        image = ImageContent(type="image", data="AAAA", mime_type="image/png")
        return CallToolResult(content=[token, image, ResourceLink(type="resource_link", name="Tea", uri="repo://tea")])

    def bare() -> CallToolResult:
        """Structured content without a text of it."""
        return CallToolResult(content=[], structured_content={"seven": 7})

    def huge() -> CallToolResult:
        """The same with a number beyond 64 bits."""
        return CallToolResult(content=[], structured_content={"atoms": 10**30})

    server.add_tool(big, structured_output=False)
    server.add_tool(numbers)
    server.add_tool(mixed, structured_output=False)

    def echo() -> str:
        """The key that it was sent."""
        return f"You sent Bearer {MCP_TOKEN}"

    server.add_tool(bare, structured_output=False)
    server.add_tool(huge, structured_output=False)
    server.add_tool(echo, structured_output=False)
    server.add_tool(lambda: "fine", name="Odd.Name/here", description="Odd.")
    return server
