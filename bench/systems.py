"""Systems that are compared: the same model call by a bare HTTP client, a bare relay, Google's SDK, and through Parley's socket.

For the cost of a send also the lean relay, which stores messages as Parley does, and nothing more.

Also the client that tells the double what to answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Any, Protocol

import httpx2
import orjson
from google import genai
from google.genai import types

from bench.clients import Chat, HttpConnection, SocketChat, TextCallback, open_connection, post_bytes
from bench.measure import Load
from bench.stack.lean_relay import RunningLeanRelay
from bench.stack.processes import BenchStack

KEY = "only-for-benchmarks"
LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=1000)
TIMEOUT_S = 60.0


class ModelServerClient:
    """Client of the control paths of bench.model.server."""

    def __init__(self, base_url: str) -> None:
        self._client = httpx2.AsyncClient(base_url=base_url, trust_env=False)

    async def set_answer(self, load: Load) -> None:
        """Set how every call is answered from now on."""
        plan = {"tokens": load.tokens, "tokens_per_s": load.tokens_per_s, "first_token_s": load.first_token_s, "block": load.block}
        together = 1 if load.tokens_per_s else load.chats
        response = await self._client.post("/control/answer", content=orjson.dumps({**plan, "together": together}))
        response.raise_for_status()

    async def last_call(self) -> ModelCall:
        """Return the newest call that the double has received."""
        response = await self._client.get("/control/call")
        return ModelCall(**response.raise_for_status().json())


async def answer_as(load: Load, script: ModelServerClient) -> None:
    """Make the double answer as `load` says from now on."""
    await script.set_answer(load)


class System(Protocol):
    """One of the compared systems."""

    name: str

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        """Return this many chats, already connected if the system connects before a message; `stack` closes them."""
        ...


@dataclass(frozen=True)
class ModelCall:
    """The request that Parley makes for a message, as the double received it."""

    path: str
    model: str
    body: Mapping[str, Any]


class DirectHttp:
    """The upper limit: Parley's own request, sent and read without Parley, over open connections."""

    name = "http"

    def __init__(self, base_url: str, call: ModelCall) -> None:
        self._base_url = base_url
        headers = {"x-goog-api-key": KEY, "content-type": "application/json", "accept-encoding": "identity"}
        self._request = post_bytes(f"{base_url}{call.path}?alt=sse", headers, orjson.dumps(call.body))

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        connections = [await open_connection(HttpConnection, self._base_url) for _ in range(count)]
        for connection in connections:
            stack.callback(connection.transport.close)
        return [HttpChat(connection, self._request) for connection in connections]


@dataclass(frozen=True, slots=True)
class HttpChat:
    """One chat over one HTTP connection."""

    connection: HttpConnection
    request: bytes

    async def ask(self, on_text: TextCallback) -> None:
        await self.connection.stream(self.request, on_text)


class BareRelay(DirectHttp):
    """The same call through the simplest possible relay (bench.model.relay)."""

    name = "relay"


class DirectSdk:
    """The same call with google-genai's asynchronous typed stream."""

    name = "sdk"

    def __init__(self, base_url: str, call: ModelCall) -> None:
        self._client = genai.Client(
            api_key=KEY, http_options=types.HttpOptions(base_url=base_url, async_client_args={"limits": LIMITS, "trust_env": False})
        )
        self._model = call.model
        self._contents = [types.Content.model_validate(content) for content in call.body["contents"]]
        fields = {name: call.body[name] for name in ("systemInstruction", "tools") if name in call.body}
        self._config = types.GenerateContentConfig.model_validate({**fields, **call.body.get("generationConfig", {})})

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        return [self] * count

    async def ask(self, on_text: TextCallback) -> None:
        models = self._client.aio.models
        stream = await models.generate_content_stream(model=self._model, contents=list(self._contents), config=self._config)
        async for chunk in stream:
            if chunk.text:
                on_text(chunk.text)


class Tabs:
    """Signed-in members' browser tabs, spread evenly: one socket per chat.

    Each message starts a new conversation, or all go into the given one.
    """

    name: str

    def __init__(self, socket_url: str, origin: str, cookies: Sequence[str], conversation_id: str | None) -> None:
        self._url, self._origin, self._cookies, self._conversation_id = socket_url, origin, cookies, conversation_id

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        """Open the sockets one after another. Raises MeasureError, OSError and TimeoutError."""
        chats = []
        for cookie in islice(cycle(self._cookies), count):
            chat = partial(SocketChat, self._url, self._origin, cookie, self._conversation_id)
            socket = await open_connection(chat, self._url)
            stack.callback(socket.transport.close)
            async with asyncio.timeout(TIMEOUT_S):
                await socket.is_open
            chats.append(socket)
        return chats


class Parley(Tabs):
    """Tabs of Parley's page."""

    name = "parley"

    def __init__(self, stack: BenchStack, conversation_id: str | None = None) -> None:
        super().__init__(stack.socket_url, stack.origin, stack.cookies, conversation_id)


class LeanRelay(Tabs):
    """Tabs of the lean relay's one user (bench.lean_relay)."""

    name = "lean relay"

    def __init__(self, relay: RunningLeanRelay, conversation_id: str | None = None) -> None:
        super().__init__(relay.socket_url, relay.url, [relay.cookie], conversation_id)
