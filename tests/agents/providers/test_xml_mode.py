"""An endpoint that drops the tools field calls tools in its text: over the wire, through the engine, and back into the next request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agents.engine.lifecycle import RunEnd
from agents.engine.ports import LanguageModel
from agents.errors import ProviderUnavailable
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    Reasoning,
    ReasoningDelta,
    Reminder,
    SystemPrompt,
    TextDelta,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from agents.providers.openai.chat_adapter import ChatCompletionsModel
from agents.providers.xml_tools.conversion import NOT_ALLOWED, entries_as_text, system_with_tools
from agents.providers.xml_tools.parser import CALL_TRUNCATED
from doubles.openai import ServerQuirks
from doubles.script import Fault, Finish, Item, Text, Thought
from doubles.signals import Gate
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, ScriptedModel
from tests.agents.providers.openai.openai_harness import LOCAL_MODEL, TOOL, collect, connection, request
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal
from tests.support.agents.model_calls import OpenedModel
from tests.support.agents.openai import ServedOpenAI, openai_double

CALL = '<tool_call>\n{"name": "look_up", "arguments": {"word": "a"}}\n</tool_call>'


def xml_model(model: LanguageModel) -> OpenedModel:
    return OpenedModel(model, attempts=1, calls_in_text=True)


@pytest.fixture
def server() -> Iterator[ServedOpenAI]:
    with openai_double(models=None, keys=None, quirks=ServerQuirks(reasoning_field="reasoning")) as double:
        yield double


async def answered(server: ServedOpenAI, *items: Item, **settings: str) -> list[ModelEvent]:
    server.answer(*items)
    async with connection(server.base_url, key=None) as provider_connection:
        return await collect(xml_model(ChatCompletionsModel(provider_connection)), request(model=LOCAL_MODEL, tools=(TOOL,), **settings))


def response_of(events: list[ModelEvent]) -> ModelResponse:
    assert isinstance(events[-1], ModelResponse)
    return events[-1]


class TestAnswers:
    async def test_text_is_shown_up_to_the_call(self, server: ServedOpenAI) -> None:
        events = await answered(server, Thought("Hm."), Text(f"Looking.\n\n{CALL}\nDone?"))
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert (text, [event for event in events if isinstance(event, ReasoningDelta)]) == ("Looking.", [ReasoningDelta("Hm.")])
        response = response_of(events)
        assert response.entries == (
            Reasoning("Hm."),
            AssistantText("Looking."),
            ToolCall("", "look_up", {"word": "a"}),
            AssistantText("Done?"),
        )
        assert response.finish_reason is FinishReason.TOOL_CALLS

    async def test_plain_text_comes_piece_by_piece(self, server: ServedOpenAI) -> None:
        events = await answered(server, Text("a < b\n", pieces=["a ", "<", " b", "\n"]))
        assert [event.text for event in events if isinstance(event, TextDelta)] == ["a", " < b", "\n"]
        assert response_of(events).entries == (AssistantText("a < b\n"),)

    async def test_the_deltas_are_the_entries(self, server: ServedOpenAI) -> None:
        """What was held back before a thought comes before it."""
        events = await answered(server, Text("A <", pieces=["A <"]), Thought("Hm.", pieces=["Hm."]), Text("tool>", pieces=["tool>"]))
        assert events[:-1] == [TextDelta("A"), TextDelta(" <"), ReasoningDelta("Hm."), TextDelta("tool>")]
        assert response_of(events).entries == (AssistantText("A <"), Reasoning("Hm."), AssistantText("tool>"))

    async def test_an_unreadable_call_is_reported(self, server: ServedOpenAI) -> None:
        response = response_of(await answered(server, Text(f"So: {CALL}<tool_call>look it up</tool_call>")))
        assert (response.entries, response.malformed_call) == ((AssistantText("So:"),), "it was no JSON object.")
        assert response.finish_reason is FinishReason.OTHER

    async def test_a_call_cut_by_the_answers_length(self, server: ServedOpenAI) -> None:
        events = await answered(server, Text("So: " + CALL[:30], pieces=["So: <too", "l_call>", CALL[11:30]]), Finish("length"))
        assert (events[:-1], response_of(events).malformed_call) == ([TextDelta("So:")], CALL_TRUNCATED)

    async def test_a_call_that_was_not_allowed(self, server: ServedOpenAI) -> None:
        response = response_of(await answered(server, Text(CALL), tool_choice="none"))
        assert (response.tool_calls, response.malformed_call) == ((), NOT_ALLOWED)

    async def test_closing_it_closes_the_connection(self, server: ServedOpenAI) -> None:
        server.answer(Text("Hal", pieces=["Hal"]), Gate())
        async with connection(server.base_url, key=None) as provider_connection:
            events = xml_model(ChatCompletionsModel(provider_connection)).stream(request(model=LOCAL_MODEL))
            assert await anext(events) == TextDelta("Hal")
            await events.aclose()
            await server.requests[0].disconnected.wait_async()


class TestRequests:
    async def test_tools_are_in_the_prompt_alone(self, server: ServedOpenAI) -> None:
        await answered(server, Text("Hi"), tool_choice="required")
        body = server.requests[0].body
        assert not body.keys() & {"tools", "tool_choice"}
        assert '<tool name="look_up">\nLooks things up.\n<parameters>{"type": "object"' in server.requests[0].system_text
        assert server.requests[0].system_text.endswith("Today is Monday.\n\nCall at least one tool in this answer.")

    def test_the_choice_leaves_the_stable_part_of_the_prompt_as_it_is(self) -> None:
        prompts = [system_with_tools(SystemPrompt("S", "C"), (TOOL,), choice) for choice in ("auto", "none", "look_up", "unknown")]
        assert len({prompt.stable for prompt in prompts}) == 1
        assert [prompt.changing for prompt in prompts] == [
            "C",
            "C\n\nCall no tool in this answer.",
            "C\n\nCall the tool look_up in this answer.",
            "C",
        ]

    def test_without_tools_the_prompt_is_as_it_was(self) -> None:
        assert system_with_tools(SystemPrompt("S", "C"), (), "required") == SystemPrompt("S", "C")

    def test_calls_and_results_are_written_out(self) -> None:
        history: list[Entry] = [
            UserMessage("Go"),
            AssistantText("Looking.", {"provider": "x"}),
            ToolCall("c1", "look_up", {"word": "</tool_call>"}),
            ToolResult("c1", "look_up", "a</tool_result><b>", is_error=True),
        ]
        _, text, call, result = entries_as_text(history)
        assert text == AssistantText("Looking.")
        word = "\\u003c/tool_call>"
        assert call == AssistantText(f'\n<tool_call>\n{{"name": "look_up", "arguments": {{"word": "{word}"}}}}\n</tool_call>')
        assert result == UserMessage('<tool_result name="look_up" error="true">\na&lt;/tool_result><b>\n</tool_result>')

    def test_a_description_cannot_end_its_tag(self) -> None:
        tool = ToolDefinition("f", "</tool></tools>", {"type": "object", "description": "</parameters>"})
        assert system_with_tools(SystemPrompt(""), (tool,), "auto").stable.count("</") == 4  # our own


async def test_a_run_calls_a_tool_in_its_text(server: ServedOpenAI) -> None:
    server.answer(Text(f"Looking.\n{CALL}"))
    server.answer(Text("<tool_call>{</tool_call>"))
    server.answer(Text("Done."))
    journal, tool = MemoryJournal([QUESTION]), FunctionTool(schema=dict(TOOL.input_schema))
    async with connection(server.base_url, key=None) as provider_connection:
        model = xml_model(ChatCompletionsModel(provider_connection))
        outcome = await run_agent(replace(AGENT, model=LOCAL_MODEL), model=model, tools=[tool], journal=journal)
    assert (outcome.end, tool.runs) == (RunEnd.ANSWERED, [{"word": "a"}])
    kinds = [type(entry) for entry in journal.appended]
    assert kinds == [AssistantText, ToolCall, ToolResult, Reminder, AssistantText]
    last = server.requests[-1].body["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert last[2]["content"] == f"Looking.\n{CALL}"
    assert '<tool_result name="look_up">' in last[3]["content"]
    assert "could not be read: it was no JSON object." in last[3]["content"]


async def test_an_error_is_passed_on(server: ServedOpenAI) -> None:
    server.answer(Text("Hal", pieces=["Hal"]), Fault.drop())
    async with connection(server.base_url, key=None) as provider_connection:
        with pytest.raises(ProviderUnavailable, match="broke"):
            await collect(xml_model(ChatCompletionsModel(provider_connection)), request(model=LOCAL_MODEL))


async def test_without_tools_a_text_about_calls_stays_a_text() -> None:
    """A document that explains tool calling, written by an agent that has no tools."""
    text = 'The format:\n<tool_call>{"name": "f", "arguments": {}}</tool_call>\nMore.'
    model = ScriptedModel([TextDelta(text), ModelResponse((AssistantText(text),), FinishReason.STOP)])
    events = [event async for event in xml_model(model).stream(ModelRequest(model="m", system=SystemPrompt("s"), entries=(QUESTION,)))]
    assert events == [TextDelta(text), ModelResponse((AssistantText(text),), FinishReason.STOP)]
