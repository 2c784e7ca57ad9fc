"""One message to an address that an admin entered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx2

from security.egress.client import checked_client
from security.egress.errors import FetchFailed


async def post(url: str, *, content: bytes, headers: Mapping[str, str], timeout_s: float) -> int:
    """POST `content` once and return the answer's status. Redirects are not followed and the answer's body is not read.

    Raises EgressRefused or FetchFailed.
    """
    try:
        async with asyncio.timeout(timeout_s), checked_client().stream("POST", url, content=content, headers=dict(headers)) as response:
            return response.status_code
    except TimeoutError as exc:
        raise FetchFailed("The other side did not answer in time.") from exc
    except httpx2.HTTPError as exc:
        raise FetchFailed("The other side could not be reached.") from exc
