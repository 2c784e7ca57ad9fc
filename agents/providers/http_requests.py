"""The HTTP requests to providers: JSON, with every header said here or by the vendor's adapter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import httpx2

from agents.providers.connection import Connection

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


def bearer(connection: Connection) -> Mapping[str, str]:
    """Return the header with the connection's key; none without a key."""
    return {"authorization": f"Bearer {connection.key.reveal()}"} if connection.key else {}
