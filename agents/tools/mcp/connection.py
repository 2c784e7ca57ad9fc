"""One session with an MCP server. A task of its own opens and closes it, because the SDK's scopes must end where they began;
any task may call. A transport that failed once is finished, so the next call opens a new one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Implementation, Tool as ListedTool
from pydantic import ValidationError

from agents.tools.mcp.errors import McpFailed, McpGone, gone
from agents.tools.mcp.problems import mcp_problem
from agents.tools.mcp.server import McpServer
from agents.tools.mcp.transports import transport

Result = TypeVar("Result")

CLOSING_S = 5.0
MAX_TOOLS = 500
MAX_PAGES = 50
MAX_LIST_CHARACTERS = 1024 * 1024  # of descriptions and schemas
NEVER_AN_ANSWER = (401, 403, 429)  # with 5xx; servers send the protocol's own errors with other statuses

logger = logging.getLogger(__name__)


class _Session:
    """One try: it is opened once, and over once its task is."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self.label = server.label
        self._opened: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self.bad_status: int | None = None
        self.task = asyncio.create_task(self._own(), name=f"mcp:{server.label}")

    @property
    def is_open(self) -> bool:
        return self._opened.done() and self._opened.exception() is None

    async def client(self) -> Client:
        """Raises McpFailed when the server can't be reached."""
        return await asyncio.shield(self._opened)

    async def aclose(self) -> None:
        """In a few seconds at most, whatever the server does."""
        self._stop.set()
        if not self._opened.done():
            self.task.cancel()
        done, _ = await asyncio.wait({self.task}, timeout=CLOSING_S)
        if not done:
            self.task.cancel()
            await asyncio.wait({self.task}, timeout=CLOSING_S)

    async def _own(self) -> None:
        try:
            await self._hold()
        except asyncio.CancelledError as error:  # the SDK's scope cancels its host when a transport fails
            self._ended(error)
        except BaseException as error:  # noqa: BLE001  (groups of errors, of which the caller gets one sentence)
            self._ended(error)
        finally:
            if not self._opened.done():
                self._opened.set_exception(gone(self._server.label))
                self._opened.exception()  # told to nobody when the caller has gone

    async def _hold(self) -> None:
        client = Client(
            transport(self._server, on_status=self._note_status),
            read_timeout_seconds=self._server.timeout_s,
            client_info=Implementation(name="parley", version="1"),
            cache=None,
        )
        async with client:
            self.bad_status = None
            self._opened.set_result(client)
            await self._stop.wait()

    def _note_status(self, status: int) -> None:
        if status in NEVER_AN_ANSWER or status >= 500 or (status >= 400 and not self._opened.done()):
            self.bad_status = status

    def _ended(self, error: BaseException) -> None:
        problem = mcp_problem(error, server=self._server, status=self.bad_status)
        logger.info("mcp_connection_ended", extra={"server": self._server.label, "reason": str(problem)})
        if not self._opened.done():
            self._opened.set_exception(problem)
            self._opened.exception()


class McpConnection:
    """Close it in the end, from any task. Calls raise McpFailed; each is bounded by the server's `timeout_s`, connecting included."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self._session: _Session | None = None
        self._opening = asyncio.Lock()

    async def call(self, name: str, arguments: dict[str, Any], *, repeatable: bool = False) -> CallToolResult:
        """What the server's tool answers; a tool that failed says so in its answer (`is_error`).

        `repeatable`: calling it twice does no harm, so a call whose connection broke is made once more.
        """
        try:
            return await self._ask(lambda client: client.call_tool(name, arguments))
        except McpGone:
            if not repeatable:
                raise
            return await self._ask(lambda client: client.call_tool(name, arguments))

    async def tools(self) -> list[ListedTool]:
        """What the server offers now. Raises McpFailed for more than anybody could review."""
        return await self._ask(self._listed)

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.aclose()

    async def _listed(self, client: Client) -> list[ListedTool]:
        tools: list[ListedTool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if len(tools) > MAX_TOOLS or _size(tools) > MAX_LIST_CHARACTERS:
                break
            if cursor is None:
                return tools
        raise McpFailed(f"{self.server.label} offers more tools than anybody could look at.")

    async def _ask(self, question: Callable[[Client], Awaitable[Result]]) -> Result:
        try:
            async with asyncio.timeout(self.server.timeout_s):
                session = await self._open()
                return await _answer(session, question, await session.client())
        except TimeoutError as error:
            await self._drop_unopened()
            raise McpFailed(f"{self.server.label} did not answer within {self.server.timeout_s} seconds.") from error
        except (MCPError, ValidationError, RuntimeError) as error:
            problem = mcp_problem(error, server=self.server, status=self._session.bad_status if self._session else None)
            if isinstance(problem, McpGone):
                await self.aclose()
            raise problem from error
        except McpGone:
            await self.aclose()
            raise

    async def _open(self) -> _Session:
        async with self._opening:
            if self._session is None or self._session.task.done():
                self._session = _Session(self.server)
            self._session.bad_status = None
            return self._session

    async def _drop_unopened(self) -> None:
        if self._session is not None and not self._session.is_open:
            await self.aclose()


def _size(tools: list[ListedTool]) -> int:
    return sum(len(tool.description or "") + len(str(tool.input_schema)) for tool in tools)


async def _answer(session: _Session, question: Callable[[Client], Awaitable[Result]], client: Client) -> Result:
    """The answer, unless the session ends first. Raises McpGone then."""
    asking = asyncio.ensure_future(question(client))
    try:
        await asyncio.wait({asking, session.task}, return_when=asyncio.FIRST_COMPLETED)
        if asking.done():
            return asking.result()
        raise gone(session.label)
    finally:
        if not asking.done():
            asking.cancel()
            await asyncio.wait({asking})
