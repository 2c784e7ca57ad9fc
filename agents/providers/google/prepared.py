"""Requests to Gemini as Google's SDK makes them: address, headers, body. See agents.providers.prepared."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import httpx2
from google import genai
from google.genai import types

from agents.engine.messages import ModelRequest, SystemPrompt
from agents.providers.google.request import config_of, extra_body_of
from agents.providers.prepared import KEY_PLACE, Catching, Kept, Prepared, name_of
from tenants.wide_json import as_json

NO_KEY = "none"  # the SDK wants one, and takes the environment's when it is given none
SERVER_TIMEOUT_S = 600  # what the SDK would otherwise derive from a client time limit and send as X-Server-Timeout

_PLACE = "."  # of the conversation and the system prompt in what the SDK is given


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleRequest:
    """A request without its conversation, system prompt and key. `instruction`: a content for the system prompt."""

    made: Prepared
    instruction: Mapping[str, Any]

    def request(self, *, key: str, system: str, contents: Iterable[bytes]) -> httpx2.Request:
        """The whole request; an empty `key` is sent as the SDK does without one. `contents`: the pieces of their JSON."""
        said = (b',"systemInstruction":', as_json({**self.instruction, "parts": [{"text": system}]})) if system else ()
        return self.made.request_written(key=key or NO_KEY, conversation=(b'{"contents":', *contents, *said))


_kept = Kept[GoogleRequest]()


async def prepared(request: ModelRequest, *, base_url: str, api_version: str) -> GoogleRequest:
    """What the SDK makes of the request's model, settings and tools. Raises RequestRefused for an option that is Parley's."""
    name = _name(request, base_url, api_version)
    found = _kept.get(name)
    if found is None:
        found = await _asked_of_sdk(request, base_url, api_version)
        _kept.put(name, found, found.made.size_bytes)
    return found


def sdk_client(request: ModelRequest, base_url: str, api_version: str, http: httpx2.AsyncClient) -> genai.Client:
    """A client for one request. Everything is explicit: the SDK fills what is missing from the environment."""
    return genai.Client(
        enterprise=False,
        api_key=KEY_PLACE,
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


def _name(request: ModelRequest, base_url: str, api_version: str) -> bytes:
    """Two requests have the same one when the SDK makes the same of them."""
    tools = [(tool.name, tool.description, dict(tool.input_schema)) for tool in request.tools]
    settings = {**asdict(replace(request.settings, provider_options={})), "provider_options": dict(request.settings.provider_options)}
    return name_of(base_url, api_version, request.model, tools, settings)


async def _asked_of_sdk(request: ModelRequest, base_url: str, api_version: str) -> GoogleRequest:
    catching = Catching()
    client = sdk_client(request, base_url, api_version, catching.client())
    config = config_of(replace(request, system=SystemPrompt(_PLACE)))
    async for _ in await client.aio.models.generate_content_stream(model=request.model, contents=_PLACE, config=config):
        pass
    made = catching.prepared(("contents", "systemInstruction"))
    return GoogleRequest(made=made, instruction=catching.body()["systemInstruction"])


class _NoTransport(httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raise NotImplementedError("Only the asynchronous client is used.")


# Both are only there so that the SDK does not build its own, at 22 ms each, for every client.
_NO_SYNC_CLIENT = httpx2.Client(transport=_NoTransport(), trust_env=False)
_NO_WEBSOCKET_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
