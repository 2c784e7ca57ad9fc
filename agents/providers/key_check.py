"""Checks with one cheap call, listing its models, whether a provider accepts a key.

Sources: https://ai.google.dev/api/models, https://platform.openai.com/docs/api-reference/models/list,
https://docs.anthropic.com/en/api/models-list.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Literal

import httpx2

from admin_config.defaults.providers import PROVIDERS, Wire
from agents.providers.connection import Connection
from agents.providers.http_requests import bearer
from security.egress import EgressRefused

TIMEOUT_S = 15.0
REFUSAL_STATUSES = frozenset({400, 401, 403})  # Google answers an unknown key with 400; the call has nothing else to refuse


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """The result of a key check."""

    result: Literal["ok", "refused", "unreachable"]  # unreachable: nothing is known about the key
    message: str  # a sentence for the user


async def _google(connection: Connection) -> int:
    models_status: Callable[[Connection], Awaitable[int]] = await asyncio.to_thread(
        resolve_name, "agents.providers.google.key_check:models_status"
    )
    return await models_status(connection)


async def _openai(connection: Connection) -> int:
    return await _get(connection, "/models", bearer(connection))


async def _anthropic(connection: Connection) -> int:
    key = connection.key.reveal() if connection.key else ""
    return await _get(connection, "/v1/models?limit=1", {"x-api-key": key, "anthropic-version": "2023-06-01"})


_STATUS_BY_WIRE: Mapping[Wire, Callable[[Connection], Awaitable[int]]] = {
    "google": _google,
    "openai": _openai,
    "compatible": _openai,
    "anthropic": _anthropic,
}


async def key_check(provider: str, label: str, connection: Connection) -> KeyVerdict:
    """Check the connection's key, without retries. `label` is the provider's name in the message."""
    status = await _status(_STATUS_BY_WIRE[PROVIDERS[provider].wire], connection)
    if isinstance(status, str):
        return KeyVerdict("unreachable", status)
    if 200 <= status < 300:
        return KeyVerdict("ok", f"{label} accepts this key.")
    if status in REFUSAL_STATUSES:
        return KeyVerdict("refused", f"{label} does not accept this key. Check that it is whole, and that it was not withdrawn.")
    if status == 429:
        return KeyVerdict("unreachable", f"{label} is busy or the key's limit is used up. Try again later.")
    return KeyVerdict("unreachable", f"{label} could not check the key now (it answered {status}). Try again later.")


async def _get(connection: Connection, path: str, headers: Mapping[str, str]) -> int:
    async with connection.http.stream("GET", connection.base_url.rstrip("/") + path, headers=dict(headers)) as response:
        return response.status_code


async def _status(ask: Callable[[Connection], Awaitable[int]], connection: Connection) -> int | str:
    """Return the response's status, or a sentence saying why there is none. Exceptions hold the request with its key, so none escapes."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await ask(connection)
    except EgressRefused as refused:
        return str(refused)
    except TimeoutError:
        return "The provider did not answer in time. Try again later."
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return "The provider could not be reached. Try again later."
    except ValueError:
        return "The provider's answer could not be read. Try again later."
