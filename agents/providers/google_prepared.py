"""Requests to Gemini as the SDK makes them, without asking it twice for the same: it takes 5 ms of CPU for an agent's prompt and tools.

What the SDK makes of a model, its settings and its tools is kept, and a conversation and a system prompt are put into it. Kept is what the
SDK would make again: neither a key nor a word of a conversation.
"""

from __future__ import annotations

import json
import ssl
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any

import httpx2
import orjson
from google import genai
from google.genai import types

from agents.engine.messages import ModelRequest, SystemPrompt
from agents.providers.google_request import config_of, extra_body_of

KEPT = 256  # requests, of some kilobytes each
KEPT_BYTES = 64 * 1024  # of one at most, so 16 MB of all
KEY_HEADER = "x-goog-api-key"
NO_KEY = "none"  # the SDK wants one, and takes the environment's when it is given none
SERVER_TIMEOUT_S = 600  # what the SDK would otherwise derive from a client time limit and send as X-Server-Timeout

_PLACE = "."  # of the conversation and the system prompt in what the SDK is given


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request without its conversation, system prompt and key. `instruction`: a content for the system prompt; `rest`: the body's other fields as JSON."""

    url: httpx2.URL
    headers: Sequence[tuple[str, str]]
    instruction: Mapping[str, Any]
    rest: bytes

    def request(self, *, key: str, system: str, contents: Sequence[Mapping[str, Any]]) -> httpx2.Request:
        """The whole request; an empty `key` is sent as the SDK does without one."""
        return httpx2.Request(
            "POST", self.url, headers=[*self.headers, (KEY_HEADER, key or NO_KEY)], content=self._body(system=system, contents=contents)
        )

    def _body(self, *, system: str, contents: Sequence[Mapping[str, Any]]) -> bytes:
        head: dict[str, Any] = {"contents": contents}
        if system:
            head["systemInstruction"] = {**self.instruction, "parts": [{"text": system}]}
        written = as_json(head)
        return written if self.rest == b"{}" else written[:-1] + b"," + self.rest[1:]


_kept: OrderedDict[bytes, Prepared] = OrderedDict()


async def prepared(request: ModelRequest, *, base_url: str, api_version: str) -> Prepared:
    """What the SDK makes of the request's model, settings and tools. Raises RequestRefused for an option that is Parley's."""
    name = _name(request, base_url, api_version)
    found = _kept.get(name)
    if found is None:
        found = await _asked_of_sdk(request, base_url, api_version)
        _keep(name, found)
    else:
        with suppress(KeyError):  # another thread's loop made room meanwhile
            _kept.move_to_end(name)
    return found


def _keep(name: bytes, made: Prepared) -> None:
    if len(made.rest) > KEPT_BYTES:
        return
    _kept[name] = made
    if len(_kept) > KEPT:
        _kept.popitem(last=False)


def sdk_client(request: ModelRequest, base_url: str, api_version: str, transport: httpx2.AsyncBaseTransport) -> genai.Client:
    """A client for one request. Everything is explicit: the SDK fills what is missing from the environment."""
    return genai.Client(
        enterprise=False,
        api_key=NO_KEY,
        http_options=types.HttpOptions(
            base_url=base_url,
            api_version=api_version or "v1beta",
            headers={"X-Server-Timeout": str(SERVER_TIMEOUT_S)},
            extra_body=extra_body_of(request),
            httpx_client=_NO_SYNC_CLIENT,
            httpx_async_client=httpx2.AsyncClient(transport=transport, trust_env=False, headers={"accept-encoding": "identity"}),
            async_client_args={"ssl": _NO_WEBSOCKET_TLS},
        ),
    )


def as_json(value: object) -> bytes:
    """JSON in UTF-8; what only the standard library can write, as whole numbers beyond 64 bits, as that does it."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value).encode()


def _name(request: ModelRequest, base_url: str, api_version: str) -> bytes:
    """Two requests have the same one when the SDK makes the same of them."""
    tools = [(tool.name, tool.description, dict(tool.input_schema)) for tool in request.tools]
    settings = {**asdict(replace(request.settings, provider_options={})), "provider_options": dict(request.settings.provider_options)}
    return blake2b(as_json([base_url, api_version, request.model, tools, settings]), digest_size=32).digest()


async def _asked_of_sdk(request: ModelRequest, base_url: str, api_version: str) -> Prepared:
    catching = _Catching()
    client = sdk_client(request, base_url, api_version, catching)
    config = config_of(replace(request, system=SystemPrompt(_PLACE)))
    async for _ in await client.aio.models.generate_content_stream(model=request.model, contents=_PLACE, config=config):
        pass
    assert catching.request, "the SDK sent one"
    body = json.loads(catching.request.content)
    instruction = body.pop("systemInstruction")
    del body["contents"]
    left = {KEY_HEADER, "content-length", "host"}
    headers = [(name, value) for name, value in catching.request.headers.multi_items() if name not in left]
    return Prepared(url=catching.request.url, headers=headers, instruction=instruction, rest=as_json(body))


class _Catching(httpx2.AsyncBaseTransport):
    """Sends nothing, and keeps what would be sent."""

    request: httpx2.Request | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.request = request
        return httpx2.Response(200)


class _NoTransport(httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raise NotImplementedError("Only the asynchronous client is used.")


# Both are only there so that the SDK does not build its own, at 22 ms each, for every client.
_NO_SYNC_CLIENT = httpx2.Client(transport=_NoTransport(), trust_env=False)
_NO_WEBSOCKET_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
