"""One demo server on every wire, through the adapters: the same words, calls and errors, whatever the wire."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from agents.errors import AnswerCut, ContentBlocked, KeyRejected, ProviderBusy, ProviderError, ProviderUnavailable
from agents.messages import (
    AnswerFile,
    AssistantText,
    BuiltinTool,
    Entry,
    File,
    ModelResponse,
    ProviderToolCall,
    Reasoning,
    Reminder,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from agents.providers.registry import adapter_class
from doubles.demo import DemoScript, DemoServer
from doubles.demo.pictures import chart
from tests.agents.providers.harness import collect, connection, request
from tests.support.agents.gemini import serve
from tests.support.suite.network import NO_TRUST

DOCUMENT = ToolDefinition("document_agent", "Writes.", {"type": "object"})
WRITE = UserMessage("Write a report about solar energy")
# Provider, path of its wire below the server's address, model.
WIRES = [
    pytest.param(("google", "", "demo-standard"), id="gemini"),
    pytest.param(("anthropic", "", "claude-demo"), id="anthropic"),
    pytest.param(("openai", "/v1", "gpt-6-demo"), id="openai"),
    pytest.param(("compatible", "/v1", "compatible-demo"), id="compatible"),
]

KINDS = {"document_agent": "text", "python_agent": "python", "mermaid_agent": "mermaid"}
ORDERS = (
    ("Write a report about solar energy", "document_agent", "create"),
    ("Suggest improvements to the document", "document_agent", "suggestion"),
    ("Undo that", "document_agent", "revert"),
    ("Write a Python script with an error", "python_agent", "create"),
    ("Fix this error in python_agent:\n```\nZeroDivisionError: division by zero\n```", "python_agent", "fix"),
    ("Explain the program", "python_agent", "explain"),
    ("Draw a sequence diagram of a chat", "mermaid_agent", "create"),
    ("Add a database", "mermaid_agent", "update"),
    ("Draw a small flowchart in the chat", "mermaid_agent", "generate"),
)

pytestmark = pytest.mark.parametrize("wire", WIRES)
Wire = tuple[str, str, str]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serve(DemoServer(DemoScript(pace=0))) as base_url:
        yield base_url


async def ask(url: str, wire: Wire, *entries: Entry, tools: tuple[ToolDefinition, ...] = (DOCUMENT,), **settings: Any) -> ModelResponse:
    provider, path, model = wire
    async with connection(url + path, key="any") as provider_connection:
        adapter = adapter_class(provider)(replace(provider_connection, api_version=""), provider)
        response = (await collect(adapter, request(*entries, model=model, tools=tools, **settings)))[-1]
    assert isinstance(response, ModelResponse)
    return response


def text(response: ModelResponse) -> str:
    return "".join(entry.text for entry in response.entries if isinstance(entry, AssistantText))


@pytest.mark.parametrize(
    ("message", "sample"),
    [("Hello", "I'm Parley's **demo provider**"), ("Show me a table", "| Month |"), ("What is rain?", "> What is rain?")],
)
async def test_a_message_gets_its_sample(url: str, wire: Wire, message: str, sample: str) -> None:
    assert sample in text(await ask(url, wire, UserMessage(message)))


async def test_a_document_is_ordered_told_and_changed(url: str, wire: Wire) -> None:
    order = await ask(url, wire, WRITE)
    [call] = order.tool_calls
    assert (call.name, call.arguments["operation"]) == ("document_agent", "create")
    artifact = {"id": "7f0c", "title": "Solar energy", "operation": "create", "version": 1}
    history = (WRITE, *order.entries, ToolResult(call.id, call.name, artifact))
    reply = await ask(url, wire, *history)
    assert "It is ready to read" in text(reply)
    [change] = (await ask(url, wire, *history, *reply.entries, UserMessage("Make it shorter"))).tool_calls
    assert (change.arguments["operation"], change.arguments["artifact_id"]) == ("update", "7f0c")


async def test_each_agent_gets_its_order_by_a_sentence(url: str, wire: Wire) -> None:
    tools = tuple(ToolDefinition(name, "Works.", {"type": "object"}) for name in ("document_agent", "python_agent", "mermaid_agent"))
    history: list[Entry] = []
    for number, (sentence, agent, operation) in enumerate(ORDERS):
        history.append(UserMessage(sentence))
        answer = await ask(url, wire, *history, tools=tools)
        [call] = answer.tool_calls
        assert (call.name, call.arguments["operation"]) == (agent, operation), sentence
        artifact = {"id": f"a{number}", "title": agent, "kind": KINDS[agent], "operation": operation, "version": 1}
        history += [*answer.entries, ToolResult(call.id, call.name, artifact)]
        reply = await ask(url, wire, *history, tools=tools)
        assert reply.tool_calls == ()
        assert text(reply).strip()
        history += reply.entries


async def test_a_failed_tool_is_told_plainly(url: str, wire: Wire) -> None:
    [call] = (first := await ask(url, wire, WRITE)).tool_calls
    error_result = ToolResult(call.id, call.name, "There is no room.", is_error=True)
    assert "That did not work: There is no room." in text(await ask(url, wire, WRITE, *first.entries, error_result))


async def test_a_title_is_asked_for_without_tools(url: str, wire: Wire) -> None:
    question = UserMessage("<conversation>\nUser: How do I bake bread?\n</conversation>")
    assert text(await ask(url, wire, question, tools=())) == "How do I bake bread"


async def test_a_reminder_is_not_taken_for_the_users_words(url: str, wire: Wire) -> None:
    assert "> What is rain?" in text(await ask(url, wire, Reminder("Show a table."), UserMessage("What is rain?")))


async def test_where_tools_may_not_be_called_none_is(url: str, wire: Wire) -> None:
    assert (await ask(url, wire, WRITE, tool_choice="none")).tool_calls == ()


async def test_thinking_is_shown_where_the_wire_has_it(url: str, wire: Wire) -> None:
    thoughts = [entry for entry in (await ask(url, wire, WRITE, thinking_budget=2000)).entries if isinstance(entry, Reasoning)]
    assert any("Reading the request" in thought.text for thought in thoughts) is (wire[0] != "compatible")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("busy", ProviderBusy),
        ("unavailable", ProviderUnavailable),
        ("key", KeyRejected),
        ("blocked", ContentBlocked),
        ("cut", AnswerCut),
        ("midway", ProviderUnavailable),
    ],
)
async def test_an_error_can_be_asked_for(url: str, wire: Wire, name: str, kind: type[ProviderError]) -> None:
    with pytest.raises(kind):
        await ask(url, wire, UserMessage(f"/error {name}"))


async def test_an_unreadable_call_is_one_on_every_wire(url: str, wire: Wire) -> None:
    response = await ask(url, wire, UserMessage("/error malformed"))
    assert (response.tool_calls, bool(response.malformed_call)) == ((), True)
    reminder = Reminder("Your call could not be read.", code="malformed_call")
    assert "now I answer in plain words" in text(await ask(url, wire, UserMessage("/error malformed"), *response.entries, reminder))


async def test_an_empty_answer_is_one_on_every_wire(url: str, wire: Wire) -> None:
    assert text(await ask(url, wire, UserMessage("/error empty"))) == ""


async def test_models_are_listed_in_each_wires_own_way(url: str, wire: Wire) -> None:
    headers = {"google": {"x-goog-api-key": "any"}, "anthropic": {"x-api-key": "any", "anthropic-version": "2023-06-01"}}
    async with httpx2.AsyncClient(headers=headers.get(wire[0], {"authorization": "Bearer any"}), verify=NO_TRUST) as http:
        listing = (await http.get(f"{url}/v1/models")).json()
    assert {"google": "models", "anthropic": "has_more"}.get(wire[0], "object") in listing


@pytest.mark.parametrize(
    ("tool", "message", "absent"),
    [
        ("web_search", "Search the web for solar energy", {"compatible"}),
        ("code_execution", "Run some Python code", {"compatible"}),
        ("url_context", "Read https://tea.example/", {"compatible", "openai"}),
    ],
)
async def test_what_the_provider_runs_is_played_where_the_wire_has_it(
    url: str, wire: Wire, tool: str, message: str, absent: set[str]
) -> None:
    response = await ask(url, wire, UserMessage(message), builtin_tools=tuple(BuiltinTool))
    names = [entry.name for entry in response.entries if isinstance(entry, ProviderToolCall)]
    if wire[0] in absent:
        assert (names, "switched off" in text(response)) == ([], True)
    else:
        assert (names, "demo provider" in text(response)) == ([tool], True)
    again = await ask(url, wire, UserMessage(message), *response.entries, UserMessage("Thanks"), builtin_tools=tuple(BuiltinTool))
    assert text(again)


async def test_a_picture_is_drawn_where_the_wire_has_any(url: str, wire: Wire) -> None:
    response = await ask(url, wire, UserMessage("Draw a picture of a tree"), builtin_tools=tuple(BuiltinTool))
    pictures = [b64decode(entry.unsaved_base64) for entry in response.entries if isinstance(entry, AnswerFile)]
    assert pictures == ([chart()] if wire[0] in ("google", "openai") else [])
    assert "demo provider" in text(response)


async def test_a_file_comes_as_it_is_on_every_wire(url: str, wire: Wire) -> None:
    provider, path, model = wire
    png = b"\x89PNG\r\n\x1a\n" + bytes(8)
    model_request = request(UserMessage("What is this?"), File("f", "a.png", "image/png", len(png)), model=model)
    async with connection(url + path, key="any") as provider_connection:
        adapter = adapter_class(provider)(replace(provider_connection, api_version=""), provider)
        response = (await collect(adapter, replace(model_request, attachments={"f": png})))[-1]
    assert isinstance(response, ModelResponse)
    assert "**a.png** (image/png) as it is" in text(response)
