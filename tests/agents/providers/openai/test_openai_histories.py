"""What of a Responses answer goes back in the next request: reasoning verbatim or not at all, and no call that could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agents.messages import AssistantText, Entry, FinishReason, Reasoning, Reminder, ToolCall, ToolResult, UserMessage
from doubles.script import Call, Finish, Item, Text, Thought
from tests.agents.providers.openai.openai_harness import MODEL, PLAIN_MODEL, TOOL, ask, compatible_model, openai_model, request
from tests.support.agents.openai import ServedOpenAI, openai_double


@pytest.fixture
def api() -> Iterator[ServedOpenAI]:
    with openai_double() as double:
        yield double


class TestCallsThatCannotBeRead:
    @pytest.mark.parametrize(
        ("calls", "problem"),
        [
            ([Call("look_up", '{"word": ')], "the arguments of look_up were no JSON object."),
            ([Call("look_up", ["a"])], "the arguments of look_up were no JSON object."),
            ([Call("", {"word": "a"})], "it named no tool."),
            ([Call("look_up", {"word": "a"}), Call("look_up", "a")], "the arguments of look_up were no JSON object."),
            ([Call("look_up", '{"word": '), Finish("max_output_tokens")], "the call of look_up was cut at the answer's maximum length."),
        ],
    )
    async def test_an_unreadable_call_is_told_and_none_of_the_answers_calls_is_kept(
        self, api: ServedOpenAI, calls: list[Item], problem: str
    ) -> None:
        api.answer(Thought("Hm."), Text("So:"), *calls)
        async with openai_model(api) as model:
            response = await ask(model, request(tools=(TOOL,), thinking_budget=512))
        assert (response.malformed_call, response.tool_calls, response.finish_reason) == (problem, (), FinishReason.OTHER)

    async def test_the_reasoning_before_it_does_not_go_back_alone(self, api: ServedOpenAI) -> None:
        api.answer(Thought("Hm."), Call("look_up", "a"))
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            response = await ask(model, request(tools=(TOOL,), thinking_budget=512))
            await ask(model, request(UserMessage("Go"), *response.entries, Reminder("Again.", "malformed_call"), tools=(TOOL,)))
        assert [item["type"] for item in api.requests[-1].body["input"]] == ["message", "message"]

    @pytest.mark.parametrize("arguments", ["", '```json\n{"word": "a"}\n```', ' {"word": "a"}\n'])
    async def test_loose_json_is_read(self, api: ServedOpenAI, arguments: str) -> None:
        api.answer(Call("look_up", arguments, id="c1"))
        async with openai_model(api) as model:
            [call] = (await ask(model, request(tools=(TOOL,)))).tool_calls
        assert call.arguments == ({"word": "a"} if arguments else {})


class TestValuesThatOnlyTheStandardLibraryWrites:
    """Other providers' calls and tools may hold them; a conversation that has one goes on."""

    ODD = {"n": 10**30, "half": "\ud83d"}
    ENTRIES = (UserMessage("Go"), ToolCall("c1", "look_up", ODD), ToolResult("c1", "look_up", ODD), UserMessage("On"))

    async def test_wide_json_values_fit_responses(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            await ask(model, request(*self.ENTRIES, tools=(TOOL,)))
        _, call, result, _ = api.requests[-1].body["input"]
        assert [json.loads(call["arguments"]), json.loads(result["output"])] == [self.ODD, self.ODD]

    async def test_wide_json_values_fit_chat_completions(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"))
        async with compatible_model(api) as model:
            await ask(model, request(*self.ENTRIES, model=PLAIN_MODEL, tools=(TOOL,)))
        _, _, call_message, result_message, _ = api.requests[-1].body["messages"]
        [call] = call_message["tool_calls"]
        assert [json.loads(call["function"]["arguments"]), json.loads(result_message["content"])] == [self.ODD, self.ODD]


class TestReasoningGoesBack:
    """The double is as strict as the API: reasoning that is altered, of another model, alone or not encrypted is refused."""

    @pytest.mark.parametrize(
        "answer",
        [
            [Call("look_up", {"word": "a"}, id="c1")],  # reasoned without a summary
            [Thought("Hm."), Call("look_up", {"word": "a"}, id="c1")],
            [Thought("Hm."), Text("Looking."), Thought("So."), Call("look_up", {}, id="c1"), Call("look_up", {"word": "b"}, id="c2")],
        ],
    )
    @pytest.mark.parametrize("overrides", [{}, {"thinking_budget": 512}])
    async def test_a_step_with_calls(self, api: ServedOpenAI, answer: list[Item], overrides: dict[str, Any]) -> None:
        api.answer(*answer)
        api.answer(Text("Done."))
        async with openai_model(api) as model:
            response = await ask(model, request(UserMessage("Go"), tools=(TOOL,), **overrides))
            results = [ToolResult(call.id, call.name, {"found": 1}) for call in response.tool_calls]
            await ask(model, request(UserMessage("Go"), *response.entries, *results, tools=(TOOL,), **overrides))
        item_types = [item["type"] for item in api.requests[-1].body["input"]]
        thoughts = sum(isinstance(item, Thought) for item in answer) or 1
        assert item_types.count("reasoning") == thoughts
        assert item_types.index("reasoning") == 1

    async def test_reasoning_that_has_left_the_context_is_not_missed(self, api: ServedOpenAI) -> None:
        """Pruning may take the Reasoning entry and leave its call."""
        api.answer(Thought("Hm."), Call("look_up", {"word": "a"}, id="c1"))
        api.answer(Text("Done."))
        async with openai_model(api) as model:
            response = await ask(model, request(UserMessage("Go"), tools=(TOOL,), thinking_budget=512))
            entries = [entry for entry in response.entries if not isinstance(entry, Reasoning)]
            await ask(model, request(UserMessage("Go"), *entries, ToolResult("c1", "look_up", "ok"), tools=(TOOL,)))

    async def test_reasoning_of_another_model_is_left_out(self, api: ServedOpenAI) -> None:
        api.answer(Thought("Hm."), Call("look_up", {"word": "a"}, id="c1"))
        api.answer(Text("Done."))
        async with openai_model(api) as model:
            response = await ask(model, request(UserMessage("Go"), tools=(TOOL,), thinking_budget=512))
            history = [UserMessage("Go"), *response.entries, ToolResult("c1", "look_up", "ok")]
            await ask(model, request(*history, model="gpt-6-luna", tools=(TOOL,)))
        assert "reasoning" not in [item["type"] for item in api.requests[-1].body["input"]]

    async def test_what_another_provider_made_goes_along_without_its_extras(self, api: ServedOpenAI) -> None:
        api.answer(Text("Done."))
        foreign = {"provider": "google", "model": MODEL, "parts": [{"thoughtSignature": "AAAA"}]}
        long_id = "toolu_" + "x" * 90
        history: list[Entry] = [
            UserMessage("Go"),
            Reasoning("Hm.", foreign),
            AssistantText("Looking.", foreign),
            ToolCall(long_id, "look_up", {"word": "a"}, foreign),
            ToolResult(long_id, "look_up", "no", is_error=True),
        ]
        async with openai_model(api) as model:
            await ask(model, request(*history, tools=(TOOL,)))
        _, text, call, result = api.requests[-1].body["input"]
        assert text["content"] == [{"type": "output_text", "text": "Looking."}]
        assert len(call["call_id"]) == 64
        assert result == {"type": "function_call_output", "call_id": call["call_id"], "output": '{"error":"no"}'}
