"""One call to a server with one of OpenAI's APIs: sends the request and reads the raw stream.

The SDK builds the request (agents.providers.openai.request_templates). Its typed events cost many times the CPU of the raw lines;
tests/agents/providers/test_openai_reference.py compares both.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, Protocol

import httpx2
import orjson

from agents.engine.errors import ProviderError, ProviderUnavailable
from agents.engine.messages import ModelEvent, ModelRequest, ModelResponse, Usage
from agents.providers.connection import Connection
from agents.providers.errors import UNREADABLE, connection_error
from agents.providers.openai.entry_drafts import Shown
from agents.providers.openai.errors import api_error
from agents.providers.streaming import EventTooLarge, SseDecoder, StallDetector, read_blocks, send_request
from security.egress.errors import EgressRefused

DONE = b"[DONE]"
DRAIN_TIMEOUT_S = 0.5  # for the server to end the body after its end marker, so that the connection can be reused

_FAULTS = (httpx2.HTTPError, httpx2.InvalidURL, EgressRefused, TimeoutError, UnicodeDecodeError, EventTooLarge)

RequestFactory = Callable[[], Awaitable[httpx2.Request]]


class Assembler(Protocol):
    """Assembles a stream's events into a response."""

    @property
    def usage(self) -> Usage: ...

    @property
    def model_version(self) -> str: ...

    def add(self, event: Mapping[str, Any]) -> Sequence[Shown]:
        """Return what `event` adds to the visible answer, in order. Raises a ProviderError for the error that it reports."""
        ...

    def response(self) -> ModelResponse:
        """Return the complete answer. Raises AnswerCut when the provider's end marker is missing."""
        ...


async def read_answer(
    make_request: RequestFactory, connection: Connection, request: ModelRequest, assembler: Assembler
) -> AsyncGenerator[ModelEvent]:
    """Send the request and stream one answer, without retries; see LanguageModel.stream."""
    fault: ProviderError | None = None
    try:
        async with aclosing(read_events(make_request, connection)) as events:
            try:
                async for event in events:
                    for delta in assembler.add(event):
                        yield delta
            except _FAULTS as error:
                fault = connection_error(error)
    finally:
        request.meter.add(assembler.model_version, assembler.usage)
    if fault:
        raise fault  # raised here, so that the exception holding the key is not its context
    yield assembler.response()


async def read_events(make_request: RequestFactory, connection: Connection) -> AsyncGenerator[Mapping[str, Any]]:
    """Yield the stream's JSON objects as they arrive. The connection is closed when the generator ends, for whatever reason."""
    decoder, guard = SseDecoder(), StallDetector(connection)
    async with aclosing(
        read_blocks(partial(_answer, make_request, connection), first_byte_timeout_s=connection.first_byte_timeout_s)
    ) as blocks:
        async for block in blocks:
            for data in decoder.feed(block):
                if data.strip() == DONE:
                    await _drain(blocks)
                    return
                event = _event(data)
                guard.note_event(event)
                yield event
            guard.check()
    for data in decoder.close():
        if data.strip() != DONE:
            yield _event(data)
    if decoder.unparsed_lines:
        yield _event(b"\n".join(decoder.unparsed_lines))


async def _answer(make_request: RequestFactory, connection: Connection) -> httpx2.Response:
    return await send_request(await make_request(), connection, api_error)


async def _drain(blocks: AsyncGenerator[bytes]) -> None:
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            async for _ in blocks:
                pass


def _event(data: bytes) -> Mapping[str, Any]:
    """Return an event's JSON object. Raises the error that it reports, or ProviderUnavailable when it is not an object."""
    try:
        event = orjson.loads(data)
    except orjson.JSONDecodeError:
        event = None
    if not isinstance(event, dict):
        raise ProviderUnavailable(UNREADABLE)
    if event.get("error") or event.get("type") == "error":
        raise api_error(None, event, {})
    return event
