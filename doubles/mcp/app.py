"""An MCP server as an ASGI application that also refuses keys, is slow, and dies in the middle of a call.

Each request gets a session manager of its own: no lifespan is needed, and no state is kept between requests.
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
from doubles.signals import Gate

NO_HOST_CHECK = TransportSecuritySettings(enable_dns_rebinding_protection=False)


@dataclass(frozen=True, slots=True)
class McpRequest:
    """One message of a client. `tool`: the name in a call."""

    method: str
    tool: str
    headers: dict[str, str] = field(repr=False)


class McpDouble:
    """`tokens`: the bearer tokens that it takes; None: it asks for none.

    For tests: `status` answers every request so; `crashes_in` breaks the connection when this tool is called, `crashes_left` times; `gate` holds the
    calls until it is released. `requests` is the record.
    """

    def __init__(self, server: MCPServer, *, tokens: Collection[str] | None = None) -> None:
        self.server = server
        self.tokens = tokens
        self.status: int | None = None
        self.crashes_in = ""
        self.crashes_left = 0
        self.gate: Gate | None = None
        self.requests: list[McpRequest] = []

    def calls(self) -> list[str]:
        """The tools that were called, in order."""
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
        else:
            await self._serve(request, scope, _replay(body, receive), send)

    def _refusal(self, headers: dict[str, str]) -> int | None:
        if self.status is not None:
            return self.status
        token = headers.get("authorization", "").removeprefix("Bearer ")
        return 401 if self.tokens is not None and token not in self.tokens else None

    async def _serve(self, request: McpRequest, scope: Scope, receive: Receive, send: Send) -> None:
        if self.gate is not None and request.method == "tools/call":
            self.gate.reached.set()
            await self.gate.released.wait_async()
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
        return McpRequest(str(message["method"]), str((message.get("params") or {}).get("name", "")), headers)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return McpRequest("", "", headers)


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body that was read already, then what the client does next."""
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Any:
        return pending.pop() if pending else await receive()

    return replayed
