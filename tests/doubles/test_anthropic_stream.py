"""What the Anthropic double streams, read by the real SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from doubles.script import Call, Fault, Finish, Item, Text, Thought, Usage
from doubles.signals import Gate
from tests.support.agents.anthropic import ALWAYS_THINKS, BUDGETED, SWITCHABLE, ServedAnthropic, anthropic_double, claude
from tests.support.agents.sdks import anthropic
from tests.support.suite.network import NO_TRUST

__all__ = ["claude"]

TOOL = {"name": "look_up", "description": "Looks.", "input_schema": {"type": "object"}}
HELLO = [{"role": "user", "content": "Hello"}]


@asynccontextmanager
async def sdk(double: ServedAnthropic, key: str = "test-key") -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with httpx2.AsyncClient(verify=NO_TRUST, trust_env=False) as http:
        yield anthropic.AsyncAnthropic(api_key=key, base_url=double.base_url, http_client=http, max_retries=0)


async def events_of(double: ServedAnthropic, **arguments: Any) -> list[Any]:
    request_arguments: dict[str, Any] = {"model": SWITCHABLE, "max_tokens": 1000, "messages": HELLO, **arguments}
    async with sdk(double) as client, await client.messages.create(stream=True, **request_arguments) as stream:
        return [event async for event in stream]


async def message_of(double: ServedAnthropic, **arguments: Any) -> Any:
    request_arguments: dict[str, Any] = {"model": SWITCHABLE, "max_tokens": 1000, "messages": HELLO, **arguments}
    async with sdk(double) as client:
        return await client.messages.create(**request_arguments)


async def test_a_scripted_answer_arrives_piece_by_piece_with_usage_and_an_end_mark(claude: ServedAnthropic) -> None:
    claude.answer(Text("Hello world", pieces=["Hello", " world"]), Usage(input_tokens=11, output_tokens=5, cached_tokens=4))
    start, block_start, first, second, block_stop, end, stop = await events_of(claude)
    assert (start.message.model, start.message.usage.input_tokens, start.message.usage.cache_read_input_tokens) == (SWITCHABLE, 7, 4)
    assert (block_start.content_block.type, first.delta.text, second.delta.text, block_stop.type) == (
        "text",
        "Hello",
        " world",
        "content_block_stop",
    )
    assert (end.delta.stop_reason, end.usage.output_tokens, stop.type) == ("end_turn", 5, "message_stop")


async def test_thinking_is_signed_and_shown_as_the_request_wants_it(claude: ServedAnthropic) -> None:
    claude.answer(Thought("Hm. Well.", pieces=["Hm.", " Well."]), Thought("secret", redacted=True), Text("Hi"), times=None)
    for thinking, block_types in (
        ({"type": "adaptive", "display": "summarized"}, ["thinking", "redacted_thinking", "text"]),
        ({"type": "adaptive"}, ["thinking", "redacted_thinking", "text"]),
        ({"type": "disabled"}, ["text"]),
    ):
        message = await message_of(claude, thinking=thinking)
        assert [block.type for block in message.content] == block_types
        if "display" in thinking:
            assert message.content[0].thinking == "Hm. Well."
            assert message.usage.output_tokens_details.thinking_tokens > 0
        elif len(block_types) == 3:
            assert (message.content[0].thinking, bool(message.content[0].signature)) == ("", True)


async def test_parallel_calls_stream_their_arguments_as_text(claude: ServedAnthropic) -> None:
    claude.answer(Call("look_up", {"word": "ü", "n": 5}, id="c1"), Call("look_up"), times=2)
    events = await events_of(claude, tools=[TOOL])
    assert len([event for event in events if event.type == "content_block_delta"]) > 4
    message = await message_of(claude, tools=[TOOL])
    first, second = message.content
    assert (first.id, first.input) == ("c1", {"word": "ü", "n": 5})
    assert (second.id[:6], second.input) == ("toolu_", {})
    assert message.stop_reason == "tool_use"


async def test_the_output_limit_cuts_an_answer(claude: ServedAnthropic) -> None:
    claude.answer(Text("One two three", pieces=["One ", "two ", "three"]))
    message = await message_of(claude, max_tokens=2)
    assert (message.content[0].text, message.stop_reason) == ("One two ", "max_tokens")


@pytest.mark.parametrize(("finish", "reason"), [("STOP", "end_turn"), ("SAFETY", "refusal"), ("pause_turn", "pause_turn"), (None, None)])
async def test_the_end_has_this_wires_word(claude: ServedAnthropic, finish: str | None, reason: str | None) -> None:
    claude.answer(Text("A"), Finish(finish, "Because."))
    message = await message_of(claude)
    assert message.stop_reason == reason


async def test_a_blocked_prompt_is_a_refusal_without_content(claude: ServedAnthropic) -> None:
    claude.answer(Fault.blocked())
    message = await message_of(claude)
    assert (message.stop_reason, message.content) == ("refusal", [])


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
async def test_a_status_and_an_error_in_the_stream_have_the_same_type(claude: ServedAnthropic, code: int, kind: str) -> None:
    faults: list[list[Item]] = [[Fault.status(code, retry_after_s=3)], [Text("A"), Fault.mid_stream_error(code)]]
    for items, status, wait in zip(faults, (code, 200), ("3", None), strict=True):
        claude.answer(*items)
        with pytest.raises(anthropic.APIStatusError) as caught:
            await events_of(claude)
        assert (caught.value.type, caught.value.status_code, caught.value.response.headers.get("retry-after")) == (kind, status, wait)


async def test_a_silent_early_end_has_no_end_mark(claude: ServedAnthropic) -> None:
    claude.answer(Text("A"), Fault.cut())
    assert "message_delta" not in [event.type for event in await events_of(claude)]


async def test_a_gate_holds_the_stream_and_a_client_that_leaves_is_noticed(claude: ServedAnthropic) -> None:
    claude.answer(Text("before"), gate := Gate())
    async with sdk(claude) as client:
        request_arguments: Any = {"model": SWITCHABLE, "max_tokens": 10, "messages": HELLO}
        async with await client.messages.create(stream=True, **request_arguments) as stream:
            await gate.reached.wait_async()
            await anext(aiter(stream))
        await claude.requests[0].disconnected.wait_async()


async def test_tokens_are_counted_and_models_listed(claude: ServedAnthropic) -> None:
    async with sdk(claude) as client:
        request_arguments: Any = {"model": SWITCHABLE, "messages": HELLO}
        assert (await client.messages.count_tokens(**request_arguments)).input_tokens > 0
        models = [model async for model in client.models.list()]
        assert {ALWAYS_THINKS, SWITCHABLE, BUDGETED} <= {model.id for model in models}
        assert (await client.models.retrieve(BUDGETED)).max_tokens == 64_000


async def test_requests_are_recorded_without_their_key() -> None:
    with anthropic_double(control=True) as double:
        double.default(Text("ok"))
        await events_of(double, system="Be kind.", tools=[TOOL])
        [request] = double.requests
        async with httpx2.AsyncClient(verify=NO_TRUST, trust_env=False) as http:
            control_text = (await http.get(f"{double.base_url}/control/requests")).text
    assert (request.model, request.system_text, request.user_text, request.tool_names) == (SWITCHABLE, "Be kind.", "Hello", ("look_up",))
    assert request.key_is("test-key")
    assert request.raw.startswith(b"{")
    assert "test-key" not in repr(request) + control_text
