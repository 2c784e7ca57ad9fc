"""Each way a stream of the Anthropic adapter can go wrong or be ended, over a real connection."""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import replace
from typing import Any

import pytest

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
from agents.messages import ModelEvent, ModelResponse
from agents.providers.anthropic.adapter import AnthropicModel
from doubles.script import Fault, Finish, Item, Pacing, Text, Usage
from doubles.signals import Gate
from tests.agents.providers.google.test_google_faults import cancelled
from tests.agents.providers.harness import collect
from tests.support.agents.anthropic import ServedAnthropic, anthropic_connection, anthropic_model, claude, request

__all__ = ["claude"]


class TestFaults:
    @pytest.mark.parametrize(
        ("items", "kind", "text"),
        [
            ([Fault.status(429, retry_after_s=7)], ProviderBusy, "rate limit is reached. Try again in 7 s"),
            ([Fault.status(529)], ProviderBusy, "overloaded. Try again later"),
            ([Fault.status(400, "Bad request.")], RequestRefused, "The provider refused the request: Bad request."),
            ([Fault.status(400, "prompt is too long: 5 tokens > 4 maximum")], PromptTooLong, "too long for the model"),
            ([Fault.status(413)], PromptTooLong, "too long for the model"),
            ([Fault.status(401)], KeyRejected, "did not accept the API key"),
            ([Fault.status(403)], KeyRejected, "does not allow this with the API key"),
            ([Fault.status(402, "No credit.")], QuotaSpent, "quota for this key is used up"),
            ([Fault.status(500)], ProviderUnavailable, "reports a problem: Internal server error."),
            ([Fault.status(504)], ProviderUnavailable, "reports a problem"),
            ([Fault.html(502)], ProviderUnavailable, "The provider reports a problem."),
            ([Fault.blocked()], ContentBlocked, "safety filter"),
            ([Fault.cut()], AnswerCut, "was cut off"),
            ([Text("Hal"), Fault.cut()], AnswerCut, "was cut off"),
            ([Text("All"), Finish(None)], AnswerCut, "was cut off"),
            ([Text("Hal"), Fault.drop()], ProviderUnavailable, "broke"),
            ([Text("Hal"), Fault.reset()], ProviderUnavailable, "broke"),
            ([Text("Hal"), Fault.malformed(), Text("f")], ProviderUnavailable, "could not be read"),
            ([Text("Hal"), Fault.mid_stream_error(529)], ProviderBusy, "overloaded"),
            ([Text("Hal"), Fault.mid_stream_error(429)], ProviderBusy, "rate limit"),
            ([Text("Hal"), Fault.mid_stream_error(500)], ProviderUnavailable, "reports a problem"),
            ([Text("Hal"), Fault.mid_stream_error(400, "No.")], RequestRefused, "No."),
        ],
    )
    async def test_each_fault_is_one_error(self, claude: ServedAnthropic, items: list[Item], kind: type[ProviderError], text: str) -> None:
        claude.answer(*items)
        events = list[ModelEvent]()
        async with anthropic_model(claude) as model:
            with pytest.raises(ProviderError) as caught:
                await collect(model, request(), events)
        assert type(caught.value) is kind
        assert text in str(caught.value)
        assert not any(isinstance(event, ModelResponse) for event in events)
        assert bool(events) == isinstance(items[0], Text)

    async def test_the_rate_limits_time_is_kept_and_the_sdk_does_not_wait_itself(self, claude: ServedAnthropic) -> None:
        claude.answer(Fault.status(429, retry_after_s=7))
        async with anthropic_model(claude) as model:
            with pytest.raises(ProviderBusy) as caught:
                await collect(model, request())
        assert (caught.value.retry_after_s, len(claude.requests)) == (7, 1)

    async def test_what_a_failed_call_took_is_counted(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hal"), Usage(input_tokens=9, cached_tokens=4), Fault.cut())
        model_request = request()
        async with anthropic_model(claude) as model:
            with pytest.raises(AnswerCut):
                await collect(model, model_request)
        assert (model_request.meter.attempts, model_request.meter.usage.input_tokens, model_request.meter.usage.cached_tokens) == (1, 9, 4)

    async def test_no_exception_that_gets_out_holds_the_request(self, claude: ServedAnthropic) -> None:
        """The SDK's errors hold the request with its key, so none of them may be in the chain that a logger prints."""
        async with anthropic_model(claude, key="wrong-key") as model:
            with pytest.raises(KeyRejected) as caught:
                await collect(model, request())
        assert (caught.value.__cause__, caught.value.__context__) == (None, None)
        trace = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        assert "wrong-key" not in "".join(trace.format())

    async def test_a_refused_connection_is_a_network_error(self) -> None:
        async with anthropic_connection("http://127.0.0.1:1") as connection:
            with pytest.raises(ProviderUnavailable, match="could not be reached"):
                await collect(AnthropicModel(connection), request())

    async def test_an_address_that_is_not_allowed(self) -> None:
        async with anthropic_connection("http://127.0.0.1:1") as connection:
            inner = replace(connection, base_url="http://127.0.0.1:2")
            with pytest.raises(AddressRefused):
                await collect(AnthropicModel(inner), request())

    async def test_an_unknown_model_is_its_own_error(self, claude: ServedAnthropic) -> None:
        async with anthropic_model(claude) as model:
            with pytest.raises(RequestRefused, match="model: claude-opus-9"):
                await collect(model, request(model="claude-opus-9"))

    @pytest.mark.parametrize("items", [[Fault.silence()], [Text("Hal", pieces=["Hal"]), Fault.silence()]])
    async def test_silence_ends_the_call_and_the_connection(self, claude: ServedAnthropic, items: list[Item]) -> None:
        claude.answer(*items)
        async with anthropic_model(claude, timeout_s=0.2) as model:
            with pytest.raises(ProviderUnavailable, match="in time"):
                await collect(model, request())
            await claude.requests[0].disconnected.wait_async()

    async def test_a_slow_stream_is_no_silence(self, claude: ServedAnthropic) -> None:
        """Each piece comes within the limit, all of them together do not."""
        claude.answer(Text("abcd", pieces=["a", "b", "c", "d"]), pacing=Pacing(tokens_per_s=2))
        async with anthropic_model(claude, timeout_s=1.9) as model:
            events = await collect(model, request())
        assert isinstance(events[-1], ModelResponse)


class TestClosing:
    """Stop must end the provider's work, and its bill, within a second (SECURITY 24)."""

    async def test_closing_the_stream_closes_the_connection(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hal", pieces=["Hal"]), Gate())
        async with anthropic_model(claude) as model:
            events = model.stream(request())
            await anext(events)
            await events.aclose()
            await claude.requests[0].disconnected.wait_async()

    async def test_cancelling_while_waiting_for_more(self, claude: ServedAnthropic) -> None:
        has_streamed = asyncio.Event()
        claude.answer(Text("Hal", pieces=["Hal"]), Gate())
        async with anthropic_model(claude) as model:

            async def read() -> None:
                async for _ in model.stream(request()):
                    has_streamed.set()

            task = asyncio.create_task(read())
            await has_streamed.wait()
            await cancelled(task)
            await claude.requests[0].disconnected.wait_async()

    async def test_cancelling_while_doing_something_else(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hal", pieces=["Hal"]), Gate())
        busy = asyncio.Event()
        async with anthropic_model(claude) as model:
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
            await claude.requests[0].disconnected.wait_async()

    async def test_cancelling_before_the_first_byte(self, claude: ServedAnthropic) -> None:
        claude.answer(Fault.silence())
        async with anthropic_model(claude) as model:
            task = asyncio.create_task(collect(model, request()))
            await claude.arrived().wait_async()
            await cancelled(task)
            await claude.requests[0].disconnected.wait_async()

    async def test_a_finished_answers_connection_is_used_again(self, claude: ServedAnthropic) -> None:
        claude.default(Text("Hi"))
        async with anthropic_model(claude) as model:
            for _ in range(3):
                await collect(model, request())
            transport: Any = model._connection.http._transport
            assert len(transport._pool.connections) == 1
