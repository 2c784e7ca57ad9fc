"""Both OpenAI wires when something goes wrong: each fault is one error, no key gets out, and the connection closes at once."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.ports import LanguageModel
from agents.errors import (
    AddressRefused,
    AnswerCut,
    ContentBlocked,
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)
from agents.messages import ModelEvent, ModelResponse, TextDelta
from agents.providers.connection import Connection
from agents.providers.openai.chat_adapter import ChatCompletionsModel
from agents.providers.openai.responses_adapter import OpenAIModel
from doubles.script import Fault, Finish, Item, Pacing, Text
from doubles.signals import Gate
from tests.agents.providers.openai.openai_harness import PLAIN_MODEL, collect, connection, request
from tests.support.agents.openai import ServedOpenAI, openai_double

Build = Callable[[Connection], LanguageModel]
OpenModel = Callable[..., AbstractAsyncContextManager[LanguageModel]]
HALF = Text("Hal", pieces=["Hal"])


@pytest.fixture
def api() -> Iterator[ServedOpenAI]:
    with openai_double() as double:
        yield double


@pytest.fixture(params=[OpenAIModel, ChatCompletionsModel])
def build(request: pytest.FixtureRequest) -> Build:
    builder: Build = request.param
    return builder


@pytest.fixture
def open_connection(api: ServedOpenAI, build: Build) -> OpenModel:
    @asynccontextmanager
    async def open_model(key: str | None = "test-key", timeout_s: float = 5.0) -> AsyncIterator[LanguageModel]:
        async with connection(api.base_url, key, timeout_s) as provider_connection:
            yield build(provider_connection)

    return open_model


@pytest.mark.parametrize(
    ("items", "kind", "text"),
    [
        ([Fault.status(429, retry_after_s=7)], ProviderBusy, "in 7 s"),
        ([Fault.status(429, reason="insufficient_quota")], QuotaSpent, "no credit"),
        ([Fault.status(400, "Bad request.")], RequestRefused, "The provider refused the request: Bad request."),
        ([Fault.status(400, "Too much.", reason="context_length_exceeded")], PromptTooLong, "too long"),
        ([Fault.status(400, "No.", reason="content_policy_violation")], ContentBlocked, "safety filter"),
        ([Fault.status(403)], KeyRejected, "did not accept the API key"),
        ([Fault.status(500)], ProviderUnavailable, "reports a problem"),
        ([Fault.status(503)], ProviderUnavailable, "overloaded"),
        ([Fault.html(502)], ProviderUnavailable, "The provider reports a problem."),
        ([Fault.blocked()], ContentBlocked, "safety filter"),
        ([Fault.cut()], AnswerCut, "was cut off"),
        ([HALF, Fault.cut()], AnswerCut, "was cut off"),
        ([HALF, Finish(None)], AnswerCut, "was cut off"),
        ([HALF, Fault.drop()], ProviderUnavailable, "broke"),
        ([HALF, Fault.reset()], ProviderUnavailable, "broke"),
        ([HALF, Fault.malformed(), Text("f")], ProviderUnavailable, "could not be read"),
        ([HALF, Fault.mid_stream_error(503)], ProviderUnavailable, "overloaded"),
        ([HALF, Fault.mid_stream_error(429)], ProviderBusy, "rate limit"),
    ],
)
async def test_each_fault_is_one_error(
    api: ServedOpenAI, open_connection: OpenModel, items: list[Item], kind: type[ProviderError], text: str
) -> None:
    api.answer(*items)
    events = list[ModelEvent]()
    model_request = request(model=PLAIN_MODEL)
    async with open_connection() as model:
        with pytest.raises(ProviderError) as caught:
            await collect(model, model_request, events)
    assert type(caught.value) is kind
    assert text in str(caught.value)
    assert events == ([TextDelta("Hal")] if isinstance(items[0], Text) else [])
    assert model_request.meter.attempts == 1


async def test_the_rate_limits_time_is_kept(api: ServedOpenAI, open_connection: OpenModel) -> None:
    api.answer(Fault.status(429, retry_after_s=7))
    async with open_connection() as model:
        with pytest.raises(ProviderBusy) as caught:
            await collect(model, request(model=PLAIN_MODEL))
    assert caught.value.retry_after_s == 7
    assert len(api.requests) == 1  # the SDK retries nothing


@pytest.mark.parametrize("has_key", [True, False])
async def test_no_exception_that_gets_out_holds_the_request(open_connection: OpenModel, has_key: bool) -> None:
    """The SDK's errors hold the request with its key, so none of them may be in the chain that a logger prints."""
    async with open_connection(key="wrong-key" if has_key else None) as model:
        with pytest.raises(KeyRejected) as caught:
            await collect(model, request(model=PLAIN_MODEL))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    trace = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert "wrong-key" not in trace
    assert "wron****" not in trace  # the provider quotes the key's ends


