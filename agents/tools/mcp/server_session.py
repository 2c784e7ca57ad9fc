"""The tools of one MCP server in one run: what was reviewed, called over one connection (SECURITY 29)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from agents.engine.errors import ToolFailed
from agents.engine.messages import ToolDefinition
from agents.engine.ports import ToolContext, ToolOutcome, ToolTraits
from agents.tools.mcp.definitions import MAX_DESCRIPTION_CHARS, Definitions, PinnedTool, definitions_of
from agents.tools.mcp.loading import new_connection
from agents.tools.mcp.server import McpError, McpServer

if TYPE_CHECKING:
    from agents.tools.mcp.connection import McpConnection

TIMEOUT_MARGIN_S = 5.0  # for a tool's time limit, so that the connection's own comes first
TOOL_CHANGED_TEXT = (
    "Not called: {server} has changed the tool {name} since an admin of this organization reviewed it. "
    "It can be used again when an admin has accepted the change. Tell the user so."
)
TOOL_REMOVED_TEXT = (
    "Not called: {server} no longer has the tool {name}. An admin of this organization has to review its tools. Tell the user so."
)


class McpServerSession:
    """A server for one run. `resolve_server`: its address with the key, asked for at the first call. `on_changed`: hears what the server offers
    when that is not what was accepted. Closed with `exit_stack`.
    """

    def __init__(
        self,
        *,
        accepted: Definitions,
        resolve_server: Callable[[], Awaitable[McpServer]],
        on_changed: Callable[[Definitions], Awaitable[None]],
        exit_stack: AsyncExitStack,
    ) -> None:
        self._accepted = accepted
        self._opening = resolve_server
        self._changed = on_changed
        self._closing = exit_stack
        self._lock = asyncio.Lock()
        self._connection: McpConnection | None = None
        self._offered: Definitions | None = None

    async def call(self, tool: PinnedTool, arguments: dict[str, Any]) -> ToolOutcome:
        """Raises ToolFailed: the server is away, or offers another tool than the one that was accepted."""
        try:
            connection, offered = await self._connect()
            from agents.tools.mcp.results import tool_outcome

            if problem := _refusal(connection.server.label, tool, offered):
                raise ToolFailed(problem)
            return tool_outcome(await connection.call(tool.name, arguments, repeatable=tool.read_only), connection.server)
        except McpError as error:
            raise ToolFailed(str(error)) from error

    async def _connect(self) -> tuple[McpConnection, Definitions]:
        async with self._lock:
            if self._connection is None:
                self._connection = await new_connection(await self._opening())
                self._closing.push_async_callback(self._connection.aclose)
            if self._offered is None:
                self._offered = definitions_of(await self._connection.tools())
                if self._offered != self._accepted:
                    await self._changed(self._offered)
            return self._connection, self._offered


class McpToolCaller(Protocol):
    """Who calls a server's tools."""

    async def call(self, tool: PinnedTool, arguments: dict[str, Any]) -> ToolOutcome:
        """Raises ToolFailed."""
        ...


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool of a server as the model has it. Implements `Tool`."""

    definition: ToolDefinition
    traits: ToolTraits
    pinned: PinnedTool
    server: McpToolCaller

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return await self.server.call(self.pinned, arguments)


def definition_for(name: str, tool: PinnedTool) -> ToolDefinition:
    """What the model is told of the tool, which it calls `name`."""
    return ToolDefinition(name=name, description=tool.description[:MAX_DESCRIPTION_CHARS], input_schema=tool.input_schema)


def _refusal(server: str, tool: PinnedTool, offered: Definitions) -> str:
    now = offered.get(tool.name)
    if now is None:
        return TOOL_REMOVED_TEXT.format(server=server, name=tool.name)
    return "" if now.hash == tool.hash else TOOL_CHANGED_TEXT.format(server=server, name=tool.name)
