"""HTTP requests as OpenAI's SDK makes them (address, headers, body), from cached templates.

See agents.providers.request_templates. Source: openai 3.54, `with_streaming_response`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Literal

import httpx2
from openai import AsyncAPIResponse, AsyncOpenAI, Omit

from agents.providers.connection import CONNECT_TIMEOUT_S, Connection
from agents.providers.request_templates import KEY_PLACEHOLDER, CapturingTransport, RequestTemplate, TemplateCache, cache_key
from security.secret_text import SecretText

OpenAIWire = Literal["responses", "chat"]

_CONVERSATION: Mapping[OpenAIWire, Mapping[str, Any]] = {"responses": {"input": []}, "chat": {"messages": []}}
_template_cache = TemplateCache[RequestTemplate]()


async def request_of(
    connection: Connection, wire: OpenAIWire, arguments: Mapping[str, Any], conversation: Mapping[str, Any]
) -> httpx2.Request:
    """Return the SDK's request for these arguments of its `create`, with the connection's key.

    `conversation`: further fields of the body, which are inserted unchanged and never cached.
    """
    key = connection.key.reveal() if connection.key else ""
    template = await request_template(connection, wire, arguments)
    return template.request(key=key, conversation=conversation)


async def request_template(connection: Connection, wire: OpenAIWire, arguments: Mapping[str, Any]) -> RequestTemplate:
    """Return the template that the SDK makes of `arguments` for such a connection."""
    name = cache_key(wire, connection.base_url, connection.read_timeout_s, connection.key is None, arguments)
    template = _template_cache.get(name)
    if template is None:
        template = await _capture_template(connection, wire, arguments)
        _template_cache.put(name, template, template.size_bytes)
    return template


async def _capture_template(connection: Connection, wire: OpenAIWire, arguments: Mapping[str, Any]) -> RequestTemplate:
    transport = CapturingTransport()
    empty = _CONVERSATION[wire]
    client = client_of(replace(connection, http=transport.client(), key=SecretText(KEY_PLACEHOLDER) if connection.key else None))
    async with _open_stream(client, wire, {**arguments, **empty, "stream": True, "extra_headers": _headers_of(connection)}):
        return transport.request_template(empty)


def _open_stream(client: AsyncOpenAI, wire: OpenAIWire, arguments: Mapping[str, Any]) -> AbstractAsyncContextManager[AsyncAPIResponse[Any]]:
    if wire == "responses":
        return client.responses.with_streaming_response.create(**arguments)
    return client.chat.completions.with_streaming_response.create(**arguments)


def client_of(connection: Connection) -> AsyncOpenAI:
    """Return a client for one call. Every setting is explicit, because the SDK fills missing ones from the environment."""
    return _Client(
        api_key=connection.key.reveal() if connection.key else "",
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=connection.base_url,
        timeout=httpx2.Timeout(connection.read_timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S),
        max_retries=0,
        http_client=connection.http,
    )


def _headers_of(connection: Connection) -> Mapping[str, str | Omit]:
    """Return the call's own headers. Without a key, Omit tells the SDK that none is intended."""
    return {"accept-encoding": "identity"} | ({} if connection.key else {"authorization": Omit()})


class _Client(AsyncOpenAI):
    """A client without empty headers for organization and project, and without those that the SDK takes from OPENAI_CUSTOM_HEADERS."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.organization = self.project = None
        self._custom_headers = {}