async def test_a_refused_connection_is_a_network_error(build: Build) -> None:
    async with connection("http://127.0.0.1:1/v1") as provider_connection:
        with pytest.raises(ProviderUnavailable, match="could not be reached"):
            await collect(build(provider_connection), request())


async def test_an_address_that_is_not_allowed_is_refused(build: Build) -> None:
    async with connection("http://127.0.0.1:1/v1") as provider_connection:
        inner = replace(provider_connection, base_url="http://127.0.0.1:2/v1")
        with pytest.raises(AddressRefused):
            await collect(build(inner), request())


async def test_an_unknown_model_is_its_own_error(open_connection: OpenModel) -> None:
    async with open_connection() as model:
        with pytest.raises(RequestRefused, match="`gpt-9` does not exist"):
            await collect(model, request(model="gpt-9"))


@pytest.mark.parametrize("items", [[Fault.silence()], [HALF, Fault.silence()]])
async def test_silence_ends_the_call_and_the_connection(api: ServedOpenAI, open_connection: OpenModel, items: list[Item]) -> None:
    api.answer(*items)
    async with open_connection(timeout_s=0.2) as model:
        with pytest.raises(ProviderUnavailable, match="in time"):
            await collect(model, request(model=PLAIN_MODEL))
        await api.requests[0].disconnected.wait_async()


async def test_a_slow_stream_is_no_silence(api: ServedOpenAI, open_connection: OpenModel) -> None:
    """Each piece comes within the limit, all of them together do not."""
    api.answer(Text("abcd", pieces=["a", "b", "c", "d"]), pacing=Pacing(tokens_per_s=2))
    async with open_connection(timeout_s=1.9) as model:
        events = await collect(model, request(model=PLAIN_MODEL))
    assert isinstance(events[-1], ModelResponse)


async def test_a_comment_in_the_stream_is_no_data(api: ServedOpenAI, open_connection: OpenModel) -> None:
    api.answer(Fault.sse_comment(), Text("A", pieces=["A"]), Fault.sse_comment(), Text("B", pieces=["B"]))
    async with open_connection() as model:
        *deltas, _ = await collect(model, request(model=PLAIN_MODEL))
    assert deltas == [TextDelta("A"), TextDelta("B")]


class TestClosing:
    """Stop must end the provider's work, and its bill, within a second (SECURITY 24)."""

    async def test_closing_the_stream_closes_the_connection(self, api: ServedOpenAI, open_connection: OpenModel) -> None:
        api.answer(HALF, Gate())
        model_request = request(model=PLAIN_MODEL)
        async with open_connection() as model:
            events = model.stream(model_request)
            await anext(events)
            await events.aclose()
            await api.requests[0].disconnected.wait_async()
        assert model_request.meter.attempts == 1

    async def test_cancelling_while_waiting_for_more(self, api: ServedOpenAI, open_connection: OpenModel) -> None:
        has_streamed = asyncio.Event()
        api.answer(HALF, Gate())
        async with open_connection() as model:

            async def read() -> None:
                async for _ in model.stream(request(model=PLAIN_MODEL)):
                    has_streamed.set()

            task = asyncio.create_task(read())
            await has_streamed.wait()
            await cancelled(task)
            await api.requests[0].disconnected.wait_async()

    async def test_cancelling_before_the_first_byte(self, api: ServedOpenAI, open_connection: OpenModel) -> None:
        api.answer(Gate("before anything"))
        api.answer(Fault.silence())
        async with open_connection() as model:
            task = asyncio.create_task(collect(model, request(model=PLAIN_MODEL)))
            await api.arrived().wait_async()
            await cancelled(task)
            await api.requests[0].disconnected.wait_async()

    async def test_a_finished_answers_connection_is_used_again(self, api: ServedOpenAI, open_connection: OpenModel) -> None:
        api.default(Text("Hi"))
        async with open_connection() as model:
            for _ in range(3):
                await collect(model, request(model=PLAIN_MODEL))
            transport: Any = model._connection.http._transport  # type: ignore[attr-defined]
            assert len(transport._pool.connections) == 1


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
