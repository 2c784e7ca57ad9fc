"""Adapter for Anthropic's Claude (Messages API).

The official SDK builds the request (agents.providers.anthropic.request). This module sends it and reads the raw event stream:
the SDK's typed events took 0.042 CPU-seconds per 1,000 chunks at full speed, the raw lines 0.020.
tests/agents/providers/test_anthropic_reference.py compares both.
Source: https://platform.claude.com/docs/en/api/messages.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

import httpx2
import orjson

from agents.engine.errors import ProviderError, ProviderUnavailable
from agents.engine.messages import ModelEvent, ModelRequest
from agents.providers.anthropic.assembler import MessageAssembler
from agents.providers.anthropic.errors import api_error
from agents.providers.anthropic.request import build_arguments, continuation_arguments, request_of
from agents.providers.connection import Connection
from agents.providers.errors import UNREADABLE, connection_error
from agents.providers.streaming import EventTooLarge, SseDecoder, StallDetector, read_blocks, send_request
from security.egress.errors import EgressRefused

MAX_PARTS = 8  # parts of one answer; the API pauses an answer after about ten rounds of its own tools

_FAULTS = (httpx2.HTTPError, httpx2.InvalidURL, EgressRefused, TimeoutError, UnicodeDecodeError, EventTooLarge)


class AnthropicModel:
    """A LanguageModel over the Messages API. `provider` marks metadata that may only go back to the same provider and model."""

    def __init__(self, connection: Connection, provider: str = "anthropic") -> None:
        self._connection = connection
        self._provider = provider

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one answer, without retries; see LanguageModel.

        Sends further requests, at most MAX_PARTS in all, when the API pauses an answer because its own tools take long.
        """
        assembler = MessageAssembler(self._provider, request.model)
        fault: ProviderError | None = None
        try:
            async with aclosing(self._parts(request, assembler)) as events:
                try:
                    async for event in events:
                        for shown in assembler.add(event):
                            yield shown
                except _FAULTS as error:
                    fault = connection_error(error)
        finally:
            request.meter.add(assembler.model_version, *assembler.usages)
        if fault:
            raise fault  # raised here, so that the exception holding the key is not its context
        yield assembler.response()

    async def _parts(self, request: ModelRequest, assembler: MessageAssembler) -> AsyncGenerator[Mapping[str, Any]]:
        """Yield the events of the answer and its continuations. The caller feeds each event to `assembler` before taking the next."""
        first = arguments = build_arguments(request, self._provider)
        guard = StallDetector(self._connection)
        for part in range(1, MAX_PARTS + 1):
            async with aclosing(self._events(arguments, guard)) as events:
                async for event in events:
                    yield event
            if not assembler.is_paused or part == MAX_PARTS:
                return
            arguments = continuation_arguments(first, assembler.blocks(), assembler.container)
            assembler.start_next_part()

    async def _events(self, arguments: Mapping[str, Any], guard: StallDetector) -> AsyncGenerator[Mapping[str, Any]]:
        decoder = SseDecoder()
        async with aclosing(
            read_blocks(partial(self._answer, arguments), first_byte_timeout_s=self._connection.first_byte_timeout_s)
        ) as blocks:
            async for block in blocks:
                for data in decoder.feed(block):
                    event = _event(data)
                    guard.note_event(event)
                    yield event
                guard.check()
        for data in decoder.close():
            yield _event(data)
        if decoder.unparsed_lines:
            yield _event(b"\n".join(decoder.unparsed_lines))

    async def _answer(self, arguments: Mapping[str, Any]) -> httpx2.Response:
        return await send_request(await request_of(self._connection, arguments), self._connection, api_error)


def _event(data: bytes) -> Mapping[str, Any]:
    """Return an event's JSON object. Raises the error that it reports, or ProviderUnavailable when it is not an object."""
    try:
        event = orjson.loads(data)
    except orjson.JSONDecodeError:
        event = None
    if not isinstance(event, dict):
        raise ProviderUnavailable(UNREADABLE)
    if event.get("type") == "error" or "error" in event:
        raise api_error(None, event, {})
    return event
