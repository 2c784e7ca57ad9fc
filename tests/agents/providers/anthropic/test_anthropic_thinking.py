"""Thinking that a model shows goes back to it, byte for byte (Anthropic Messages API, extended thinking)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.messages import (
    AssistantText,
    ModelResponse,
    SystemPrompt,
    TextDelta,
    ToolResult,
    UserMessage,
)
from doubles.script import Call, Item, Text, Thought
from tests.agents.providers.harness import TOOL, collect
from tests.support.agents.anthropic import (
    ALWAYS_THINKS,
    BUDGETED,
    SWITCHABLE,
    ServedAnthropic,
    anthropic_model,
    ask,
    claude,
    request,
)

__all__ = ["claude"]


class TestThinkingGoesBack:
    """The double is as strict as the API: altered, misplaced or missing thinking is a 400."""

    @pytest.mark.parametrize("model", [BUDGETED, SWITCHABLE, ALWAYS_THINKS])
    @pytest.mark.parametrize(
        "thoughts",
        [
            [Thought("Hm.\nWell \N{GRINNING FACE}.")],
            [Thought("A."), Thought("x", redacted=True), Thought("B.")],
            [Thought("x", redacted=True)],
            [Thought("Hm."), Text("Looking.")],
        ],
    )
    async def test_a_step_with_calls(self, claude: ServedAnthropic, model: str, thoughts: list[Item]) -> None:
        claude.answer(*thoughts, Call("look_up", {"word": "a"}, id="c1"), Call("look_up", {"word": "b"}, id="c2"))
        claude.answer(Text("Done."))
        question: Any = {"model": model, "tools": (TOOL,), "thinking_budget": 2000}
        response = await ask(claude, request(UserMessage("Go"), **question))
        results = [ToolResult(call.id, call.name, "ok") for call in response.tool_calls]
        await ask(claude, request(UserMessage("Go"), *response.entries, *results, **question))
        blocks = claude.body["messages"][1]["content"]
        kinds = [block["type"] for block in blocks]
        assert kinds[0] in ("thinking", "redacted_thinking")
        assert kinds[-2:] == ["tool_use", "tool_use"]
        assert claude.refusals == []

    async def test_every_byte_of_it(self, claude: ServedAnthropic) -> None:
        claude.answer(Thought('Hm. ü\u2028\\ "q"'), Thought("x", redacted=True), Text("Hi"), times=2)
        question: Any = {"model": BUDGETED, "thinking_budget": 2000}
        response = await ask(claude, request(UserMessage("Go"), **question))
        blocks = [block for entry in response.entries for block in (getattr(entry, "provider_metadata", None) or {}).get("blocks", [])]
        await ask(claude, request(UserMessage("Go"), *response.entries, UserMessage("More"), **question))
        assert claude.body["messages"][1]["content"] == [*blocks, {"type": "text", "text": "Hi"}]
        assert [block["type"] for block in blocks] == ["thinking", "redacted_thinking"]

    @pytest.mark.parametrize(("date", "question"), [("Tuesday", "Go"), ("Monday", "Go on")])
    async def test_a_conversation_that_changed_before_it_goes_on(self, claude: ServedAnthropic, date: str, question: str) -> None:
        """The date in the system prompt, a reminder that ran out: the newest models would refuse their own thinking then."""
        claude.answer(Thought("Hm."), Text("Hi"), times=2)
        response = await ask(claude, request(UserMessage("Go"), model=ALWAYS_THINKS, thinking_level="low"))
        later = request(UserMessage(question), *response.entries, UserMessage("More"), model=ALWAYS_THINKS, thinking_level="low")
        await ask(claude, replace(later, system=SystemPrompt("Be kind.", f"Today is {date}.")))
        assert claude.refusals == []

    async def test_hidden_thinking_goes_back_too(self, claude: ServedAnthropic) -> None:
        """A model that always thinks, with thinking switched off by the user: nothing is shown of it."""
        claude.answer(Thought("Hm."), Text("Hi"), times=2)
        async with anthropic_model(claude) as model:
            *deltas, response = await collect(model, request(UserMessage("Go"), model=ALWAYS_THINKS))
        assert isinstance(response, ModelResponse)
        assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "Hi"
        assert [type(entry) for entry in response.entries] == [AssistantText]
        await ask(claude, request(UserMessage("Go"), *response.entries, UserMessage("More"), model=ALWAYS_THINKS))
        assert [block["type"] for block in claude.body["messages"][1]["content"]] == ["thinking", "text"]

    @pytest.mark.parametrize("model", [BUDGETED, SWITCHABLE])
    async def test_no_thinking_goes_back_when_it_is_switched_off(self, claude: ServedAnthropic, model: str) -> None:
        claude.answer(Thought("Hm."), Call("look_up", {"word": "a"}, id="c1"))
        claude.answer(Text("Done."))
        response = await ask(claude, request(UserMessage("Go"), model=model, tools=(TOOL,), thinking_budget=2000))
        await ask(claude, request(UserMessage("Go"), *response.entries, ToolResult("c1", "look_up", 1), model=model, tools=(TOOL,)))
        assert [block["type"] for block in claude.body["messages"][1]["content"]] == ["tool_use"]

    async def test_another_models_step_is_finished_without_thinking(self, claude: ServedAnthropic) -> None:
        """With a budget, a step in mid-turn must begin with thinking of the model's own."""
        claude.answer(Thought("Hm."), Call("look_up", {"word": "a"}, id="c1"))
        claude.answer(Text("Done."))
        question: Any = {"tools": (TOOL,), "thinking_budget": 2000}
        response = await ask(claude, request(UserMessage("Go"), model=SWITCHABLE, **question))
        await ask(claude, request(UserMessage("Go"), *response.entries, ToolResult("c1", "look_up", 1), model=BUDGETED, **question))
        assert "thinking" not in claude.body
        assert [block["type"] for block in claude.body["messages"][1]["content"]] == ["tool_use"]
