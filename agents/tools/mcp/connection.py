"""Connections to MCP servers: one session at a time, and a new one after a session is lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Tool as ListedTool
from pydantic import ValidationError

from agents.tools.mcp.call_clock import CallClock
from agents.tools.mcp.error_translation import translate_error
from agents.tools.mcp.progress import Progress, ignore_progress
from agents.tools.mcp.server import McpDisconnected, McpError, McpServer
from agents.tools.mcp.session import Exchange, Session, current_exchange
from security.redaction import redact

MAX_TOOLS = 500
MAX_PAGES = 50
MAX_LIST_CHARS = 1024 * 1024  # of descriptions and schemas
MAX_PROGRESS_CHARS = 2000  # of a message, in which keys are looked for

Result = TypeVar("Result")


async def _nothing() -> None:
    pass


class McpConnection:
    """A connection to a server, used from any task. Close it in the end.

    Calls raise McpError. Each is limited by the server's `timeout_s`, including connecting; a call that reports progress may take longer.
    """

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self._session: Session | None = None
        self._sessions: set[Session] = set()  # those that may still run

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        repeatable: bool = False,
        before_repeat: Callable[[], Awaitable[None]] = _nothing,
        on_progress: Callable[[Progress], None] = ignore_progress,
    ) -> CallToolResult:
        """Call the server's tool and return its result; a tool that failed sets `is_error`.

        A call whose session or connection was lost is repeated once on a new one, if the server has certainly not carried it out or if it
        is `repeatable`, so that calling twice does no harm. `before_repeat` is awaited first: it may be another server by now.
        """
        clock = CallClock(self.server.timeout_s)

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            clock.restart()
            on_progress(Progress(progress, total, redact(self.server.hide_keys((message or "")[:MAX_PROGRESS_CHARS]))))

        async def ask(client: Client) -> CallToolResult:
            return await client.call_tool(name, arguments, progress_callback=progressed)

        try:
            return await self._ask(ask, clock)
        except McpDisconnected as error:
            if not (repeatable or error.was_refused):
                raise
        await before_repeat()
        return await self._ask(ask, clock)

    async def tools(self) -> list[ListedTool]:
        """Return the tools that the server offers now. Raises McpError when there are more than anybody could review."""
        return await self._ask(self._list_tools, CallClock(self.server.timeout_s))

    async def aclose(self) -> None:
        self._session = None
        while self._sessions:
            await self._sessions.pop().aclose()

    async def _list_tools(self, client: Client) -> list[ListedTool]:
        tools: list[ListedTool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if len(tools) > MAX_TOOLS or _size(tools) > MAX_LIST_CHARS:
                break
            if cursor is None:
                return tools
        raise McpError(f"{self.server.label} offers more tools than anybody could look at.")

    async def _ask(self, question: Callable[[Client], Awaitable[Result]], clock: CallClock) -> Result:
        session, exchange = self._open(), Exchange()
        current_exchange.set(exchange)
        session.users += 1
        try:
            async with clock.limit():
                return await session.ask(question)
        except TimeoutError as error:
            if not session.is_open:
                self._leave(session)
            raise McpError(f"{self.server.label} did not answer within {self.server.timeout_s} seconds.") from error
        except (MCPError, ValidationError, RuntimeError, McpDisconnected) as error:
            problem = translate_error(error, server=self.server, status=exchange.bad_status, has_lost_session=exchange.has_lost_session)
            if isinstance(problem, McpDisconnected):
                self._leave(session)
            raise problem from error
        finally:
            session.users -= 1
            if session is not self._session and not session.users:  # the last call of a session that was left
                await self._close(session)

    def _open(self) -> Session:
        if self._session is None or self._session.task.done():
            self._sessions = {session for session in self._sessions if not session.task.done()}
            self._session = Session(self.server)
            self._sessions.add(self._session)
        return self._session

    def _leave(self, session: Session) -> None:
        """Let the next call begin a new session. The old one stays open for the calls that still wait on it."""
        if self._session is session:
            self._session = None

    async def _close(self, session: Session) -> None:
        await session.aclose()
        self._sessions.discard(session)


def _size(tools: list[ListedTool]) -> int:
    return sum(len(tool.description or "") + len(str(tool.input_schema)) for tool in tools)
