"""The SDK's own typed stream is the reference: what we read from the raw bytes is the same, chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import types

from agents.messages import BuiltinTool, ModelEvent, ModelRequest, UserMessage
from agents.providers.google.assembler import GenerateContentAssembler
from agents.providers.google.contents import build_contents
from doubles.script import Call, CitedText, Finish, Item, ProviderTool, Text, Thought, Usage
from tests.agents.providers.harness import MODEL, MODEL_3, TOOL, collect, google_model, raw_events, request
from tests.agents.providers.sdk_requests import google_config
from tests.support.agents.gemini import ServedGemini

TEXT = "Zwölf Boxkämpfer jagen Viktor \N{GRINNING FACE}\u2028quer über den **großen** Sylter Deich.\r\n\r\n| a | b |\n"
PAGE = ("https://a.example/", "A")
THINKING = {"thinking_budget": 512}
ANSWERS: list[tuple[str, list[Item], dict[str, Any]]] = [
    (MODEL, [Text(TEXT)], {}),
    (MODEL, [Thought("First this.\nThen that."), Text(TEXT), Usage(1, 2, 3, 4)], THINKING),
    (MODEL, [Text("A"), Call("look_up", {"word": "\u0000ü", "n": 5}, id="c1"), Call("look_up", {}, id="c2")], THINKING),
    (MODEL_3, [Thought("Hm."), Text(TEXT)], {"thinking_level": "low"}),
    (MODEL_3, [Thought("Hm."), Call("look_up", {"word": None}, id="c1"), Text("Wait.")], {"thinking_level": "high"}),
    (MODEL_3, [Text("Hal"), Finish("MAX_TOKENS")], {}),
    (
        MODEL_3,
        [
            ProviderTool("code_execution", {"code": "1"}, output="1"),
            ProviderTool("web_search", {"query": "a"}),
            CitedText(TEXT, pages=[PAGE]),
        ],
        {"builtin_tools": tuple(BuiltinTool)},
    ),
]


async def typed_chunks(double: ServedGemini, model_request: ModelRequest) -> list[types.GenerateContentResponse]:
    """The SDK's way from end to end, request included."""
    contents: Any = build_contents(model_request.entries, "google", model_request.model)
    async with httpx2.AsyncClient(timeout=60) as http:
        options = types.HttpOptions(base_url=double.base_url, api_version="v1beta", httpx_async_client=http)
        client = genai.Client(api_key="test-key", http_options=options)
        stream = await client.aio.models.generate_content_stream(
            model=model_request.model, contents=contents, config=google_config(model_request)
        )
        return [chunk async for chunk in stream]


def comparable(chunk: types.GenerateContentResponse) -> dict[str, Any]:
    """Without what differs between two answers; signatures are bytes here, so their alphabet does not count."""
    return chunk.model_dump(exclude={"response_id", "sdk_http_response", "parsed"}, exclude_none=True)


@pytest.mark.parametrize(("model", "answer", "thinking"), ANSWERS)
async def test_raw_and_typed_streams_are_the_same(
    gemini: ServedGemini, model: str, answer: list[Item], thinking: Mapping[str, Any]
) -> None:
    gemini.default(*answer)
    model_request = request(UserMessage("Hello"), model=model, tools=(TOOL,), **thinking)
    sdk_chunks = await typed_chunks(gemini, model_request)
    async with google_model(gemini) as adapter:
        raw_stream = await raw_events(adapter, model_request)
        events = await collect(adapter, model_request)
    assert [comparable(types.GenerateContentResponse.model_validate(chunk)) for chunk in raw_stream] == [
        comparable(chunk) for chunk in sdk_chunks
    ]
    assert events == assembled(raw_stream, model)
    bodies = [http_request.body for http_request in gemini.requests]
    assert bodies[0] == bodies[1] == bodies[2]


def assembled(chunks: list[Mapping[str, Any]], model: str) -> list[ModelEvent]:
    assembler = GenerateContentAssembler("google", model)
    return [*(delta for chunk in chunks for delta in assembler.add(chunk)), assembler.response()]
