"""Single requests and their complete responses: `call`, `post` and `fetch`.

`call` sends one request to an API that an admin entered, and `post` sends one message to a URL that an admin entered. `fetch` loads one
document from the public internet. Its URL may be a model's choice, so EGRESS_ALLOW does not apply to it (FETCH_ALLOW does).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import httpx2
from django.utils.translation import gettext

from security.egress.client import checked_client, fetch_client
from security.egress.errors import EgressRefused, FetchFailed, Unreachable
from security.egress.refusals import counted_refusals
from security.egress.urls import check_spelling, in_fetch_allowlist, parse_target

MAX_RESPONSE_BYTES = 1024 * 1024
TIMEOUT_S = 20.0
MAX_DOCUMENT_BYTES = 5 * 1024 * 1024
MAX_REDIRECTS = 5
CONNECT_ERRORS = (httpx2.ConnectError, httpx2.ConnectTimeout)
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})


async def call(method: str, url: str, *, content: bytes | None, headers: Mapping[str, str], timeout_s: float) -> FetchResult:
    """Send the request once and return the response, of any status and at most 1 MB. Redirects are not followed.

    Raises EgressRefused or FetchFailed.
    """
    try:
        async with asyncio.timeout(timeout_s):
            return await _send(method, url, content, dict(headers))
    except TimeoutError as exc:
        raise FetchFailed(gettext("The server did not answer within %(timeout_s)s seconds.") % {"timeout_s": f"{timeout_s:g}"}) from exc
    except CONNECT_ERRORS as exc:
        raise Unreachable(gettext("The server could not be reached.")) from exc
    except httpx2.HTTPError as exc:
        raise FetchFailed(gettext("The connection to the server broke.")) from exc


async def _send(method: str, url: str, content: bytes | None, headers: dict[str, str]) -> FetchResult:
    async with checked_client().stream(method, url, content=content, headers={"accept-encoding": "gzip", **headers}) as response:
        answer = bytearray()
        async for block in response.aiter_raw():
            answer += block
            if len(answer) > MAX_RESPONSE_BYTES:
                raise EgressRefused(gettext("The answer is larger than allowed."))
        return FetchResult(url, response.status_code, dict(response.headers), bytes(answer))


async def post(url: str, *, content: bytes, headers: Mapping[str, str], timeout_s: float) -> int:
    """POST `content` once and return the response's status. Redirects are not followed, and the response's body is not read.

    Raises EgressRefused or FetchFailed.
    """
    try:
        async with asyncio.timeout(timeout_s), checked_client().stream("POST", url, content=content, headers=dict(headers)) as response:
            return response.status_code
    except TimeoutError as exc:
        raise FetchFailed(gettext("The other side did not answer in time.")) from exc
    except httpx2.HTTPError as exc:
        raise FetchFailed(gettext("The other side could not be reached.")) from exc


@dataclass(frozen=True, slots=True)
class FetchResult:
    """A response of any status."""

    url: str  # where the response came from, after redirects
    status: int
    headers: Mapping[str, str]
    content: bytes  # decompressed


async def fetch(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
    client: httpx2.AsyncClient | None = None,
    check: Callable[[str], Awaitable[None]] | None = None,
) -> FetchResult:
    """GET `url`, following at most 5 redirects, each of which is checked like the first URL. At most 5 MB and `timeout_s` in total.

    `headers` are sent to the first origin only: a redirect to another origin drops them. `check` is called with the address of each
    redirect and may raise. Raises EgressRefused or FetchFailed.
    """
    try:
        async with asyncio.timeout(timeout_s):
            return await _follow_redirects(client or fetch_client(), url, dict(headers or {}), check)
    except TimeoutError as exc:
        raise FetchFailed(gettext("The page did not load in time.")) from exc
    except CONNECT_ERRORS as exc:
        raise Unreachable(gettext("The page could not be loaded.")) from exc
    except httpx2.HTTPError as exc:
        raise FetchFailed(gettext("The page could not be loaded.")) from exc


async def _follow_redirects(
    client: httpx2.AsyncClient, url: str, headers: dict[str, str], check: Callable[[str], Awaitable[None]] | None
) -> FetchResult:
    origin = _checked_origin(url)
    for _ in range(MAX_REDIRECTS + 1):
        async with client.stream("GET", url, headers={"accept-encoding": "gzip", **headers}) as response:
            if response.status_code not in REDIRECT_STATUSES or "location" not in response.headers:
                return FetchResult(url, response.status_code, dict(response.headers), await _read_content(response))
            url = _next_url(response)
        if _checked_origin(url) != origin:
            headers = {}
        if check is not None:
            await check(url)
    raise EgressRefused(gettext("The page redirects too often."))


def _checked_origin(url: str) -> str:
    with counted_refusals(url):
        return parse_target(url, in_fetch_allowlist).origin


def _next_url(response: httpx2.Response) -> str:
    check_spelling(response.headers["location"])
    try:
        return str(response.url.join(response.headers["location"]))
    except httpx2.InvalidURL as exc:
        raise EgressRefused(gettext("The page redirects to an invalid address.")) from exc


async def _read_content(response: httpx2.Response) -> bytes:
    content = bytearray()
    async for block in response.aiter_raw():
        content += block
        if len(content) > MAX_DOCUMENT_BYTES:
            raise EgressRefused(gettext("The page is larger than allowed."))
    return bytes(content)
