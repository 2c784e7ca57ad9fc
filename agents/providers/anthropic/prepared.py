"""Requests as Anthropic's SDK makes them: address, headers, body. See agents.providers.prepared.

Source: anthropic 2.12, `with_streaming_response`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2
from anthropic import AsyncAnthropic

from agents.providers.base import CONNECT_S, Connection
from agents.providers.prepared import KEY_PLACE, Catching, Kept, Prepared, name_of
from security.secret_text import SecretText

API_VERSION = "2026-10-21"
NO_KEY = "none"  # the SDK takes the environment's, or one from a file, when it is given none
CONVERSATION = ("messages", "system", "container")  # the fields that are a conversation's own

_kept = Kept[Prepared]()


async def request_of(connection: Connection, arguments: Mapping[str, Any]) -> httpx2.Request:
    """The SDK's request for these arguments of its `messages.create`, with the connection's key; a conversation's fields go in as they are."""
    conversation = {name: arguments[name] for name in CONVERSATION if name in arguments}
    made = await prepared(connection, {name: value for name, value in arguments.items() if name not in conversation}, (*conversation,))
    return made.request(key=connection.key.reveal() if connection.key else NO_KEY, conversation=conversation)


async def prepared(connection: Connection, arguments: Mapping[str, Any], conversation: tuple[str, ...]) -> Prepared:
    """What the SDK makes of `arguments`, for connections like this one, without the fields of a conversation."""
    name = name_of(connection.base_url, connection.api_version, connection.silence_s, arguments, conversation)
    found = _kept.get(name)
    if found is None:
        found = await _asked_of_sdk(connection, arguments, conversation)
        _kept.put(name, found, found.size_bytes)
    return found


async def _asked_of_sdk(connection: Connection, arguments: Mapping[str, Any], conversation: tuple[str, ...]) -> Prepared:
    catching = Catching()
    client = client_of(replace(connection, http=catching.client(), key=SecretText(KEY_PLACE)))
    async with client.messages.with_streaming_response.create(**arguments, messages=[], stream=True):
        return catching.prepared(conversation)


def client_of(connection: Connection) -> AsyncAnthropic:
    """A client for one call. Everything is explicit: the SDK fills what is missing from the environment."""
    return _Client(
        api_key=connection.key.reveal() if connection.key else NO_KEY,
        webhook_key=NO_KEY,
        base_url=connection.base_url,
        timeout=httpx2.Timeout(connection.silence_s, connect=CONNECT_S, pool=CONNECT_S),
        max_retries=0,
        http_client=connection.http,
        open_telemetry={"traces": False, "propagation": False},
        default_headers={"anthropic-version": connection.api_version or API_VERSION, "accept-encoding": "identity"},
    )


class _Client(AsyncAnthropic):
    """A client for one call, without the headers that the SDK takes from ANTHROPIC_CUSTOM_HEADERS."""

    def __init__(self, *, default_headers: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._custom_headers = dict(default_headers)
