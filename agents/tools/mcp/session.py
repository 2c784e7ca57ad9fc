"""Sessions with MCP servers, over Streamable HTTP or with a program that the operator names.

A session is opened and closed by one task, because the SDK's scopes must end in the task in which they began; any task may use it. A
transport that failed is finished, and so is a session that the server has forgotten.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

import httpx2
from django.conf import settings
from mcp.client._transport import TransportStreams
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client
from mcp_types import Implementation

from agents.tools.mcp.error_translation import translate_error
from agents.tools.mcp.server import McpError, McpServer, disconnected_error
from security.egress.client import private_client

MAX_EVENT_BYTES = 8 * 1024 * 1024
CLOSE_TIMEOUT_S = 5.0
READ_MARGIN_S = 5.0
TRANSPORT_ERROR_STATUSES = (401, 403, 429)  # and 5xx; servers send the protocol's own errors with other statuses

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Exchange:
    """What the HTTP statuses said about one of our requests, or about opening a session: the SDK's errors do not contain them.

    A session that the server has forgotten is answered with 404 and nothing is carried out (MCP 2025-11-25, "Session Management").
    """

    is_opening: bool = False
    bad_status: int | None = None
    has_lost_session: bool = False

    def note(self, response: httpx2.Response) -> None:
        status = response.status_code
        if status in TRANSPORT_ERROR_STATUSES or status >= 500 or (status >= 400 and self.is_opening):
            self.bad_status = status
        self.has_lost_session |= status == 404 and MCP_SESSION_ID in response.request.headers


# The transport sends each message in the context of the task that wrote it.
current_exchange: ContextVar[Exchange | None] = ContextVar("mcp_exchange", default=None)


def _note_response(response: httpx2.Response) -> None:
    if (exchange := current_exchange.get()) is not None:
        exchange.note(response)


def open_transport(server: McpServer) -> AbstractAsyncContextManager[TransportStreams]:
    """Return the transport to the server. Raises McpError for a program that the operator's settings do not name."""
    if not server.stdio_server:
        return _http(server)
    program = settings.MCP_STDIO_SERVERS.get(server.stdio_server)
    if program is None:
        raise McpError(f"The operator's settings name no MCP server {server.stdio_server} (MCP_STDIO_SERVERS).")
    return stdio_client(StdioServerParameters(command=program["command"], args=program.get("args", []), env=program.get("env")))


@asynccontextmanager
async def _http(server: McpServer) -> AsyncGenerator[TransportStreams]:
    async with private_client(server.headers, on_response=_note_response) as client:
        # A server may be silent for as long as a call may take; the connection limits each call.
        client.timeout = httpx2.Timeout(**{**client.timeout.as_dict(), "read": server.timeout_s + READ_MARGIN_S})
        async with streamable_http_client(server.url, http_client=client, max_sse_event_size=MAX_EVENT_BYTES) as streams:
            yield streams


class Session:
    """One session. It is opened once, and ends with its task."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self._client_future: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._opening = Exchange(is_opening=True)
        self.users = 0  # calls that need it
        self.task = asyncio.create_task(self._run_session(), name=f"mcp:{server.label}")

    @property
    def is_open(self) -> bool:
        return self._client_future.done() and self._client_future.exception() is None

    async def ask(self, question: Callable[[Client], Awaitable[Result]]) -> Result:
        """Return the answer of the open client. Raises McpError when it can't be opened, McpDisconnected when the session ends first."""
        client = await asyncio.shield(self._client_future)
        question_task = asyncio.ensure_future(question(client))
        try:
            await asyncio.wait({question_task, self.task}, return_when=asyncio.FIRST_COMPLETED)
            if question_task.done():
                return question_task.result()
            raise disconnected_error(self._server.label)
        finally:
            if not question_task.done():
                question_task.cancel()
                await asyncio.wait({question_task})

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
        current_exchange.set(self._opening)
        try:
            await self._hold_open()
        except asyncio.CancelledError as error:  # the SDK's scope cancels its host task when a transport fails
            self._record_end(error)
        except BaseException as error:  # noqa: BLE001  (exception groups, of which the caller gets one sentence)
            self._record_end(error)
        finally:
            if not self._client_future.done():
                self._client_future.set_exception(disconnected_error(self._server.label))
                self._client_future.exception()  # marks it as retrieved: the caller may have gone

    async def _hold_open(self) -> None:
        # Without a time limit of the SDK's, which would not be told of progress: the connection limits each call.
        client = Client(
            open_transport(self._server),
            client_info=Implementation(name="parley", version="1"),
            cache=None,
        )
        async with client:
            self._opening = Exchange()  # what was refused before concerns no call
            self._client_future.set_result(client)
            await self._stop.wait()

    def _record_end(self, error: BaseException) -> None:
        problem = translate_error(error, server=self._server, status=self._opening.bad_status)
        logger.info("mcp_connection_ended", extra={"server": self._server.label, "reason": str(problem)})
        if not self._client_future.done():
            self._client_future.set_exception(problem)
            self._client_future.exception()
