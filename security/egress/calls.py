"""One request to an interface that an admin entered, and its whole answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx2

from security.egress.client import checked_client
from security.egress.documents import FetchResult
from security.egress.errors import EgressRefused, FetchFailed

MAX_RESPONSE_BYTES = 1024 * 1024


async def call(method: str, url: str, *, content: bytes | None, headers: Mapping[str, str], timeout_s: float) -> FetchResult:
    """Send the request once and return the answer, of any status and at most 1 MB; redirects are not followed.

    Raises EgressRefused or FetchFailed.
    """
    try:
        async with asyncio.timeout(timeout_s):
            return await _send(method, url, content, dict(headers))
    except TimeoutError as exc:
        raise FetchFailed(f"The server did not answer within {timeout_s:g} seconds.") from exc
    except httpx2.HTTPError as exc:
        raise FetchFailed("The server could not be reached.") from exc


async def _send(method: str, url: str, content: bytes | None, headers: dict[str, str]) -> FetchResult:
    async with checked_client().stream(method, url, content=content, headers={"accept-encoding": "gzip", **headers}) as response:
        answer = bytearray()
        async for block in response.aiter_raw():
            answer += block
            if len(answer) > MAX_RESPONSE_BYTES:
                raise EgressRefused("The answer is larger than allowed.")
        return FetchResult(url, response.status_code, dict(response.headers), bytes(answer))
