"""Checks with one cheap call, listing its models, whether a provider accepts a key.

Sources: https://ai.google.dev/api/models, https://platform.openai.com/docs/api-reference/models/list,
https://docs.anthropic.com/en/api/models-list.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import httpx2

from agents.providers.connection import Connection
from security.egress import EgressRefused

TIMEOUT_S = 15.0
REFUSAL_STATUSES = frozenset({400, 401, 403})  # Google answers an unknown key with 400; the call has nothing else to refuse


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """The result of a key check."""

    result: Literal["ok", "refused", "unreachable"]  # unreachable: nothing is known about the key
    message: str  # a sentence for the user


@dataclass(frozen=True, slots=True)
class _ModelsEndpoint:
    """A provider's endpoint that lists models."""

    path: Callable[[str], str]  # below the base URL, given the API version
    headers: Callable[[str], Mapping[str, str]]  # given the key


_OPENAI = _ModelsEndpoint(lambda version: "/models", lambda key: {"authorization": f"Bearer {key}"})
_MODELS_ENDPOINTS: Mapping[str, _ModelsEndpoint] = {
    "google": _ModelsEndpoint(lambda version: f"/{version or 'v1beta'}/models?pageSize=1", lambda key: {"x-goog-api-key": key}),
    "openai": _OPENAI,
    "compatible": _OPENAI,
    "anthropic": _ModelsEndpoint(lambda version: "/v1/models?limit=1", lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"}),
}


async def key_check(provider: str, label: str, connection: Connection) -> KeyVerdict:
    """Check the connection's key, without retries. `label` is the provider's name in the message."""
    status = await _status(_MODELS_ENDPOINTS[provider], connection)
    if isinstance(status, str):
        return KeyVerdict("unreachable", status)
    if 200 <= status < 300:
        return KeyVerdict("ok", f"{label} accepts this key.")
    if status in REFUSAL_STATUSES:
        return KeyVerdict("refused", f"{label} does not accept this key. Check that it is whole, and that it was not withdrawn.")
    if status == 429:
        return KeyVerdict("unreachable", f"{label} is busy or the key's limit is used up. Try again later.")
    return KeyVerdict("unreachable", f"{label} could not check the key now (it answered {status}). Try again later.")


async def _status(listing: _ModelsEndpoint, connection: Connection) -> int | str:
    """Return the response's status, or a sentence saying why there is none. Exceptions hold the request with its key, so none escapes."""
    key = connection.key.reveal() if connection.key else ""
    url = connection.base_url.rstrip("/") + listing.path(connection.api_version)
    try:
        async with asyncio.timeout(TIMEOUT_S), connection.http.stream("GET", url, headers=dict(listing.headers(key))) as response:
            return response.status_code
    except EgressRefused as refused:
        return str(refused)
    except TimeoutError:
        return "The provider did not answer in time. Try again later."
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return "The provider could not be reached. Try again later."
