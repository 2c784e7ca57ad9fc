"""The SDK's own typed stream is the reference: what we read from the raw bytes is the same, event by event."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from openai import AsyncOpenAI

from agents.engine.messages import BuiltinTool, ModelRequest, UserMessage
from agents.providers.base import Connection
from agents.providers.openai.chat_messages import messages_of
from agents.providers.openai.chat_model import CompatibleModel, CompatibleTraits, arguments_of as chat_arguments
from agents.providers.openai.http import MakeRequest, read_events
from agents.providers.openai.responses_input import input_of
from agents.providers.openai.responses_model import OpenAIModel, arguments_of
from doubles.script import Call, Cited, Finish, Item, ProviderTool, Refusal, Text, Thought, Usage
from tests.agents.providers.openai_harness import MODEL, PLAIN_MODEL, TOOL, connection, request
from tests.support.openai import ServedOpenAI, openai_double

TEXT = "Zwölf Boxkämpfer jagen Viktor \N{GRINNING FACE}\u2028quer über den **großen** Sylter Deich.\r\n\r\n| a | b |\n"
PAGE = ("https://tea.example/", "Tea")
ANSWERS: list[list[Item]] = [
    [Text(TEXT)],
    [Thought("First this.\nThen that."), Text(TEXT), Usage(1, 2, 3, 4)],
    [Text("A"), Call("look_up", {"word": "\u0000ü", "n": 5}, id="c1"), Call("look_up", {}, id="c2")],
    [Refusal("No.")],
    [Text("Hal"), Finish("content_filter")],
    [ProviderTool("web_search", {"query": "tea"}, pages=[PAGE]), Cited(TEXT, pages=[PAGE])],
    [ProviderTool("code_execution", {"code": "1"}, output="a"), ProviderTool("web_search", {"query": "x"}, failed=True), Text("So.")],
]
VOLATILE = {"id", "item_id", "container_id", "created_at", "created", "encrypted_content", "obfuscation"}


def steady(value: Any) -> Any:
    """Without what differs between two answers, and without nulls, which the typed events add."""
    match value:
        case dict():
            return {key: steady(inner) for key, inner in value.items() if key not in VOLATILE and inner is not None}
        case list():
            return [steady(inner) for inner in value]
        case _:
            return value


async def raw(connected: Connection, make_request: MakeRequest) -> list[Any]:
    return [steady(event) async for event in read_events(make_request, connected)]


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("wishes", [{}, {"thinking_level": "high"}])
async def test_responses(answer: list[Item], wishes: dict[str, Any]) -> None:
    asked = request(UserMessage("Hello"), model=MODEL, tools=(TOOL,), builtin_tools=tuple(BuiltinTool), **wishes)
    with openai_double() as double:
        double.default(*answer)
        async with connection(double.base_url) as made, sdk(double) as client:
            sent: Any = input_of(asked.entries, "openai", asked.model)
            stream = await client.responses.create(**arguments_of(asked), instructions=str(asked.system), input=sent, stream=True)
            typed = [steady(event.model_dump(warnings=False)) async for event in stream]
            model = OpenAIModel(made)
            assert await raw(made, lambda: model._made(asked)) == typed
        assert double.requests[0].body == double.requests[1].body


@pytest.mark.parametrize("answer", ANSWERS)
async def test_chat_completions(answer: list[Item]) -> None:
    asked: ModelRequest = request(UserMessage("Hello"), model=PLAIN_MODEL, tools=(TOOL,))
    with openai_double() as double:
        double.default(*answer)
        async with connection(double.base_url) as made, sdk(double) as client:
            messages: Any = messages_of(asked.entries, str(asked.system), "compatible", asked.model)
            stream = await client.chat.completions.create(**chat_arguments(asked, CompatibleTraits()), messages=messages, stream=True)
            typed = [steady(chunk.model_dump(warnings=False)) async for chunk in stream]
            model = CompatibleModel(made)
            assert await raw(made, lambda: model._made(asked)) == typed
        assert double.requests[0].body == double.requests[1].body


def sdk(double: ServedOpenAI) -> AsyncOpenAI:
    return AsyncOpenAI(api_key="test-key", base_url=double.base_url, max_retries=0, http_client=httpx2.AsyncClient(timeout=60))
