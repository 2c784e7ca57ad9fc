"""Sessions of an MCP server over Streamable HTTP, as the revisions up to 2025-11-25 have them, and the ways in which they are lost.

Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from itertools import count
from typing import Any, Literal

from doubles.asgi import Scope, Send, send_body, send_json

SESSION_HEADER = "mcp-session-id"
NOT_FOUND = -32001  # what the TypeScript SDK's servers call an unknown session
INVALID_REQUEST = -32600  # the Python SDK's word for it
LossAnswer = Literal["typescript", "python", "empty", "error"]


class Sessions:
    """Knows the open sessions. `loss`: what a request with an unknown one is answered; "error": an error with the status 200."""

    def __init__(self, loss: LossAnswer = "typescript") -> None:
        self.loss = loss
        self.opened = 0
        self._open: set[str] = set()
        self._numbers = count(1)

    def forget(self) -> None:
        """Lose all sessions, as a restarted server does."""
        self._open.clear()

    async def admit(self, method: str, request_id: Any, scope: Scope, headers: Mapping[str, str], send: Send) -> Send | None:
        """Return how the request is answered, or None when it has been answered here."""
        if scope["method"] == "GET":
            return await _answered(send_body(send, 405, b"", "text/plain"))
        if method == "server/discover":
            return await _answered(send_json(send, 400, _error(INVALID_REQUEST, "Bad Request: Server not initialized")))
        if method == "initialize":
            return self._begin(send)
        session = headers.get(SESSION_HEADER)
        if session is None:
            return await _answered(send_json(send, 400, _error(-32000, "Bad Request: Mcp-Session-Id header is required")))
        if session not in self._open:
            return await _answered(self._answer_unknown(send, request_id))
        if scope["method"] == "DELETE":
            self._open.discard(session)
            return await _answered(send_body(send, 200, b"", "text/plain"))
        return send

    def _begin(self, send: Send) -> Send:
        session = f"session-{next(self._numbers)}"
        self._open.add(session)
        self.opened += 1

        async def send_with_session(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (SESSION_HEADER.encode(), session.encode())]}
            await send(message)

        return send_with_session

    async def _answer_unknown(self, send: Send, request_id: Any) -> None:
        match self.loss:
            case "typescript":
                await send_json(send, 404, _error(NOT_FOUND, "Session not found"))
            case "python":
                await send_json(send, 404, _error(INVALID_REQUEST, "Session not found"))
            case "empty":
                await send_body(send, 404, b"", "text/plain")
            case "error":
                await send_json(send, 200, {**_error(NOT_FOUND, "Session not found"), "id": request_id})


async def _answered(sending: Any) -> None:
    await sending


def _error(code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
