"""The Google adapter over a real connection: each way a stream can go wrong, and what closes it."""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import replace
from typing import Any

import pytest

from agents.errors import (
    AnswerCut,
    ContentBlocked,
    KeyRejected,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    RequestRefused,
)
from agents.messages import (
    ModelEvent,
    ModelResponse,
)
from agents.providers.google.adapter import GoogleModel
from doubles.script import Fault, Finish, Item, Pacing, Text
from doubles.signals import Gate
from tests.agents.providers.harness import collect, connection, google_model, request
from tests.support.agents.gemini import ServedGemini


class TestFaults:
    @pytest.mark.parametrize(
        ("items", "kind", "text"),
        [
            ([Fault.status(429, retry_after_s=7)], ProviderBusy, "in 7 s"),
            ([Fault.status(400, "Bad request.")], RequestRefused, "The provider refused the request: Bad request."),
            ([Fault.status(403)], KeyRejected, "did not accept the API key"),
            ([Fault.status(500)], ProviderUnavailable, "reports a problem"),
            ([Fault.status(503)], ProviderUnavailable, "overloaded"),
            ([Fault.html(502)], ProviderUnavailable, "The provider reports a problem."),
            ([Fault.blocked()], ContentBlocked, "safety filter"),
            ([Fault.cut()], AnswerCut, "was cut off"),
            ([Text("Hal"), Fault.cut()], AnswerCut, "was cut off"),
            ([Text("All"), Finish(None)], AnswerCut, "was cut off"),
            ([Text("Hal"), Fault.drop()], ProviderUnavailable, "broke"),
            ([Text("Hal"), Fault.reset()], ProviderUnavailable, "broke"),
            ([Text("Hal"), Fault.malformed(), Text("f")], ProviderUnavailable, "could not be read"),
            ([Text("Hal"), Fault.mid_stream_error(503)], ProviderUnavailable, "overloaded"),
            ([Text("Hal"), Fault.mid_stream_error(429)], ProviderBusy, "rate limit"),
        ],
    )
    async def test_each_fault_is_one_error(self, gemini: ServedGemini, items: list[Item], kind: type[ProviderError], text: str) -> None:
        gemini.answer(*items)
        events = list[ModelEvent]()
        async with google_model(gemini) as model:
            with pytest.raises(ProviderError) as caught:
                await collect(model, request(), events)
        assert type(caught.value) is kind
        assert text in str(caught.value)
        assert not any(isinstance(event, ModelResponse) for event in events)
        assert bool(events) == isinstance(items[0], Text)

    async def test_the_rate_limits_time_is_kept(self, gemini: ServedGemini) -> None:
        gemini.answer(Fault.status(429, retry_after_s=7))
        async with google_model(gemini) as model:
            with pytest.raises(ProviderBusy) as caught:
                await collect(model, request())
        assert caught.value.retry_after_s == 7

    @pytest.mark.parametrize("key", ["wrong-key", None])
    async def test_a_wrong_key_is_its_own_error(self, gemini: ServedGemini, key: str | None) -> None:
        async with google_model(gemini, key=key) as model:
            with pytest.raises(KeyRejected):
                await collect(model, request())

    async def test_no_exception_that_gets_out_holds_the_request(self, gemini: ServedGemini) -> None:
        """The SDK's errors hold the request with its key, so none of them may be in the chain that a logger prints."""
        async with google_model(gemini, key="wrong-key") as model:
            with pytest.raises(KeyRejected) as caught:
                await collect(model, request())
        assert (caught.value.__cause__, caught.value.__context__) == (None, None)
        trace = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        assert "wrong-key" not in "".join(trace.format())

    async def test_a_refused_connection_is_a_network_error(self) -> None:
        async with connection("http://127.0.0.1:1") as template:
            with pytest.raises(ProviderUnavailable, match="could not be reached"):
                await collect(GoogleModel(template), request())

    async def test_an_address_that_is_not_allowed(self) -> None:
        async with connection("http://127.0.0.1:1") as template:
            inner = replace(template, base_url="http://127.0.0.1:2")
            with pytest.raises(RequestRefused):
                await collect(GoogleModel(inner), request())

    async def test_an_unknown_model_is_its_own_error(self, gemini: ServedGemini) -> None:
        async with google_model(gemini) as model:
            with pytest.raises(RequestRefused, match="models/gemini-9 is not found"):
                await collect(model, request(model="gemini-9"))

    @pytest.mark.parametrize("items", [[Fault.silence()], [Text("Hal", pieces=["Hal"]), Fault.silence()]])
    async def test_silence_ends_the_call_and_the_connection(self, gemini: ServedGemini, items: list[Item]) -> None:
        gemini.answer(*items)
        async with google_model(gemini, timeout_s=0.2) as model:
            with pytest.raises(ProviderUnavailable, match="in time"):
                await collect(model, request())
            await gemini.requests[0].disconnected.wait_async()

    async def test_a_slow_stream_is_no_silence(self, gemini: ServedGemini) -> None:
        """Each piece comes within the limit, all of them together do not."""
        gemini.answer(Text("abcd", pieces=["a", "b", "c", "d"]), pacing=Pacing(tokens_per_s=2))
        async with google_model(gemini, timeout_s=1.9) as model:
            events = await collect(model, request())
        assert isinstance(events[-1], ModelResponse)


class TestClosing:
    """Stop must end the provider's work, and its bill, within a second (SECURITY 24)."""

    async def test_closing_the_stream_closes_the_connection(self, gemini: ServedGemini) -> None:
        gemini.answer(Text("Hal", pieces=["Hal"]), Gate())
        async with google_model(gemini) as model:
            events = model.stream(request())
            await anext(events)
            await events.aclose()
            await gemini.requests[0].disconnected.wait_async()

    async def test_cancelling_while_waiting_for_more(self, gemini: ServedGemini) -> None:
        has_streamed = asyncio.Event()
        gemini.answer(Text("Hal", pieces=["Hal"]), Gate())
        async with google_model(gemini) as model:

            async def read() -> None:
                async for _ in model.stream(request()):
                    has_streamed.set()

            task = asyncio.create_task(read())
            await has_streamed.wait()
            await cancelled(task)
            await gemini.requests[0].disconnected.wait_async()

    async def test_cancelling_while_doing_something_else(self, gemini: ServedGemini) -> None:
        """The consumer is cancelled in its own code, where the SDK's stream would stay open until garbage collection."""
        gemini.answer(Text("Hal", pieces=["Hal"]), Gate())
        busy = asyncio.Event()
        async with google_model(gemini) as model:
            events = model.stream(request())

            async def read() -> None:
                try:
                    async for _ in events:
                        busy.set()
                        await asyncio.Event().wait()
                finally:
                    await events.aclose()

            task = asyncio.create_task(read())
            await busy.wait()
            await cancelled(task)
            await gemini.requests[0].disconnected.wait_async()

    async def test_cancelling_before_the_first_byte(self, gemini: ServedGemini) -> None:
        gemini.answer(Fault.silence())
        async with google_model(gemini) as model:
            task = asyncio.create_task(collect(model, request()))
            await gemini.arrived().wait_async()
            await cancelled(task)
            await gemini.requests[0].disconnected.wait_async()

    async def test_a_finished_answers_connection_is_used_again(self, gemini: ServedGemini) -> None:
        gemini.default(Text("Hi"))
        async with google_model(gemini) as model:
            for _ in range(3):
                await collect(model, request())
            transport: Any = model._connection.http._transport
            assert len(transport._pool.connections) == 1


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
