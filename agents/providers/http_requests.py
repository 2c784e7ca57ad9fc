"""HTTP requests to providers: makes the POST of a call, which `streaming` sends, and sends the GETs that list models or check a key.

JSON, with every header said here or by the vendor's adapter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import orjson

from agents.providers.connection import Connection

MAX_LISTING_BYTES = 4 * 1024 * 1024  # OpenRouter lists hundreds of models in half a megabyte

_HEADERS = {
    "accept": "application/json",
    "accept-encoding": "identity",  # compressed events would wait in the compressor
    "content-type": "application/json",
    "user-agent": "Parley",
}


def json_post(connection: Connection, path: str, headers: Mapping[str, str], body: Iterable[bytes | memoryview]) -> httpx2.Request:
    """Return a POST to `path` below the connection's base URL. `body` is its JSON in pieces."""
    return httpx2.Request("POST", connection.base_url.rstrip("/") + path, headers={**_HEADERS, **headers}, content=b"".join(body))


async def get_status(connection: Connection, path: str, headers: Mapping[str, str]) -> int:
    """Return the status of the answer to a GET. Raises the HTTP client's errors, which hold the request and its key."""
    async with connection.http.stream("GET", connection.base_url.rstrip("/") + path, headers=dict(headers)) as response:
        return response.status_code


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """An answer with a JSON body; an error's body may be plain text."""

    status: int
    body: Any
    headers: Mapping[str, str]


async def get_json(connection: Connection, path: str, headers: Mapping[str, str]) -> JsonAnswer:
    """Return the answer to a GET. Raises the HTTP client's errors, and ValueError for a success that is no JSON or too long."""
    async with connection.http.stream("GET", connection.base_url.rstrip("/") + path, headers={**_HEADERS, **headers}) as response:
        raw = await _read_body(response)
    try:
        body = orjson.loads(raw)
    except ValueError:
        if response.status_code < 400:
            raise
        body = raw.decode(errors="replace")
    return JsonAnswer(response.status_code, body, response.headers)


async def _read_body(response: httpx2.Response) -> bytes:
    raw = b""
    async for piece in response.aiter_bytes():
        raw += piece
        if len(raw) > MAX_LISTING_BYTES:
            raise ValueError("the answer is too long")
    return raw


def bearer(connection: Connection) -> Mapping[str, str]:
    """Return the header with the connection's key; none without a key."""
    return {"authorization": f"Bearer {connection.key.reveal()}"} if connection.key else {}
