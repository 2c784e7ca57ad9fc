"""The SDK's own typed stream is the reference: what we read from the raw bytes is the same, event by event, and whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx2
import orjson
import pytest

from agents.messages import BuiltinTool, ModelEvent, ModelRequest, UserMessage
from agents.providers.anthropic.assembler import MessageAssembler
from agents.providers.anthropic.messages import build_messages
from doubles.script import Call, CitedText, Finish, Item, ProviderTool, Text, Thought, Usage
from tests.agents.providers.harness import TOOL, collect, raw_events
from tests.agents.providers.sdk_requests import anthropic_arguments
from tests.support.agents.anthropic import ALWAYS_THINKS, BUDGETED, SWITCHABLE, ServedAnthropic, anthropic_model, claude, request
from tests.support.agents.sdks import anthropic

__all__ = ["claude"]

TEXT = "Zwölf Boxkämpfer jagen Viktor \N{GRINNING FACE}\u2028quer über den **großen** Sylter Deich.\r\n\r\n| a | b |\n"
THINKING = {"thinking_budget": 2000}
SERVER_ID = re.compile(r"srvtoolu_\w+")
PAGE = ("https://tea.example/", "Tea")
ANSWERS: list[tuple[str, list[Item], dict[str, Any]]] = [
    (BUDGETED, [Text(TEXT)], {}),
    (BUDGETED, [Thought("First this.\nThen that."), Text(TEXT), Usage(1, 2, 3, 1)], THINKING),
    (SWITCHABLE, [Text("A"), Call("look_up", {"word": "\u0000ü", "n": 5}, id="c1"), Call("look_up", {}, id="c2")], THINKING),
    (ALWAYS_THINKS, [Thought("Hm."), Thought("x", redacted=True), Thought("So."), Text(TEXT)], {"thinking_level": "low"}),
    (ALWAYS_THINKS, [Thought("Hm."), Call("look_up", {"word": None}, id="c1"), Text("Wait.")], {}),
    (SWITCHABLE, [Text("Hal"), Finish("max_tokens")], {}),
    (
        SWITCHABLE,
        [
            ProviderTool("web_search", {"query": "tea"}, pages=[PAGE]),
            CitedText(TEXT, pages=[PAGE]),
            ProviderTool("url_context", {"url": PAGE[0]}, pages=[PAGE]),
            ProviderTool("code_execution", {"command": "ls"}, output="a"),
            ProviderTool("web_search", {"query": "x"}, failed=True),
            Text("So."),
        ],
        {"builtin_tools": tuple(BuiltinTool)},
    ),
]


async def typed_events(double: ServedAnthropic, model_request: ModelRequest) -> tuple[list[dict[str, Any]], anthropic.types.Message]:
    """The SDK's way from end to end: its events, and the message that it makes of them."""
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        client = anthropic.AsyncAnthropic(api_key="test-key", base_url=double.base_url, http_client=http)
        arguments = anthropic_arguments(model_request)
        async with await client.messages.create(**arguments, stream=True) as stream:
            events = [event.model_dump(mode="json", exclude_unset=True) async for event in stream]
        async with client.messages.stream(**arguments) as helper:
            return events, await helper.get_final_message()


@pytest.mark.parametrize(("model", "answer", "thinking"), ANSWERS)
async def test_raw_and_typed_streams_are_the_same(
    claude: ServedAnthropic, model: str, answer: list[Item], thinking: Mapping[str, Any]
) -> None:
    claude.default(*answer)
    model_request = request(UserMessage("Hello"), model=model, tools=(TOOL,), **thinking)
    sdk_events, message = await typed_events(claude, model_request)
    async with anthropic_model(claude) as adapter:
        raw_stream = [dict(event) for event in await raw_events(adapter, model_request)]
        events = await collect(adapter, model_request)
    assert [comparable(event) for event in raw_stream if event["type"] != "ping"] == [comparable(event) for event in sdk_events]
    assert SERVER_ID.sub("srvtoolu_0", repr(events)) == SERVER_ID.sub("srvtoolu_0", repr(assembled(raw_stream, model)))
    response: Any = events[-1]
    [sent_back] = build_messages(response.entries, "anthropic", model)
    assert without_ids(sent_back["content"]) == without_ids(message.model_dump(mode="json", exclude_none=True)["content"])
    assert all(http_request.body == claude.body for http_request in claude.requests)


def comparable(event: Mapping[str, Any]) -> Any:
    """Without what differs between two answers."""
    if event["type"] != "message_start":
        return steady(event)
    return {**event, "message": {name: value for name, value in event["message"].items() if name != "id"}}


def without_ids(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [steady({name: value for name, value in block.items() if name != "id"}) for block in blocks]


def steady(value: Any) -> Any:
    """With one id for all uses of the API's own tools."""
    return orjson.loads(SERVER_ID.sub("srvtoolu_0", orjson.dumps(value).decode()))


def assembled(events: list[dict[str, Any]], model: str) -> list[ModelEvent]:
    assembler = MessageAssembler("anthropic", model)
    deltas = [delta for event in events for delta in assembler.add(event)]
    return [*deltas, assembler.response()]
