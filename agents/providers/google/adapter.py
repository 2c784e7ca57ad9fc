"""Adapter for Google's Gemini API.

The official SDK builds the request (agents.providers.google.request) and the errors. This module sends it and reads the raw stream:
the SDK's typed chunks took 0.33 CPU-seconds per 1,000 chunks at full speed, the raw lines 0.03.
tests/agents/providers/test_google_reference.py compares both, chunk by chunk, and what is sent.
Source: google-genai 3.4, `HttpOptions`; https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

import httpx2
import orjson
from google.genai.errors import APIError

from agents.engine.errors import ProviderError, ProviderUnavailable
from agents.engine.messages import ModelEvent, ModelRequest
from agents.providers.connection import Connection
from agents.providers.errors import UNREADABLE
from agents.providers.google.assembler import GenerateContentAssembler
from agents.providers.google.contents import contents_json
from agents.providers.google.errors import api_error, error_of_exception
from agents.providers.google.request import request_template
from agents.providers.streaming import EventTooLarge, SseDecoder, StallDetector, read_blocks, with_timeouts
from security.egress.errors import EgressRefused

_FAULTS = (APIError, httpx2.HTTPError, httpx2.InvalidURL, EgressRefused, TimeoutError, UnicodeDecodeError, EventTooLarge)


class GoogleModel:
    """A LanguageModel over the Gemini API. `provider` marks metadata that may only go back to the same provider and model."""

    def __init__(self, connection: Connection, provider: str = "google") -> None:
        self._connection = connection
        self._provider = provider

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one answer, without retries; see LanguageModel."""
        assembler = GenerateContentAssembler(self._provider, request.model)
        fault: ProviderError | None = None
        try:
            async with aclosing(self._chunks(request)) as chunks:
                try:
                    async for chunk in chunks:
                        for delta in assembler.add(chunk):
                            yield delta
                except _FAULTS as error:
                    fault = error_of_exception(error)
        finally:
            request.meter.add(assembler.model_version, assembler.usage)
        if fault:
            raise fault  # raised here, so that the exception holding the key is not its context
        yield assembler.response()

    async def _chunks(self, request: ModelRequest) -> AsyncGenerator[Mapping[str, Any]]:
        decoder, guard = SseDecoder(), StallDetector(self._connection)
        async with aclosing(
            read_blocks(partial(self._send, request), first_byte_timeout_s=self._connection.first_byte_timeout_s)
        ) as blocks:
            async for block in blocks:
                for event in decoder.feed(block):
                    chunk = _chunk(event)
                    guard.note_event(chunk)
                    yield chunk
                guard.check()
        for event in decoder.close():
            yield _chunk(event)
        if decoder.unparsed_lines:
            yield _chunk(b"\n".join(decoder.unparsed_lines))

    async def _send(self, request: ModelRequest) -> httpx2.Response:
        """Return the response with its body unread. Raises the SDK's APIError for an error status."""
        http_request = with_timeouts(await self._build_request(request), self._connection)
        response = await self._connection.http.send(http_request, stream=True)
        response.encoding = "utf-8"  # for the error's text; the declared charset may not be a text encoding
        try:
            await APIError.raise_for_async_response(response)
        except BaseException:
            await response.aclose()
            raise
        return response

    async def _build_request(self, request: ModelRequest) -> httpx2.Request:
        template = await request_template(request, base_url=self._connection.base_url, api_version=self._connection.api_version)
        key = self._connection.key
        contents = contents_json(request, self._provider)
        return template.request(key=key.reveal() if key else "", system=str(request.system), contents=contents)


def _chunk(event: bytes) -> Mapping[str, Any]:
    """Return an event's JSON object. Raises the error that it reports, or ProviderUnavailable when it is not an object."""
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
        raise api_error(error.get("code"), chunk, {})
    return chunk
