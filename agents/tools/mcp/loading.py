"""The SDK takes most of a second to import, so it is imported beside the event loop, when a server is first asked."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, cast

from agents.tools.mcp.server import McpServer

if TYPE_CHECKING:
    from agents.tools.mcp.connection import McpConnection


async def new_connection(server: McpServer) -> McpConnection:
    """Not opened yet; see agents.tools.mcp.connection."""
    module = await asyncio.get_running_loop().run_in_executor(None, importlib.import_module, "agents.tools.mcp.connection")
    return cast("McpConnection", module.McpConnection(server))
