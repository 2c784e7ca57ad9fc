"""The SDK's own typed stream is the reference: what we read from the raw bytes is the same, event by event."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from agents.messages import BuiltinTool, ModelRequest, UserMessage
from agents.providers.openai.chat_adapter import ChatCompletionsModel, CompatibleTraits, build_body as chat_body
from agents.providers.openai.responses_adapter import OpenAIModel, build_body
from agents.providers.provider_model import ProviderModel
from doubles.script import Call, CitedText, Finish, Item, ProviderTool, Refusal, Text, Thought, Usage
from tests.agents.providers.harness import raw_events
from tests.agents.providers.openai.openai_harness import MODEL, PLAIN_MODEL, TOOL, connection, request
from tests.support.agents.openai import ServedOpenAI, openai_double
from tests.support.agents.sdks import openai

TEXT = "Zwölf Boxkämpfer jagen Viktor \N{GRINNING FACE}\u2028quer über den **großen** Sylter Deich.\r\n\r\n| a | b |\n"
PAGE = ("https://tea.example/", "Tea")
ANSWERS: list[list[Item]] = [
    [Text(TEXT)],
    [Thought("First this.\nThen that."), Text(TEXT), Usage(1, 2, 3, 4)],
    [Text("A"), Call("look_up", {"word": "\u0000ü", "n": 5}, id="c1"), Call("look_up", {}, id="c2")],
    [Refusal("No.")],
    [Text("Hal"), Finish("content_filter")],
    [ProviderTool("web_search", {"query": "tea"}, pages=[PAGE]), CitedText(TEXT, pages=[PAGE])],
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


async def raw(model: ProviderModel[Any], model_request: ModelRequest) -> list[Any]:
    return [steady(event) for event in await raw_events(model, model_request)]


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("overrides", [{}, {"thinking_level": "high"}])
async def test_responses_are_read_as_the_sdk_reads_them(answer: list[Item], overrides: dict[str, Any]) -> None:
    model_request = request(UserMessage("Hello"), model=MODEL, tools=(TOOL,), builtin_tools=tuple(BuiltinTool), **overrides)
    with openai_double() as double:
        double.default(*answer)
        async with connection(double.base_url) as provider_connection, sdk(double) as client:
            body: Any = build_body(model_request, "openai")
            stream = await client.responses.create(**body)
            sdk_events = [steady(event.model_dump(warnings=False)) async for event in stream]
            assert await raw(OpenAIModel(provider_connection), model_request) == sdk_events
        assert double.requests[0].body == double.requests[1].body


@pytest.mark.parametrize("answer", ANSWERS)
async def test_chat_completions_are_read_as_the_sdk_reads_them(answer: list[Item]) -> None:
    model_request: ModelRequest = request(UserMessage("Hello"), model=PLAIN_MODEL, tools=(TOOL,))
    with openai_double() as double:
        double.default(*answer)
        async with connection(double.base_url) as provider_connection, sdk(double) as client:
            body: Any = chat_body(model_request, "compatible", CompatibleTraits())
            stream = await client.chat.completions.create(**body)
            sdk_events = [steady(chunk.model_dump(warnings=False)) async for chunk in stream]
            assert await raw(ChatCompletionsModel(provider_connection), model_request) == sdk_events
        assert double.requests[0].body == double.requests[1].body


def sdk(double: ServedOpenAI) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="test-key", base_url=double.base_url, max_retries=0, http_client=httpx2.AsyncClient(timeout=60))
