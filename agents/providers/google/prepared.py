"""Requests to Gemini as Google's SDK makes them: address, headers, body. See agents.providers.request_templates."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import httpx2
from google import genai
from google.genai import types

from agents.engine.messages import ModelRequest, SystemPrompt
from agents.providers.google.request import build_config, extra_body_of
from agents.providers.request_templates import KEY_PLACEHOLDER, CapturingTransport, RequestTemplate, TemplateCache, cache_key
from tenants.json_encoding import json_bytes

PLACEHOLDER_KEY = "none"  # the SDK wants one, and takes the environment's when it is given none
SERVER_TIMEOUT_S = 600  # what the SDK would otherwise derive from a client time limit and send as X-Server-Timeout

_PLACEHOLDER = "."  # of the conversation and the system prompt in what the SDK is given


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleRequestTemplate:
    """A request without its conversation, system prompt and key. `instruction`: a content for the system prompt."""

    template: RequestTemplate
    instruction: Mapping[str, Any]

    def request(self, *, key: str, system: str, contents: Iterable[bytes]) -> httpx2.Request:
        """The whole request; an empty `key` is sent as the SDK does without one. `contents`: the pieces of their JSON."""
        instruction_json = (b',"systemInstruction":', json_bytes({**self.instruction, "parts": [{"text": system}]})) if system else ()
        return self.template.build_from_json(key=key or PLACEHOLDER_KEY, conversation=(b'{"contents":', *contents, *instruction_json))


_template_cache = TemplateCache[GoogleRequestTemplate]()


async def request_template(request: ModelRequest, *, base_url: str, api_version: str) -> GoogleRequestTemplate:
    """What the SDK makes of the request's model, settings and tools. Raises RequestRefused for an option that is Parley's."""
    name = _cache_key(request, base_url, api_version)
    cached = _template_cache.get(name)
    if cached is None:
        cached = await _capture_template(request, base_url, api_version)
        _template_cache.put(name, cached, cached.template.size_bytes)
    return cached


def sdk_client(request: ModelRequest, base_url: str, api_version: str, http: httpx2.AsyncClient) -> genai.Client:
    """A client for one request. Everything is explicit: the SDK fills what is missing from the environment."""
    return genai.Client(
        enterprise=False,
        api_key=KEY_PLACEHOLDER,
        http_options=types.HttpOptions(
            base_url=base_url,
            api_version=api_version or "v1beta",
            headers={"X-Server-Timeout": str(SERVER_TIMEOUT_S)},
            extra_body=extra_body_of(request),
            httpx_client=_NO_SYNC_CLIENT,
            httpx_async_client=http,
            async_client_args={"ssl": _NO_WEBSOCKET_TLS},
        ),
    )


def _cache_key(request: ModelRequest, base_url: str, api_version: str) -> bytes:
    """Two requests have the same one when the SDK makes the same of them."""
    tools = [(tool.name, tool.description, dict(tool.input_schema)) for tool in request.tools]
    settings = {**asdict(replace(request.settings, provider_options={})), "provider_options": dict(request.settings.provider_options)}
    return cache_key(base_url, api_version, request.model, tools, settings)


async def _capture_template(request: ModelRequest, base_url: str, api_version: str) -> GoogleRequestTemplate:
    transport = CapturingTransport()
    client = sdk_client(request, base_url, api_version, transport.client())
    config = build_config(replace(request, system=SystemPrompt(_PLACEHOLDER)))
    async for _ in await client.aio.models.generate_content_stream(model=request.model, contents=_PLACEHOLDER, config=config):
        pass
    template = transport.request_template(("contents", "systemInstruction"))
    return GoogleRequestTemplate(template=template, instruction=transport.body()["systemInstruction"])


class _NoTransport(httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raise NotImplementedError("Only the asynchronous client is used.")


# Both are only there so that the SDK does not build its own, at 22 ms each, for every client.
_NO_SYNC_CLIENT = httpx2.Client(transport=_NoTransport(), trust_env=False)
_NO_WEBSOCKET_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
