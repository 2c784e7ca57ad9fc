"""An MCP server as an ASGI application that can also refuse keys, be slow, break off in the middle of a call and forget its sessions.

Each request gets its own session manager, so no lifespan is needed. The only state between requests are the ids of sessions, for servers
that have them (`doubles.mcp.sessions`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import orjson
from mcp.server.mcpserver import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from doubles.asgi import Receive, Scope, Send, close_connection, read_body, request_headers, send_json
from doubles.mcp.sessions import Sessions
from doubles.signals import Gate

NO_HOST_CHECK = TransportSecuritySettings(enable_dns_rebinding_protection=False)


@dataclass(frozen=True, slots=True)
class McpRequest:
    """One message of a client."""

    method: str
    tool: str  # name of the tool in a call
    headers: dict[str, str] = field(repr=False)
    id: Any = None  # of a request


class McpDouble:
    """Serves `server`. `tokens`: the accepted bearer tokens; None requires none. Tests can set the attributes below."""

    def __init__(self, server: MCPServer, *, tokens: Collection[str] | None = None) -> None:
        self.server = server
        self.tokens = tokens
        self.sessions: Sessions | None = None  # set for a server of the revisions with sessions
        self.status: int | None = None  # answer every request with this status
        self.crashes_in = ""  # name of a tool: break the connection when it is called
        self.crashes_left = 0  # how many times to do so
        self.gate: Gate | None = None  # holds tool calls until it is released
        self.requests: list[McpRequest] = []  # every message received

    def calls(self) -> list[str]:
        """Return the names of the called tools, in order."""
        return [request.tool for request in self.requests if request.method == "tools/call"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await read_body(receive)
        headers = request_headers(scope)
        request = _request(body, headers)
        self.requests.append(request)
        if (status := self._refusal(headers)) is not None:
            await send_json(send, status, {"error": "refused"})
        elif request.tool and request.tool == self.crashes_in and self.crashes_left > 0:
            self.crashes_left -= 1
            close_connection(scope, reset=True)
        elif self.sessions is None:
            await self._serve(request, scope, _replay(body, receive), send)
        elif (session_send := await self.sessions.admit(request.method, request.id, scope, headers, send)) is not None:
            await self._serve(request, scope, _replay(body, receive), session_send)

    def _refusal(self, headers: dict[str, str]) -> int | None:
        if self.status is not None:
            return self.status
        token = headers.get("authorization", "").removeprefix("Bearer ")
        return 401 if self.tokens is not None and token not in self.tokens else None

    async def _serve(self, request: McpRequest, scope: Scope, receive: Receive, send: Send) -> None:
        if (gate := self.gate) is not None and request.method == "tools/call":  # a test may replace it while it is closed
            gate.reached.set()
            await gate.released.wait_async()
        manager = StreamableHTTPSessionManager(
            self.server._lowlevel_server,  # noqa: SLF001  (the SDK's own way from the one to the other)
            stateless=True,
            security_settings=NO_HOST_CHECK,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def _request(body: bytes, headers: dict[str, str]) -> McpRequest:
    try:
        message: Any = orjson.loads(body)
        return McpRequest(str(message["method"]), str((message.get("params") or {}).get("name", "")), headers, message.get("id"))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return McpRequest("", "", headers)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first replays the body already read."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Any:
        return messages.pop() if messages else await receive()

    return replayed
