"""The demo's script on the Claude API's wire, through the adapter: the same words as on Gemini's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.engine.errors import ContentBlocked, KeyRejected, ProviderBusy, ProviderError
from agents.engine.messages import AssistantText, Entry, ModelResponse, Reasoning, ToolDefinition, ToolResult, UserMessage
from agents.providers.anthropic import AnthropicModel
from agents.providers.doubles.demo import DemoScript
from tests.agents.providers import harness
from tests.agents.providers.harness import collect
from tests.support.anthropic import ServedClaude, anthropic_double, claude_connection, request
from tests.support.gemini import gemini_double

DOCUMENT = ToolDefinition("document_agent", "Writes.", {"type": "object"})
WRITE = UserMessage("Write a report about solar energy")


@pytest.fixture
def demo() -> Iterator[ServedClaude]:
    with anthropic_double(keys=None, models=None, fallback=DemoScript(pace=0)) as double:
        yield double


async def ask(demo: ServedClaude, *entries: Entry, **changes: Any) -> ModelResponse:
    async with claude_connection(demo.base_url, key=None) as made:
        response = (await collect(AnthropicModel(made), request(*entries, tools=(DOCUMENT,), **changes)))[-1]
    assert isinstance(response, ModelResponse)
    return response


def texts(response: ModelResponse) -> list[str]:
    return [entry.text for entry in response.entries if isinstance(entry, AssistantText)]


@pytest.mark.parametrize("message", ["Hello", "Show me a table", "Tell me something"])
async def test_it_says_what_it_says_on_the_other_wire(demo: ServedClaude, message: str) -> None:
    with gemini_double(keys=None, models=None, fallback=DemoScript(pace=0)) as double:
        expected = await harness.ask(double, harness.request(UserMessage(message), tools=(DOCUMENT,)))
    assert texts(await ask(demo, UserMessage(message))) == texts(expected)


async def test_it_calls_a_tool_and_tells_of_the_result(demo: ServedClaude) -> None:
    response = await ask(demo, WRITE, thinking_budget=2000)
    [call] = response.tool_calls
    assert (call.name, call.arguments["operation"]) == ("document_agent", "create")
    assert any(isinstance(entry, Reasoning) for entry in response.entries)
    written = {"id": "1", "title": "Solar energy", "operation": "create", "version": 1}
    [told] = texts(await ask(demo, WRITE, *response.entries, ToolResult(call.id, call.name, written)))
    assert "**Solar energy** (version 1)" in told
    [told] = texts(await ask(demo, WRITE, *response.entries, ToolResult(call.id, call.name, "No room.", is_error=True)))
    assert "That did not work: No room." in told


async def test_where_tools_may_not_be_called_it_calls_none(demo: ServedClaude) -> None:
    assert (await ask(demo, WRITE, tool_choice="none")).tool_calls == ()


@pytest.mark.parametrize(("name", "kind"), [("busy", ProviderBusy), ("key", KeyRejected), ("blocked", ContentBlocked)])
async def test_its_errors_are_this_wires(demo: ServedClaude, name: str, kind: type[ProviderError]) -> None:
    with pytest.raises(kind):
        await ask(demo, UserMessage(f"/error {name}"))


async def test_a_call_that_cannot_be_read(demo: ServedClaude) -> None:
    assert (await ask(demo, UserMessage("/error malformed"))).malformed_call == "the arguments of document_agent were no JSON object."
