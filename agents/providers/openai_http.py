"""One call through the OpenAI SDK: the SDK makes the request (URL, key, headers) and its errors; we read the raw stream.

Its typed events cost many times the CPU of the raw lines; tests/agents/providers/test_openai_reference.py compares both.
Source: openai 3.54, `with_streaming_response`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, suppress
from typing import Any, Protocol

import httpx2
import orjson
from openai import APIError, AsyncAPIResponse, AsyncOpenAI, Omit

from agents.engine.errors import ProviderError, ProviderUnavailable
from agents.engine.messages import ModelEvent, ModelRequest, ModelResponse, Usage
from agents.providers.base import CONNECT_S, Connection
from agents.providers.faults import UNREADABLE
from agents.providers.openai_drafts import Shown
from agents.providers.openai_errors import api_fault, fault_of
from agents.providers.sse import EventTooLarge, SseDecoder
from agents.providers.stalls import StallGuard
from security.egress.errors import EgressRefused

DONE = b"[DONE]"
DRAIN_S = 0.5  # how long a server may take to end the body after its end mark, for the connection to be used again

_FAULTS = (APIError, httpx2.HTTPError, httpx2.InvalidURL, EgressRefused, TimeoutError, UnicodeDecodeError, EventTooLarge)

Opened = AbstractAsyncContextManager[AsyncAPIResponse[Any]]
OpenCall = Callable[[], Opened]


class Assembler(Protocol):
    """Puts a stream's events together."""

    @property
    def usage(self) -> Usage: ...

    @property
    def model_version(self) -> str: ...

    def add(self, event: Mapping[str, Any]) -> Sequence[Shown]:
        """What `event` shows, in order. Raises a ProviderError for the fault that it tells of."""
        ...

    def response(self) -> ModelResponse:
        """The whole answer. Raises AnswerCut when the provider's end mark is missing."""
        ...


def client_of(connection: Connection) -> AsyncOpenAI:
    """A client for one call. Everything is explicit: the SDK fills what is missing from the environment."""
    return _Client(
        api_key=connection.key.reveal() if connection.key else "",
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=connection.base_url,
        timeout=httpx2.Timeout(connection.silence_s, connect=CONNECT_S, pool=CONNECT_S),
        max_retries=0,
        http_client=connection.http,
    )


def headers_of(connection: Connection) -> Mapping[str, str | Omit]:
    """The call's own headers. Without a key the SDK must be told that none is meant."""
    return {"accept-encoding": "identity"} | ({} if connection.key else {"authorization": Omit()})


class _Client(AsyncOpenAI):
    """Without empty headers for organization and project, and without those that the SDK takes from OPENAI_CUSTOM_HEADERS."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.organization = self.project = None
        self._custom_headers = {}


async def read_answer(
    open_call: OpenCall, connection: Connection, request: ModelRequest, assembler: Assembler
) -> AsyncGenerator[ModelEvent]:
    """See LanguageModel.stream. One request, no retries."""
    fault: ProviderError | None = None
    try:
        async with aclosing(read_events(open_call, connection)) as events:
            try:
                async for event in events:
                    for delta in assembler.add(event):
                        yield delta
            except _FAULTS as error:
                fault = fault_of(error)
    finally:
        request.meter.add(assembler.model_version, assembler.usage)
    if fault:
        raise fault  # here, where the exception that holds the key is no longer its context
    yield assembler.response()


async def read_events(open_call: OpenCall, connection: Connection) -> AsyncGenerator[Mapping[str, Any]]:
    """The stream's JSON objects as they come; the connection is closed when this ends, however it ends."""
    decoder, guard = SseDecoder(), StallGuard(connection)
    async with aclosing(_blocks(open_call, connection)) as blocks:
        async for block in blocks:
            for data in decoder.feed(block):
                if data.strip() == DONE:
                    await _drain(blocks)
                    return
                event = _event(data)
                guard.hear(event)
                yield event
            guard.end_block()
    for data in decoder.close():
        if data.strip() != DONE:
            yield _event(data)
    if decoder.stray:
        yield _event(b"\n".join(decoder.stray))


async def _blocks(open_call: OpenCall, connection: Connection) -> AsyncGenerator[bytes]:
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(connection.first_byte_s):
            response = await stack.enter_async_context(open_call())
            body = response.http_response.aiter_bytes()
            first = await anext(body, b"")
        yield first
        async for block in body:
            yield block


async def _drain(blocks: AsyncGenerator[bytes]) -> None:
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(DRAIN_S):
            async for _ in blocks:
                pass


def _event(data: bytes) -> Mapping[str, Any]:
    """One event's JSON object. Raises the fault that it tells of, ProviderUnavailable when it is no object."""
    try:
        event = orjson.loads(data)
    except orjson.JSONDecodeError:
        event = None
    if not isinstance(event, dict):
        raise ProviderUnavailable(UNREADABLE)
    if event.get("error") or event.get("type") == "error":
        raise api_fault(None, event, {})
    return event
