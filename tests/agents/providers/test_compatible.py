"""Chat Completions as OpenAI and the servers compatible with it speak it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.errors import KeyMissing, RequestRefused
from agents.messages import (
    AssistantText,
    FinishReason,
    ModelResponse,
    Reasoning,
    ReasoningDelta,
    TextDelta,
    ToolResult,
    Usage as EngineUsage,
    UserMessage,
)
from agents.providers.openai.chat_adapter import CompatibleTraits
from agents.providers.registry import language_model
from doubles.openai import ServerQuirks
from doubles.script import Call, Finish, Item, Refusal, Text, Thought, Usage
from tests.agents.providers.openai.openai_harness import (
    LOCAL_MODEL,
    MODEL,
    PLAIN_MODEL,
    TOOL,
    ask,
    collect,
    compatible_model,
    connection,
    request,
)
from tests.support.agents.openai import ServedOpenAI, openai_double

A, B = Call("look_up", {"word": "a", "n": 1}, id="c1"), Call("look_up", {"word": None}, id="c2")


@pytest.fixture
def api() -> Iterator[ServedOpenAI]:
    with openai_double() as double:
        yield double


def server(**quirks: Any) -> Any:
    """A compatible server: any model, no key."""
    return openai_double(models=None, keys=None, quirks=ServerQuirks(**quirks))


class TestRequests:
    async def test_every_setting_is_in_the_request(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"))
        settings: dict[str, Any] = {
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 40,
            "presence_penalty": 0.5,
            "frequency_penalty": -0.5,
            "seed": 7,
            "stop_sequences": ("END", "\n\n"),
            "max_output_tokens": 100,
        }
        async with compatible_model(api) as model:
            await ask(model, request(model=PLAIN_MODEL, tools=(TOOL,), tool_choice="required", **settings))
        http_request = api.requests[0]
        function = {"name": "look_up", "description": "Looks things up.", "parameters": TOOL.input_schema}
        assert (http_request.path, http_request.key_is("test-key")) == ("/v1/chat/completions", True)
        assert http_request.body == {
            "model": PLAIN_MODEL,
            "messages": [{"role": "system", "content": "Be kind.\n\nToday is Monday."}, {"role": "user", "content": "Hello"}],
            "temperature": 0.5,
            "top_p": 0.9,
            "presence_penalty": 0.5,
            "frequency_penalty": -0.5,
            "seed": 7,
            "stop": ["END", "\n\n"],
            "max_tokens": 100,
            "tools": [{"type": "function", "function": function}],
            "tool_choice": "required",
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    async def test_an_endpoint_gets_what_its_traits_say(self) -> None:
        traits = CompatibleTraits(
            streams_usage=False,
            output_limit_field="max_completion_tokens",
            parallel_tools=False,
            takes_effort=True,
            takes_top_k=True,
            extra_body={"provider": {"order": ["one", "two"]}},
        )
        with server(extra_fields=frozenset({"top_k", "provider"})) as double:
            double.answer(Text("Hi"))
            async with compatible_model(double, traits) as model:
                model_request = request(
                    model=MODEL, tools=(TOOL,), tool_choice="look_up", top_k=40, max_output_tokens=9, thinking_level="high"
                )
                await ask(model, model_request)
            body = double.requests[0].body
        assert "stream_options" not in body
        assert (body["max_completion_tokens"], body["top_k"], body["reasoning_effort"]) == (9, 40, "high")
        assert body["provider"] == {"order": ["one", "two"]}
        assert (body["parallel_tool_calls"], body["tool_choice"]["function"]) == (False, {"name": "look_up"})

    async def test_without_a_key_none_is_sent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "the-platforms-key")
        with server() as double:
            double.answer(Text("Hi"))
            async with compatible_model(double, key=None) as model:
                await ask(model, request(model=LOCAL_MODEL))
            assert double.requests[0].key_is("")

    async def test_the_registry_knows_both(self, api: ServedOpenAI) -> None:
        async with connection(api.base_url, key=None) as provider_connection:
            language_model("compatible", provider_connection)
            with pytest.raises(KeyMissing, match="OpenAI"):
                language_model("openai", provider_connection)

    async def test_thinking_is_not_mentioned_to_a_server_that_may_not_know_it(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"))
        async with compatible_model(api) as model:
            await ask(model, request(model=PLAIN_MODEL, thinking_budget=512))
        assert "reasoning_effort" not in api.requests[0].body

    async def test_what_the_model_does_not_take_is_told_in_the_providers_words(self, api: ServedOpenAI) -> None:
        async with compatible_model(api) as model:
            with pytest.raises(RequestRefused, match="Use 'max_completion_tokens' instead"):
                await collect(model, request(model=MODEL, max_output_tokens=9))


class TestAnswers:
    async def test_deltas_then_the_whole_answer(self) -> None:
        usage = Usage(input_tokens=9, output_tokens=2, thinking_tokens=5, cached_tokens=4)
        with server(reasoning_field="reasoning_content") as double:
            double.answer(Thought("Hm.", pieces=["Hm", "."]), Text("Hello", pieces=["He", "llo"]), usage)
            model_request = request(model=LOCAL_MODEL)
            async with compatible_model(double) as model:
                events = await collect(model, model_request)
        assert events == [
            ReasoningDelta("Hm"),
            ReasoningDelta("."),
            TextDelta("He"),
            TextDelta("llo"),
            ModelResponse((Reasoning("Hm."), AssistantText("Hello")), FinishReason.STOP, EngineUsage(9, 2, 5, 4), LOCAL_MODEL),
        ]
        assert (model_request.meter.attempts, model_request.meter.usage) == (1, EngineUsage(9, 2, 5, 4))

    @pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
    async def test_reasoning_by_either_name(self, name: str) -> None:
        with server(reasoning_field=name) as double:
            double.answer(Thought("Hm."), Text("Hi"))
            async with compatible_model(double) as model:
                response = await ask(model, request(model=LOCAL_MODEL))
        assert response.entries == (Reasoning("Hm."), AssistantText("Hi"))

    @pytest.mark.parametrize(
        "quirks",
        [
            {},
            {"calls_in_one_delta": True},
            {"call_ids": False},
            {"object_arguments": True},
            {"call_finish_reason": "stop"},
            {"call_finish_reason": "function_call"},
            {"sends_done": False},
            {"calls_in_one_delta": True, "call_ids": False, "object_arguments": True, "call_finish_reason": "stop", "sends_done": False},
        ],
    )
    async def test_parallel_calls_of_any_dialect(self, quirks: dict[str, Any]) -> None:
        with server(**quirks) as double:
            double.answer(Text("Looking."), A, B)
            async with compatible_model(double) as model:
                response = await ask(model, request(model=LOCAL_MODEL, tools=(TOOL,)))
        ids = ["c1", "c2"] if quirks.get("call_ids", True) else ["", ""]
        assert [(call.id, call.name, call.arguments) for call in response.tool_calls] == [
            (ids[0], "look_up", {"word": "a", "n": 1}),
            (ids[1], "look_up", {"word": None}),
        ]
        assert response.finish_reason is FinishReason.TOOL_CALLS

    async def test_calls_and_results_go_back(self, api: ServedOpenAI) -> None:
        api.answer(Text("Looking."), A, B)
        api.answer(Text("Done."))
        async with compatible_model(api) as model:
            response = await ask(model, request(UserMessage("Go"), model=PLAIN_MODEL, tools=(TOOL,)))
            results = [ToolResult(call.id, call.name, {"found": 1}) for call in response.tool_calls]
            await ask(model, request(UserMessage("Go"), *response.entries, *results, model=PLAIN_MODEL, tools=(TOOL,)))
        _, _, assistant, first, second = api.requests[-1].body["messages"]
        assert assistant["content"] == "Looking."
        assert [call["id"] for call in assistant["tool_calls"]] == ["c1", "c2"]
        assert first == {"role": "tool", "tool_call_id": "c1", "content": '{"found":1}'}
        assert second["tool_call_id"] == "c2"

    async def test_reasoning_goes_back_where_the_server_wants_it(self) -> None:
        traits = CompatibleTraits(reasoning_back="reasoning_content")
        with server(reasoning_field="reasoning_content") as double:
            double.default(Thought("Hm."), A)
            async with compatible_model(double, traits) as model:
                response = await ask(model, request(UserMessage("Go"), model=LOCAL_MODEL, tools=(TOOL,)))
                history = [UserMessage("Go"), *response.entries, ToolResult("c1", "look_up", "ok")]
                await ask(model, request(*history, model=LOCAL_MODEL, tools=(TOOL,)))
                await ask(model, request(*history, model="another", tools=(TOOL,)))
            messages = [http_request.body["messages"][2] for http_request in double.requests[1:]]
        assert [message.get("reasoning_content") for message in messages] == ["Hm.", None]

    async def test_an_answer_of_nothing_but_reasoning_leaves_one_message_of_the_user(self) -> None:
        """Templates of open models want user and assistant in turn."""
        with server(reasoning_field="reasoning_content") as double:
            double.answer(Thought("Hm."))
            double.answer(Text("Hi."))
            async with compatible_model(double, CompatibleTraits(reasoning_back="reasoning_content")) as model:
                response = await ask(model, request(UserMessage("Go"), model=LOCAL_MODEL))
                assert isinstance(response.entries[0], Reasoning)
                await ask(model, request(UserMessage("Go"), *response.entries, UserMessage("Hello?"), model=LOCAL_MODEL))
            assert double.requests[-1].body["messages"][1:] == [{"role": "user", "content": "Go\n\nHello?"}]

    async def test_a_refusal_is_text(self, api: ServedOpenAI) -> None:
        api.answer(Refusal("I won't."))
        async with compatible_model(api) as model:
            assert (await ask(model, request(model=PLAIN_MODEL))).entries == (AssistantText("I won't."),)

    async def test_usage_that_nobody_asked_for_counts(self) -> None:
        with server(always_sends_usage=True) as double:
            double.answer(Text("Hi"), Usage(input_tokens=9, output_tokens=2))
            async with compatible_model(double, CompatibleTraits(streams_usage=False)) as model:
                assert (await ask(model, request(model=LOCAL_MODEL))).usage == EngineUsage(9, 2)

    @pytest.mark.parametrize(
        ("reason", "finish"),
        [
            ("length", FinishReason.LENGTH),
            ("content_filter", FinishReason.CONTENT_FILTER),
            ("stop", FinishReason.STOP),
            ("novelty", FinishReason.OTHER),
        ],
    )
    async def test_each_finish_reason_is_mapped(self, api: ServedOpenAI, reason: str, finish: FinishReason) -> None:
        api.answer(Text("Hal"), Finish(reason))
        async with compatible_model(api) as model:
            assert (await ask(model, request(model=PLAIN_MODEL))).finish_reason is finish

    @pytest.mark.parametrize(
        ("calls", "problem"),
        [
            ([Call("look_up", '{"word": ')], "the arguments of look_up were no JSON object."),
            ([Call("look_up", ["a"])], "the arguments of look_up were no JSON object."),
            ([Call("", {})], "it named no tool."),
            ([A, Call("look_up", "a")], "the arguments of look_up were no JSON object."),
            ([Call("look_up", '{"word": '), Finish("length")], "the call of look_up was cut at the answer's maximum length."),
        ],
    )
    async def test_calls_that_cannot_be_read(self, api: ServedOpenAI, calls: list[Item], problem: str) -> None:
        api.answer(Text("So:"), *calls)
        async with compatible_model(api) as model:
            response = await ask(model, request(model=PLAIN_MODEL, tools=(TOOL,)))
        assert (response.malformed_call, response.entries) == (problem, (AssistantText("So:"),))
