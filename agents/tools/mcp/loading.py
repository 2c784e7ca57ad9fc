"""Lazy loading of the MCP SDK, which takes most of a second to import: it is imported in a thread, on first use."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, cast

from agents.tools.mcp.server import McpServer

if TYPE_CHECKING:
    from agents.tools.mcp.connection import McpConnection


async def new_connection(server: McpServer) -> McpConnection:
    """Return a connection that is not opened yet; see agents.tools.mcp.connection."""
    module = await asyncio.get_running_loop().run_in_executor(None, importlib.import_module, "agents.tools.mcp.connection")
    return cast("McpConnection", module.McpConnection(server))
