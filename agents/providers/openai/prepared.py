"""Requests as OpenAI's SDK makes them: address, headers, body. See agents.providers.prepared.

Source: openai 3.54, `with_streaming_response`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Literal

import httpx2
from openai import AsyncAPIResponse, AsyncOpenAI, Omit

from agents.providers.base import CONNECT_S, Connection
from agents.providers.prepared import KEY_PLACE, Catching, Kept, Prepared, name_of
from security.secret_text import SecretText

Wire = Literal["responses", "chat"]

_CONVERSATION: Mapping[Wire, Mapping[str, Any]] = {"responses": {"input": []}, "chat": {"messages": []}}
_kept = Kept[Prepared]()


async def request_of(connection: Connection, wire: Wire, arguments: Mapping[str, Any], conversation: Mapping[str, Any]) -> httpx2.Request:
    """The SDK's request for these arguments of its `create`, with the connection's key.

    `conversation`: further fields of the body. They go in as they are, and not into what is kept.
    """
    key = connection.key.reveal() if connection.key else ""
    made = await prepared(connection, wire, arguments)
    return made.request(key=key, conversation=conversation)


async def prepared(connection: Connection, wire: Wire, arguments: Mapping[str, Any]) -> Prepared:
    """What the SDK makes of `arguments`, for connections like this one."""
    name = name_of(wire, connection.base_url, connection.silence_s, connection.key is None, arguments)
    found = _kept.get(name)
    if found is None:
        found = await _asked_of_sdk(connection, wire, arguments)
        _kept.put(name, found, found.size_bytes)
    return found


async def _asked_of_sdk(connection: Connection, wire: Wire, arguments: Mapping[str, Any]) -> Prepared:
    catching = Catching()
    empty = _CONVERSATION[wire]
    client = client_of(replace(connection, http=catching.client(), key=SecretText(KEY_PLACE) if connection.key else None))
    async with _opened(client, wire, {**arguments, **empty, "stream": True, "extra_headers": _headers_of(connection)}):
        return catching.prepared(empty)


def _opened(client: AsyncOpenAI, wire: Wire, arguments: Mapping[str, Any]) -> AbstractAsyncContextManager[AsyncAPIResponse[Any]]:
    if wire == "responses":
        return client.responses.with_streaming_response.create(**arguments)
    return client.chat.completions.with_streaming_response.create(**arguments)


def client_of(connection: Connection) -> AsyncOpenAI:
    """A client for one call. Everything is explicit: the SDK fills what is missing from the environment."""
    return _Client(
        api_key=connection.key.reveal() if connection.key else "",
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=connection.base_url,
        timeout=httpx2.Timeout(connection.silence_s, connect=CONNECT_S, pool=CONNECT_S),
        max_retries=0,
        http_client=connection.http,
    )


def _headers_of(connection: Connection) -> Mapping[str, str | Omit]:
    """The call's own headers. Without a key the SDK must be told that none is meant."""
    return {"accept-encoding": "identity"} | ({} if connection.key else {"authorization": Omit()})


class _Client(AsyncOpenAI):
    """Without empty headers for organization and project, and without those that the SDK takes from OPENAI_CUSTOM_HEADERS."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.organization = self.project = None
        self._custom_headers = {}
