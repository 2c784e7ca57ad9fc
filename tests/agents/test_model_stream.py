"""What one token passes between the provider's bytes and the engine, and what a call is booked with whose usage nobody reported."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from types import CodeType, FrameType
from typing import Any

import httpx2
import orjson
import pytest

from agents.engine.ports import LanguageModel
from agents.errors import MemberKeyRateLimited, ProviderError, ProviderUnavailable
from agents.messages import ModelEvent, ModelResponse, TextDelta, Usage
from agents.providers.anthropic.adapter import AnthropicModel
from agents.providers.connection import Connection
from agents.providers.google.adapter import GoogleModel
from agents.providers.openai.chat_adapter import ChatCompletionsModel
from agents.providers.openai.responses_adapter import OpenAIModel
from agents.runtime.call_recording import CallRecord, CallRecorder
from agents.runtime.files import RunAnswerFiles, RunAttachments
from security.secrets.secret_text import SecretText
from tests.agents.providers.harness import collect, request
from tests.support.agents.model_calls import ORIGIN, routed

TOKENS = 20
KEY = "a-key-of-a-member"
CHUNKS: dict[Callable[[Connection], LanguageModel], Callable[[str], dict[str, Any]]] = {
    GoogleModel: lambda text: {"candidates": [{"content": {"parts": [{"text": text}]}}]},
    OpenAIModel: lambda text: {"type": "response.output_text.delta", "delta": text},
    ChatCompletionsModel: lambda text: {"choices": [{"delta": {"content": text}}]},
    AnthropicModel: lambda text: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
}
BEGIN = {AnthropicModel: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}}
END = {"candidates": [{"finishReason": "STOP"}]}


class Provider(httpx2.AsyncBaseTransport):
    """Answers each request with these events, one block of bytes each, or with a status."""

    def __init__(self, *events: dict[str, Any], status: int = 200) -> None:
        self._events, self._status = events, status

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(self._status, content=self._blocks(), headers={"content-type": "text/event-stream"})

    async def _blocks(self) -> AsyncIterator[bytes]:
        for event in self._events:
            yield b"data: " + orjson.dumps(event) + b"\n\n"

    def connection(self, **fields: Any) -> Connection:
        http = httpx2.AsyncClient(transport=self, trust_env=False)
        return Connection(base_url="https://api.test", http=http, key=SecretText(KEY), timeout_s=90, **fields)


@contextmanager
def entered() -> Iterator[list[CodeType]]:
    """The functions of agents/ that are entered, once for each time."""
    functions: list[CodeType] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and str(frame.f_globals.get("__name__")).startswith("agents."):
            functions.append(frame.f_code)

    sys.setprofile(note)
    try:
        yield functions
    finally:
        sys.setprofile(None)


class NoContents:
    async def read(self, file_ids: object) -> dict[str, bytes]:
        return {}


class NoStore:
    async def keep(self, content_base64: str, stem: str) -> Any:
        raise AssertionError("there is no file")


@pytest.mark.parametrize("build", CHUNKS)
async def test_a_token_passes_two_generators(build: Callable[[Connection], LanguageModel]) -> None:
    begin = [BEGIN[build]] if build in BEGIN else []
    provider = Provider(*begin, *(CHUNKS[build](f"{number} ") for number in range(TOKENS)))
    model = routed(build(provider.connection()), attachments=RunAttachments(NoContents()), answer_files=RunAnswerFiles(NoStore()))
    async with aclosing(model.stream(request())) as events:
        await anext(events)  # what is decided once is decided before it
        with entered() as functions:
            deltas = [await anext(events) for _ in range(TOKENS - 1)]
    assert deltas[-1] == TextDelta(f"{TOKENS - 1} ")
    generators = [code.co_qualname for code in functions if code.co_flags & inspect.CO_ASYNC_GENERATOR]
    assert generators == ["RoutedModel.stream", "ProviderModel.stream"] * (TOKENS - 1)


def price(model: str, usage: Usage) -> float:
    return float(usage.output_tokens)


async def recorded(provider: Provider, *, events: int | None = None) -> CallRecord:
    """The record of one call, which is closed after so many events."""
    calls: list[CallRecord] = []
    record = CallRecorder(origin=ORIGIN, record=calls.append, price=price)
    model = routed(GoogleModel(provider.connection()), record=record)
    stream_events: list[ModelEvent] = []
    try:
        async with aclosing(model.stream(request())) as stream:
            async for event in stream:
                stream_events.append(event)
                if len(stream_events) == events:
                    break
    except ProviderError:
        pass
    [call] = calls
    return call


TEXT = CHUNKS[GoogleModel]("A")
USAGE = {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 9}}


@pytest.mark.parametrize(
    ("events", "stopped_after", "cost", "is_estimated"),
    [
        ([TEXT, END | USAGE], None, 9.0, False),
        ([TEXT, END], None, 1.0, True),
        ([TEXT | USAGE, END], 1, 9.0, False),
        ([TEXT, END], 1, 1.0, True),
    ],
)
async def test_a_call_without_reported_usage_has_an_estimated_cost(
    events: list[Any], stopped_after: int | None, cost: float, is_estimated: bool
) -> None:
    call = await recorded(Provider(*events), events=stopped_after)
    assert (call.cost_usd, call.attempts, call.is_estimated) == (cost, 1, is_estimated)


async def test_a_call_that_the_provider_refused_cost_nothing() -> None:
    call = await recorded(Provider(status=400))
    assert (call.cost_usd, call.attempts, call.error_code) == (0.0, 1, "request_refused")


async def test_a_rate_limit_of_a_members_own_key_is_marked_as_such() -> None:
    with pytest.raises(MemberKeyRateLimited) as caught:
        await collect(GoogleModel(Provider(status=429).connection(is_member_key=True)), request())
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)


@pytest.mark.parametrize("fault", [httpx2.ReadError("with the request"), TimeoutError()])
async def test_no_error_holds_the_request_with_its_key(fault: Exception) -> None:
    class FailingProvider(Provider):
        async def _blocks(self) -> AsyncIterator[bytes]:
            yield b"data: " + orjson.dumps(TEXT) + b"\n\n"
            raise fault

    model = routed(GoogleModel(FailingProvider().connection()))
    with pytest.raises(ProviderUnavailable) as caught:
        await collect(model, request())
    error: BaseException | None = caught.value
    while error is not None:
        assert not hasattr(error, "_request")
        assert isinstance(error, ProviderError)
        error = error.__cause__ or error.__context__


async def test_the_response_closes_when_the_answer_is_abandoned() -> None:
    class Endless(httpx2.AsyncByteStream):
        is_closed = False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b"data: " + orjson.dumps(TEXT) + b"\n\n"

        async def aclose(self) -> None:
            self.is_closed = True

    class Open(Provider):
        body = Endless()

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(200, stream=self.body)

    provider = Open()
    events = routed(GoogleModel(provider.connection())).stream(request())
    assert not isinstance(await anext(events), ModelResponse)
    assert not provider.body.is_closed
    await events.aclose()
    assert provider.body.is_closed
