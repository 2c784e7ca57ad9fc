"""Runs the SDK's ASGI application for one request inside a Django view, so that the product's middleware holds here too.

Its server is made for the request and ends with it: the protocol's sessions are not kept, so any process can answer any message.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, MutableMapping
from typing import Any, Final, cast

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from chat.api.sse import EventStream, watched_connection
from chat.mcp_server.server import SERVER
from tenants.rest.http import OrganizationRequest

Message = MutableMapping[str, Any]  # of ASGI

MAX_BODY_BYTES: Final = 1_000_000
STREAM_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class SdkExchange:
    """One message to the SDK and its answer. Leaving it early cancels what the message began."""

    def __init__(self, request: OrganizationRequest) -> None:
        self._request, self._body = request, request.body
        self._is_sent = False
        self._answer: asyncio.Queue[Message | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._run())

    async def response(self) -> HttpResponseBase:
        """Return the SDK's response: whole, or as the stream of events that it is. Raises what the SDK raised instead of answering."""
        start = await self._answer.get()
        if start is None:
            await self._task
            raise AssertionError("the SDK ended without an answer")
        content_type = dict(start["headers"]).get(b"content-type", b"").decode("latin-1")
        if content_type.startswith("text/event-stream"):
            return await self._stream_response(start["status"], content_type)
        content = b"".join([part async for part in self._parts()])
        return HttpResponse(content, status=start["status"], content_type=content_type)

    async def close(self) -> None:
        """End the SDK's work on this message."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _stream_response(self, status: int, content_type: str) -> HttpResponseBase:
        stream = EventStream(self._parts())
        connection = await watched_connection(self._request, stream.end)
        return StreamingHttpResponse(stream.events(connection), status=status, content_type=content_type, headers=STREAM_HEADERS)

    async def _parts(self) -> AsyncGenerator[bytes, None]:
        try:
            while (message := await self._answer.get()) is not None:
                if message.get("body"):
                    yield message["body"]
                if not message.get("more_body"):
                    return
            await self._task  # raises why the answer broke off
        finally:
            await self.close()

    async def _run(self) -> None:
        manager = StreamableHTTPSessionManager(SERVER, stateless=True, max_request_body_size=MAX_BODY_BYTES)
        try:
            async with manager.run():
                await manager.handle_request(self._scope(), self._receive, self._answer.put)
        finally:
            self._answer.put_nowait(None)

    def _scope(self) -> dict[str, Any]:
        """Return the request's scope with the request itself, for the handlers.

        Header values are trimmed: not each HTTP server does so, and the SDK compares them with the body.
        """
        scope = cast(ASGIRequest, self._request).scope
        return {**scope, "headers": [(name, value.strip()) for name, value in scope["headers"]], "parley.request": self._request}

    async def _receive(self) -> Message:
        if self._is_sent:
            await asyncio.Event().wait()  # a client that leaves cancels the exchange
        self._is_sent = True
        return {"type": "http.request", "body": self._body, "more_body": False}
