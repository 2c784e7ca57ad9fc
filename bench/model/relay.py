"""The simplest possible relay: an ASGI application that passes the model's bytes on. No users, no permissions, nothing stored.

python -m bench.model.relay DOUBLE_URL PORT
"""

from __future__ import annotations

import sys

import httpx2
import uvicorn

from bench.systems import LIMITS, TIMEOUT_S
from doubles.asgi import Receive, Scope, Send


class BareRelay:
    """ASGI application that forwards each request to the double."""

    def __init__(self, double_url: str) -> None:
        self._double_url = double_url
        self._client: httpx2.AsyncClient | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        body = message["body"]
        while message["more_body"]:
            message = await receive()
            body += message["body"]
        if self._client is None:
            self._client = httpx2.AsyncClient(trust_env=False, limits=LIMITS, timeout=TIMEOUT_S)
        url = f"{self._double_url}{scope['path']}?{scope['query_string'].decode()}"
        passed_on = {name: value for name, value in scope["headers"] if name in (b"x-goog-api-key", b"content-type")}
        async with self._client.stream("POST", url, content=body, headers={**passed_on, b"accept-encoding": b"identity"}) as answer:
            await send({"type": "http.response.start", "status": answer.status_code, "headers": [(b"content-type", b"text/event-stream")]})
            async for block in answer.aiter_raw():
                await send({"type": "http.response.body", "body": block, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def main() -> None:
    # Connections are opened before they are used, up to ten seconds earlier with 200 chats.
    uvicorn.run(
        BareRelay(sys.argv[1]),
        port=int(sys.argv[2]),
        lifespan="off",
        log_level="warning",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=3600,
    )


if __name__ == "__main__":
    main()
