"""A prepared request on its way: what all adapters that send their own do alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

import httpx2
import orjson

from agents.engine.errors import ProviderError
from agents.providers.connection import CONNECT_TIMEOUT_S, Connection
from security.egress.responses import response_body

ApiErrorFactory = Callable[[int, Any, Mapping[str, str]], ProviderError]


def with_timeouts(request: httpx2.Request, connection: Connection) -> httpx2.Request:
    """`request` with the connection's limits of time."""
    request.extensions["timeout"] = httpx2.Timeout(connection.read_timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S).as_dict()
    return request


async def send_request(request: httpx2.Request, connection: Connection, api_error: ApiErrorFactory) -> httpx2.Response:
    """The good answer, whose body is still to come; the caller closes it.

    Raises what `api_error` makes of another answer's status, body (its JSON, else its text) and headers, which is what the SDKs' errors
    tell of it, and the HTTP client's errors, which hold the request and its key.
    """
    response = await connection.http.send(with_timeouts(request, connection), stream=True)
    if response.is_success:
        return response
    response.encoding = "utf-8"  # not what it says: that may be no encoding of text
    try:
        await response.aread()
    finally:
        await response.aclose()
    raise api_error(response.status_code, _body(response), response.headers)


async def read_blocks(ask: Callable[[], Awaitable[httpx2.Response]], *, first_byte_timeout_s: float) -> AsyncGenerator[bytes]:
    """The bytes of the answer's body as they come; the answer is closed when this ends, however it ends.

    Raises TimeoutError when there is no first byte in time, and what `ask` and the HTTP client do.
    """
    response: httpx2.Response | None = None
    try:
        async with asyncio.timeout(first_byte_timeout_s):
            response = await ask()
            body = response_body(response)
            first = await body.read()
        yield first
        while block := await body.read():
            yield block
    finally:
        if response is not None:
            await response.aclose()


def _body(response: httpx2.Response) -> Any:
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return response.text.strip()
