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
from agents.tools.mcp.definitions import DESCRIPTION_LIMIT, Definitions, PinnedTool, definitions_of
from agents.tools.mcp.errors import McpFailed
from agents.tools.mcp.loading import connection_to
from agents.tools.mcp.server import McpServer

if TYPE_CHECKING:
    from agents.tools.mcp.connection import McpConnection

SLACK_S = 5.0  # for a tool's time limit, so that the connection's own comes first
CHANGED = (
    "Not called: {server} has changed the tool {name} since an admin of this organization reviewed it. "
    "It can be used again when an admin has accepted the change. Tell the user so."
)
GONE = "Not called: {server} no longer has the tool {name}. An admin of this organization has to review its tools. Tell the user so."


class ServerTools:
    """A server for one run. `opening`: its address with the key, asked for at the first call. `changed`: hears what the server offers
    when that is not what was accepted. Closed with `closing`.
    """

    def __init__(
        self,
        *,
        accepted: Definitions,
        opening: Callable[[], Awaitable[McpServer]],
        changed: Callable[[Definitions], Awaitable[None]],
        closing: AsyncExitStack,
    ) -> None:
        self._accepted = accepted
        self._opening = opening
        self._changed = changed
        self._closing = closing
        self._lock = asyncio.Lock()
        self._connection: McpConnection | None = None
        self._offered: Definitions | None = None

    async def call(self, tool: PinnedTool, arguments: dict[str, Any]) -> ToolOutcome:
        """Raises ToolFailed: the server is away, or offers another tool than the one that was accepted."""
        try:
            connection, offered = await self._ready()
            from agents.tools.mcp.results import outcome_of

            if problem := _refusal(connection.server.label, tool, offered):
                raise ToolFailed(problem)
            return outcome_of(await connection.call(tool.name, arguments, repeatable=tool.read_only), connection.server)
        except McpFailed as error:
            raise ToolFailed(str(error)) from error

    async def _ready(self) -> tuple[McpConnection, Definitions]:
        async with self._lock:
            if self._connection is None:
                self._connection = await connection_to(await self._opening())
                self._closing.push_async_callback(self._connection.aclose)
            if self._offered is None:
                self._offered = definitions_of(await self._connection.tools())
                if self._offered != self._accepted:
                    await self._changed(self._offered)
            return self._connection, self._offered


class Calls(Protocol):
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
    server: Calls

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return await self.server.call(self.pinned, arguments)


def definition_for(name: str, tool: PinnedTool) -> ToolDefinition:
    """What the model is told of the tool, which it calls `name`."""
    return ToolDefinition(name=name, description=tool.description[:DESCRIPTION_LIMIT], input_schema=tool.input_schema)


def _refusal(server: str, tool: PinnedTool, offered: Definitions) -> str:
    now = offered.get(tool.name)
    if now is None:
        return GONE.format(server=server, name=tool.name)
    return "" if now.hash == tool.hash else CHANGED.format(server=server, name=tool.name)
