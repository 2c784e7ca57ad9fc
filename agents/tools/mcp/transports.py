"""The ways to a server: Streamable HTTP through our own door, or a program that the operator names."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from django.conf import settings
from mcp.client._transport import TransportStreams
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from agents.tools.mcp.errors import McpError
from agents.tools.mcp.server import McpServer
from security.egress.client import private_client

MAX_EVENT_BYTES = 8 * 1024 * 1024


def open_transport(server: McpServer, *, on_status: Callable[[int], None]) -> AbstractAsyncContextManager[TransportStreams]:
    """The way to the server. Raises McpError for a program that the operator does not name."""
    if not server.stdio_server:
        return _http(server, on_status)
    program = settings.MCP_STDIO_SERVERS.get(server.stdio_server)
    if program is None:
        raise McpError(f"The operator's settings name no MCP server {server.stdio_server} (MCP_STDIO_SERVERS).")
    return stdio_client(StdioServerParameters(command=program["command"], args=program.get("args", []), env=program.get("env")))


@asynccontextmanager
async def _http(server: McpServer, on_status: Callable[[int], None]) -> AsyncGenerator[TransportStreams]:
    async with (
        private_client(server.headers, on_status=on_status) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=MAX_EVENT_BYTES) as streams,
    ):
        yield streams
