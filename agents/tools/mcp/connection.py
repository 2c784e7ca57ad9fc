"""Connections to MCP servers, over Streamable HTTP or to a program that the operator names.

A connection has one session at a time. A task opens and closes it, because the SDK's scopes must end in the task in which they began;
any task may call. A transport that failed is finished, so the next call opens a new one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

from django.conf import settings
from mcp.client._transport import TransportStreams
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Implementation, Tool as ListedTool
from pydantic import ValidationError

from agents.tools.mcp.error_translation import translate_error
from agents.tools.mcp.server import McpDisconnected, McpError, McpServer, disconnected
from security.egress.client import private_client

MAX_EVENT_BYTES = 8 * 1024 * 1024
CLOSE_TIMEOUT_S = 5.0
MAX_TOOLS = 500
MAX_PAGES = 50
MAX_LIST_CHARS = 1024 * 1024  # of descriptions and schemas
TRANSPORT_ERROR_STATUSES = (401, 403, 429)  # and 5xx; servers send the protocol's own errors with other statuses


def open_transport(server: McpServer, *, on_status: Callable[[int], None]) -> AbstractAsyncContextManager[TransportStreams]:
    """Return the transport to the server. Raises McpError for a program that the operator's settings do not name."""
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


Result = TypeVar("Result")


logger = logging.getLogger(__name__)


class _Session:
    """One session. It is opened once, and ends with its task."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self.label = server.label
        self._client_future: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self.bad_status: int | None = None
        self.task = asyncio.create_task(self._run_session(), name=f"mcp:{server.label}")

    @property
    def is_open(self) -> bool:
        return self._client_future.done() and self._client_future.exception() is None

    async def client(self) -> Client:
        """Wait for the open client. Raises McpError when the server can't be reached."""
        return await asyncio.shield(self._client_future)

    async def aclose(self) -> None:
        """Close the session, within a few seconds whatever the server does."""
        self._stop.set()
        if not self._client_future.done():
            self.task.cancel()
        done, _ = await asyncio.wait({self.task}, timeout=CLOSE_TIMEOUT_S)
        if not done:
            self.task.cancel()
            await asyncio.wait({self.task}, timeout=CLOSE_TIMEOUT_S)

    async def _run_session(self) -> None:
        try:
            await self._hold_open()
        except asyncio.CancelledError as error:  # the SDK's scope cancels its host task when a transport fails
            self._record_end(error)
        except BaseException as error:  # noqa: BLE001  (exception groups, of which the caller gets one sentence)
            self._record_end(error)
        finally:
            if not self._client_future.done():
                self._client_future.set_exception(disconnected(self._server.label))
                self._client_future.exception()  # marks it as retrieved: the caller may have gone

    async def _hold_open(self) -> None:
        client = Client(
            open_transport(self._server, on_status=self._note_status),
            read_timeout_seconds=self._server.timeout_s,
            client_info=Implementation(name="parley", version="1"),
            cache=None,
        )
        async with client:
            self.bad_status = None
            self._client_future.set_result(client)
            await self._stop.wait()

    def _note_status(self, status: int) -> None:
        if status in TRANSPORT_ERROR_STATUSES or status >= 500 or (status >= 400 and not self._client_future.done()):
            self.bad_status = status

    def _record_end(self, error: BaseException) -> None:
        problem = translate_error(error, server=self._server, status=self.bad_status)
        logger.info("mcp_connection_ended", extra={"server": self._server.label, "reason": str(problem)})
        if not self._client_future.done():
            self._client_future.set_exception(problem)
            self._client_future.exception()


class McpConnection:
    """A connection to a server, used from any task. Close it in the end.

    Calls raise McpError. Each is limited by the server's `timeout_s`, including connecting.
    """

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self._session: _Session | None = None
        self._open_lock = asyncio.Lock()

    async def call(self, name: str, arguments: dict[str, Any], *, repeatable: bool = False) -> CallToolResult:
        """Call the server's tool and return its result; a tool that failed sets `is_error`.

        `repeatable`: calling twice does no harm, so a call whose connection broke is repeated once.
        """
        try:
            return await self._ask(lambda client: client.call_tool(name, arguments))
        except McpDisconnected:
            if not repeatable:
                raise
            return await self._ask(lambda client: client.call_tool(name, arguments))

    async def tools(self) -> list[ListedTool]:
        """Return the tools that the server offers now. Raises McpError when there are more than anybody could review."""
        return await self._ask(self._list_tools)

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.aclose()

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

    async def _ask(self, question: Callable[[Client], Awaitable[Result]]) -> Result:
        try:
            async with asyncio.timeout(self.server.timeout_s):
                session = await self._open()
                return await _answer(session, question, await session.client())
        except TimeoutError as error:
            await self._close_unopened()
            raise McpError(f"{self.server.label} did not answer within {self.server.timeout_s} seconds.") from error
        except (MCPError, ValidationError, RuntimeError) as error:
            problem = translate_error(error, server=self.server, status=self._session.bad_status if self._session else None)
            if isinstance(problem, McpDisconnected):
                await self.aclose()
            raise problem from error
        except McpDisconnected:
            await self.aclose()
            raise

    async def _open(self) -> _Session:
        async with self._open_lock:
            if self._session is None or self._session.task.done():
                self._session = _Session(self.server)
            self._session.bad_status = None
            return self._session

    async def _close_unopened(self) -> None:
        if self._session is not None and not self._session.is_open:
            await self.aclose()


def _size(tools: list[ListedTool]) -> int:
    return sum(len(tool.description or "") + len(str(tool.input_schema)) for tool in tools)


async def _answer(session: _Session, question: Callable[[Client], Awaitable[Result]], client: Client) -> Result:
    """Return the answer. Raises McpDisconnected when the session ends first."""
    asking = asyncio.ensure_future(question(client))
    try:
        await asyncio.wait({asking, session.task}, return_when=asyncio.FIRST_COMPLETED)
        if asking.done():
            return asking.result()
        raise disconnected(session.label)
    finally:
        if not asking.done():
            asking.cancel()
            await asyncio.wait({asking})
