"""What is compared: the same model call made by a bare HTTP client, by Google's SDK, and through Parley's socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count as counter, cycle, islice
from typing import Any, Protocol
from uuid import uuid4

import httpx2
import orjson
from google import genai
from google.genai import types
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from agents.providers.sse import SseDecoder
from bench.stack import BenchStack

KEY = "only-for-benchmarks"
LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=1000)
TIMEOUT_S = 60.0
QUESTION = "What does the benchmark measure?"


class MeasureError(Exception):
    """A system gave an error instead of an answer."""


class Chat(Protocol):
    """One chat of one system."""

    def answer(self) -> AsyncIterator[str]:
        """Send a message; yield the answer's text as it comes. Raises MeasureError."""
        ...


class System(Protocol):
    name: str

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        """That many chats, connected if the system connects before a message; `stack` closes them."""
        ...


@dataclass(frozen=True)
class ModelCall:
    """The request that Parley makes for QUESTION, as the double received it."""

    path: str
    model: str
    body: Mapping[str, Any]


class DirectHttp:
    """The limit: Parley's own request, sent and read without Parley."""

    name = "http"

    def __init__(self, base_url: str, call: ModelCall) -> None:
        self._url = f"{base_url}{call.path}?alt=sse"
        self._content = orjson.dumps(call.body)
        self._client = httpx2.AsyncClient(trust_env=False, limits=LIMITS, timeout=TIMEOUT_S)

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        return [self] * count

    async def answer(self) -> AsyncIterator[str]:
        headers = {"x-goog-api-key": KEY, "content-type": "application/json", "accept-encoding": "identity"}
        decoder = SseDecoder()
        async with self._client.stream("POST", self._url, content=self._content, headers=headers) as response:
            if response.status_code != 200:
                raise MeasureError((await response.aread()).decode())
            async for block in response.aiter_raw():
                for event in decoder.feed(block):
                    for part in orjson.loads(event)["candidates"][0]["content"]["parts"]:
                        if part["text"]:
                            yield part["text"]


class BareRelay(DirectHttp):
    """The least that a relay can be (bench.relay), before the same call."""

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
        given = {name: call.body[name] for name in ("systemInstruction", "tools") if name in call.body}
        self._config = types.GenerateContentConfig.model_validate({**given, **call.body.get("generationConfig", {})})

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        return [self] * count

    async def answer(self) -> AsyncIterator[str]:
        models = self._client.aio.models
        stream = await models.generate_content_stream(model=self._model, contents=list(self._contents), config=self._config)
        async for chunk in stream:
            if chunk.text:
                yield chunk.text


class Parley:
    """Signed-in members' browser tabs, spread evenly: one socket a chat, each message in a new conversation or all in the one given."""

    name = "parley"

    def __init__(self, stack: BenchStack, conversation_id: str | None = None) -> None:
        self._conversation_id = conversation_id
        self._url, self._origin, self._cookies = stack.socket_url, stack.origin, stack.cookies

    async def chats(self, count: int, stack: AsyncExitStack) -> Sequence[Chat]:
        return [
            SocketChat(await stack.enter_async_context(self._connection(cookie)), self._conversation_id)
            for cookie in islice(cycle(self._cookies), count)
        ]

    def _connection(self, cookie: str) -> connect:
        return connect(
            self._url,
            origin=Origin(self._origin),
            additional_headers={"Cookie": cookie},
            compression=None,
            ping_interval=None,
            open_timeout=TIMEOUT_S,
            proxy=None,
        )


class SocketChat:
    def __init__(self, socket: ClientConnection, conversation_id: str | None) -> None:
        self._socket = socket
        self._conversation_id = conversation_id
        self._numbers = counter(1)

    async def answer(self) -> AsyncIterator[str]:
        message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": QUESTION}]}
        request = {"requestId": f"r{next(self._numbers)}", "trigger": "submit-message", "messages": [message]}
        request["id"] = self._conversation_id or str(uuid4())
        await self._socket.send(orjson.dumps({"type": "send", "headers": {}, "body": {}, **request}).decode())
        while True:
            frame = orjson.loads(await self._socket.recv())
            match frame:
                case {"type": "chunk", "chunk": {"type": "text-delta", "delta": delta}}:
                    yield delta
                case {"type": "end"}:
                    return
                case {"type": "error"} | {"type": "chunk", "chunk": {"type": "error"}}:
                    raise MeasureError(str(frame))
