"""Requests as Anthropic's SDK makes them: address, headers, body. See agents.providers.request_templates.

Source: anthropic 2.12, `with_streaming_response`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2
from anthropic import AsyncAnthropic

from agents.providers.connection import CONNECT_TIMEOUT_S, Connection
from agents.providers.request_templates import KEY_PLACEHOLDER, CapturingTransport, RequestTemplate, TemplateCache, cache_key
from security.secret_text import SecretText

API_VERSION = "2026-10-21"
PLACEHOLDER_KEY = "none"  # the SDK takes the environment's, or one from a file, when it is given none
CONVERSATION_FIELDS = ("messages", "system", "container")  # the fields that are a conversation's own

_template_cache = TemplateCache[RequestTemplate]()


async def request_of(connection: Connection, arguments: Mapping[str, Any]) -> httpx2.Request:
    """The SDK's request for these arguments of its `messages.create`, with the connection's key; a conversation's fields go in as they are."""
    conversation = {name: arguments[name] for name in CONVERSATION_FIELDS if name in arguments}
    template = await request_template(
        connection, {name: value for name, value in arguments.items() if name not in conversation}, (*conversation,)
    )
    return template.request(key=connection.key.reveal() if connection.key else PLACEHOLDER_KEY, conversation=conversation)


async def request_template(connection: Connection, arguments: Mapping[str, Any], conversation: tuple[str, ...]) -> RequestTemplate:
    """What the SDK makes of `arguments`, for connections like this one, without the fields of a conversation."""
    name = cache_key(connection.base_url, connection.api_version, connection.read_timeout_s, arguments, conversation)
    template = _template_cache.get(name)
    if template is None:
        template = await _capture_template(connection, arguments, conversation)
        _template_cache.put(name, template, template.size_bytes)
    return template


async def _capture_template(connection: Connection, arguments: Mapping[str, Any], conversation: tuple[str, ...]) -> RequestTemplate:
    transport = CapturingTransport()
    client = client_of(replace(connection, http=transport.client(), key=SecretText(KEY_PLACEHOLDER)))
    async with client.messages.with_streaming_response.create(**arguments, messages=[], stream=True):
        return transport.request_template(conversation)


def client_of(connection: Connection) -> AsyncAnthropic:
    """A client for one call. Everything is explicit: the SDK fills what is missing from the environment."""
    return _Client(
        api_key=connection.key.reveal() if connection.key else PLACEHOLDER_KEY,
        webhook_key=PLACEHOLDER_KEY,
        base_url=connection.base_url,
        timeout=httpx2.Timeout(connection.read_timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S),
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
