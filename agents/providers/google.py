"""Google's Gemini through the official SDK: the SDK makes the request (URL, key, settings) and its errors; we read the raw stream.

Reading through the SDK's typed chunks took 0.33 CPU-seconds per 1,000 chunks at full speed, the raw lines 0.03: so the transport under
the SDK keeps the answer's body to itself. tests/agents/providers/test_google_reference.py compares both, chunk by chunk.
Source: google-genai 3.4, `HttpOptions`; https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import httpx2
import orjson
from google import genai
from google.genai import types
from google.genai.errors import APIError

from agents.engine.errors import ProviderError, ProviderUnavailable
from agents.engine.messages import ModelEvent, ModelRequest
from agents.providers.base import CONNECT_S, Connection
from agents.providers.faults import UNREADABLE
from agents.providers.google_errors import api_fault, fault_of
from agents.providers.google_request import body_of, config_of
from agents.providers.google_wire import AnswerAssembler
from agents.providers.sse import EventTooLarge, SseDecoder
from agents.providers.stalls import StallGuard
from security.egress.errors import EgressRefused

SERVER_TIMEOUT_S = 600  # what the SDK would otherwise derive from a client time limit and send as X-Server-Timeout
NO_KEY = "none"  # the SDK wants one, and takes the environment's when it is given none

_FAULTS = (APIError, httpx2.HTTPError, httpx2.InvalidURL, EgressRefused, TimeoutError, UnicodeDecodeError, EventTooLarge)


class GoogleModel:
    """A LanguageModel over the Gemini API. `provider` marks the data that must only go back to this provider and model."""

    def __init__(self, connection: Connection, provider: str = "google") -> None:
        self._connection = connection
        self._provider = provider

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See LanguageModel. One request, no retries."""
        assembler = AnswerAssembler(self._provider, request.model)
        fault: ProviderError | None = None
        try:
            async with aclosing(self._chunks(request)) as chunks:
                try:
                    async for chunk in chunks:
                        for delta in assembler.add(chunk):
                            yield delta
                except _FAULTS as error:
                    fault = fault_of(error)
        finally:
            request.meter.add(assembler.model_version, assembler.usage)
        if fault:
            raise fault  # here, where the exception that holds the key is no longer its context
        yield assembler.response()

    async def _chunks(self, request: ModelRequest) -> AsyncGenerator[Mapping[str, Any]]:
        decoder, guard = SseDecoder(), StallGuard(self._connection)
        async with aclosing(self._blocks(request)) as blocks:
            async for block in blocks:
                for event in decoder.feed(block):
                    chunk = _chunk(event)
                    guard.hear(chunk)
                    yield chunk
                guard.end_block()
        for event in decoder.close():
            yield _chunk(event)
        if decoder.stray:
            yield _chunk(b"\n".join(decoder.stray))

    async def _blocks(self, request: ModelRequest) -> AsyncGenerator[bytes]:
        """The body's bytes as they come; the connection is closed when this ends, however it ends."""
        transport = BodyKeepingTransport(self._connection.http, silence_s=self._connection.silence_s)
        try:
            async with asyncio.timeout(self._connection.first_byte_s):
                body = await self._send(request, transport)
                first = await anext(body, b"")
            async with aclosing(body):
                yield first
                async for block in body:
                    yield block
        finally:
            await transport.aclose()

    async def _send(self, request: ModelRequest, transport: BodyKeepingTransport) -> AsyncGenerator[bytes]:
        client = self._client(request, transport)
        chunks = await client.aio.models.generate_content_stream(model=request.model, contents=".", config=config_of(request))
        async for _ in chunks:  # sends the request; the SDK is shown an empty body
            pass
        return transport.body()

    def _client(self, request: ModelRequest, transport: BodyKeepingTransport) -> genai.Client:
        """A client for one call (0.2 ms). Everything is explicit: the SDK fills what is missing from the environment.

        The contents are part of the request's extra body: verbatim, and without the SDK's 0.3 ms of model building for each entry.
        """
        key = self._connection.key
        return genai.Client(
            enterprise=False,
            api_key=key.reveal() if key else NO_KEY,
            http_options=types.HttpOptions(
                base_url=self._connection.base_url,
                api_version=self._connection.api_version or "v1beta",
                headers={"X-Server-Timeout": str(SERVER_TIMEOUT_S)},
                extra_body=body_of(request, self._provider),
                httpx_client=_NO_SYNC_CLIENT,
                httpx_async_client=httpx2.AsyncClient(transport=transport, trust_env=False, headers={"accept-encoding": "identity"}),
                async_client_args={"ssl": _NO_WEBSOCKET_TLS},
            ),
        )


class BodyKeepingTransport(httpx2.AsyncBaseTransport):
    """Sends through the shared client; a good answer's body is kept for `body()`, and whoever sent the request sees it empty."""

    def __init__(self, http: httpx2.AsyncClient, *, silence_s: float) -> None:
        self._http = http
        self._timeout = httpx2.Timeout(silence_s, connect=CONNECT_S, pool=CONNECT_S)
        self._response: httpx2.Response | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.extensions["timeout"] = self._timeout.as_dict()
        self._response = await self._http.send(request, stream=True)
        return httpx2.Response(200) if self._response.status_code == 200 else self._response

    async def body(self) -> AsyncGenerator[bytes]:
        assert self._response, "the request was sent"
        async for block in self._response.aiter_bytes():
            yield block

    async def aclose(self) -> None:
        if self._response:
            await self._response.aclose()


class _NoTransport(httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raise NotImplementedError("Only the asynchronous client is used.")


# Both are only there so that the SDK does not build its own, at 22 ms each, for every client.
_NO_SYNC_CLIENT = httpx2.Client(transport=_NoTransport(), trust_env=False)
_NO_WEBSOCKET_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _chunk(event: bytes) -> Mapping[str, Any]:
    """One event's JSON object. Raises the fault that it tells of, ProviderUnavailable when it is no object."""
    try:
        chunk = orjson.loads(event)
    except orjson.JSONDecodeError:
        chunk = None
    if isinstance(chunk, list) and len(chunk) == 1:
        chunk = chunk[0]
    if not isinstance(chunk, dict):
        raise ProviderUnavailable(UNREADABLE)
    error = chunk.get("error")
    if isinstance(error, dict):
        raise api_fault(error.get("code"), chunk, {})
    return chunk
