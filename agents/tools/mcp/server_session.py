"""The reviewed tools of one MCP server during a run, called over one connection (SECURITY 29)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from agents.engine.ports import ToolContext, ToolOutcome, ToolTraits
from agents.errors import ToolFailed
from agents.messages import ToolDefinition
from agents.runtime.files import RunAnswerFiles
from agents.tools.mcp.call_clock import MAX_CALL_S
from agents.tools.mcp.definitions import MAX_DESCRIPTION_CHARS, Definitions, PinnedTool, definitions_of
from agents.tools.mcp.loading import new_connection
from agents.tools.mcp.progress import Progress, ProgressCard
from agents.tools.mcp.server import McpDisconnected, McpError, McpServer

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from agents.tools.mcp.connection import McpConnection

TIMEOUT_MARGIN_S = 5.0  # added to a tool's time limit, so that the connection's own limit is reached first
TOOL_CHANGED_TEXT = (
    "Not called: {server} has changed the tool {name} since an admin of this organization reviewed it. "
    "It can be used again when an admin has accepted the change. Tell the user so."
)
TOOL_REMOVED_TEXT = (
    "Not called: {server} no longer has the tool {name}. An admin of this organization has to review its tools. Tell the user so."
)


class McpServerSession:
    """A server during one run. What it offers is checked again after a session was lost: it may be another version of the server.

    `resolve_server` returns its address and key at the first call. `on_changed` receives what the server offers when that differs from
    what was accepted. `exit_stack` closes the connection.
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
        self._definitions: Definitions | None = None

    async def call(self, tool: PinnedTool, arguments: dict[str, Any], on_progress: Callable[[Progress], None]) -> McpAnswer:
        """Call the tool. Raises ToolFailed when the server can't be reached, or when the tool differs from the accepted one."""
        try:
            connection = await self._connection_to(tool)

            async def check_again() -> None:
                self._definitions = None
                await self._connection_to(tool)

            result = await connection.call(
                tool.name, arguments, repeatable=tool.read_only, before_repeat=check_again, on_progress=on_progress
            )
            return McpAnswer(result, connection.server)
        except McpError as error:
            if isinstance(error, McpDisconnected):
                self._definitions = None
            raise ToolFailed(str(error)) from error

    async def _connection_to(self, tool: PinnedTool) -> McpConnection:
        """Return the connection, when the tool that the server offers is the accepted one. Raises ToolFailed, McpError."""
        connection, definitions = await self._connect()
        if problem := _refusal(connection.server.label, tool, definitions):
            raise ToolFailed(problem)
        return connection

    async def _connect(self) -> tuple[McpConnection, Definitions]:
        async with self._lock:
            if self._connection is None:
                self._connection = await new_connection(await self._opening())
                self._closing.push_async_callback(self._connection.aclose)
            if self._definitions is None:
                self._definitions = definitions_of(await self._connection.tools())[0]
                if self._definitions != self._accepted:
                    await self._changed(self._definitions)
            return self._connection, self._definitions


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """What a server answered to a call."""

    result: CallToolResult
    server: McpServer


class McpToolCaller(Protocol):
    """The interface for calling a server's tools."""

    async def call(self, tool: PinnedTool, arguments: dict[str, Any], on_progress: Callable[[Progress], None]) -> McpAnswer:
        """Call the tool. Raises ToolFailed."""
        ...


@dataclass(frozen=True, slots=True)
class McpTool:
    """A server's tool as the model sees it. Implements `Tool`."""

    definition: ToolDefinition
    traits: ToolTraits
    pinned: PinnedTool
    server: McpToolCaller
    images: RunAnswerFiles | None  # where images of results are stored

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        with ProgressCard(context.journal, context.call_id) as card:
            answer = await self.server.call(self.pinned, arguments, card.show)
        from agents.tools.mcp.results import stored_images, tool_outcome

        return tool_outcome(answer.result, answer.server, await stored_images(answer.result, self.images))


def call_timeout_s(server_timeout_s: float) -> float:
    """Return the time limit of a tool, which the connection's own limits reach first, also when a call is repeated."""
    return MAX_CALL_S + 2 * server_timeout_s + TIMEOUT_MARGIN_S


def definition_for(name: str, tool: PinnedTool) -> ToolDefinition:
    """Return the tool's definition for the model, under `name`."""
    return ToolDefinition(name=name, description=tool.description[:MAX_DESCRIPTION_CHARS], input_schema=tool.input_schema)


def _refusal(server: str, tool: PinnedTool, definitions: Definitions) -> str:
    now = definitions.get(tool.name)
    if now is None:
        return TOOL_REMOVED_TEXT.format(server=server, name=tool.name)
    return "" if now.hash == tool.hash else TOOL_CHANGED_TEXT.format(server=server, name=tool.name)
