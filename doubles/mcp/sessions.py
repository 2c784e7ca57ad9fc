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
Answer = tuple[int, dict[str, Any] | None]  # status and JSON body
LossAnswer = Literal["typescript", "python", "empty", "error"]


class Sessions:
    """Knows the open sessions. `loss`: what a request with an unknown one is answered; "error": an error with the status 200."""

    def __init__(self, loss: LossAnswer = "typescript") -> None:
        self.loss = loss
        self.session_count = 0
        self._open: set[str] = set()
        self._numbers = count(1)

    def forget(self) -> None:
        """Lose all sessions, as a restarted server does."""
        self._open.clear()

    async def admit(self, method: str, request_id: Any, scope: Scope, headers: Mapping[str, str], send: Send) -> Send | None:
        """Return how the request is answered, or None when it has been answered here."""
        if method == "initialize":
            return self._begin(send)
        answer = self._own_answer(method, request_id, scope, headers)
        if answer is None:
            return send
        status, body = answer
        await (send_body(send, status, b"", "text/plain") if body is None else send_json(send, status, body))
        return None

    def _own_answer(self, method: str, request_id: Any, scope: Scope, headers: Mapping[str, str]) -> Answer | None:
        if scope["method"] == "GET":
            return 405, None
        if method == "server/discover":
            return 400, _error(INVALID_REQUEST, "Bad Request: Server not initialized")
        session = headers.get(SESSION_HEADER)
        if session is None:
            return 400, _error(-32000, "Bad Request: Mcp-Session-Id header is required")
        if session not in self._open:
            return self._unknown(request_id)
        if scope["method"] == "DELETE":
            self._open.discard(session)
            return 200, None
        return None

    def _begin(self, send: Send) -> Send:
        session = f"session-{next(self._numbers)}"
        self._open.add(session)
        self.session_count += 1

        async def send_with_session(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (SESSION_HEADER.encode(), session.encode())]}
            await send(message)

        return send_with_session

    def _unknown(self, request_id: Any) -> Answer:
        match self.loss:
            case "typescript":
                return 404, _error(NOT_FOUND, "Session not found")
            case "python":
                return 404, _error(INVALID_REQUEST, "Session not found")
            case "empty":
                return 404, None
            case "error":
                return 200, {**_error(NOT_FOUND, "Session not found"), "id": request_id}


def _error(code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
