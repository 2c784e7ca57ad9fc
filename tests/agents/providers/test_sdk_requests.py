"""What is sent is what each vendor's SDK sends when it is given the same: method, address, body, and the headers that matter."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import google.genai.errors
import httpx2
import orjson
import pytest

from agents.engine.ports import LanguageModel
from agents.errors import ProviderError
from agents.messages import (
    AssistantText,
    BuiltinTool,
    Entry,
    File,
    ModelRequest,
    SystemPrompt,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.providers.anthropic.adapter import AnthropicModel
from agents.providers.anthropic.errors import api_error as anthropic_fault
from agents.providers.anthropic.request import build_body as anthropic_body, continuation_body
from agents.providers.connection import Connection
from agents.providers.google.adapter import GoogleModel
from agents.providers.google.errors import api_error as google_fault
from agents.providers.openai.chat_adapter import ChatCompletionsModel
from agents.providers.openai.errors import api_error as openai_fault
from agents.providers.openai.responses_adapter import OpenAIModel
from security.secrets.secret_text import SecretText
from tests.agents.providers.harness import TOOL, collect, request
from tests.agents.providers.sdk_requests import anthropic_itself, chat_itself, google_itself, openai_itself
from tests.support.agents.sdks import anthropic, openai

URL = "https://api.test/v1"
KEY = "a-key-that-nobody-keeps"
WORDS = "Zwölf Boxkämpfer \N{GRINNING FACE}"
IMAGE = File("f1", "a.png", "image/png", 3)
HISTORY: tuple[Entry, ...] = (
    UserMessage(WORDS),
    AssistantText("I look that up."),
    ToolCall("c1", "look_up", {"word": WORDS, "n": 5}),
    ToolResult("c1", "look_up", {"found": [1, 2.5, None, WORDS]}),
    UserMessage("And?"),
    IMAGE,
)
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"tools": (TOOL, replace(TOOL, name="other")), "temperature": 0.5, "top_p": 1.0, "top_k": 3, "max_output_tokens": 4000},
    {"presence_penalty": 0.1, "frequency_penalty": -0.2, "seed": 7, "thinking_level": "low"},
    {"tools": (TOOL,), "thinking_budget": 2000, "tool_choice": "look_up", "builtin_tools": tuple(BuiltinTool)},
    {"tools": (TOOL,), "tool_choice": "required", "thinking_budget": 0},
    {"tools": (TOOL,), "tool_choice": "none", "builtin_tools": (BuiltinTool.WEB_SEARCH,)},
    {"tools": (TOOL,), "stop_sequences": ("END",)},
    {"tools": (TOOL,), "single_tool_call": True},
    {"tools": (TOOL,), "single_tool_call": True, "tool_choice": "look_up"},
    {"answer_format": {"type": "json_object"}, "thinking_level": "low"},
    {"answer_format": {"type": "json_schema", "json_schema": {"name": "tea", "schema": SCHEMA, "strict": True}}, "thinking_level": "low"},
]
OPTIONS: Mapping[str, dict[str, Any]] = {
    "gemini": {"serviceTier": "flex", "generationConfig": {"mediaResolution": "LOW", "temperature": 1}},
    "other": {"service_tier": "flex", "metadata": {"user_id": "u"}},
}
# Headers with which the vendors count their SDKs, and those that every HTTP client writes for itself.
TELEMETRY = re.compile(r"x-stainless-.*|user-agent|x-goog-api-client|accept|connection|content-length")
_SNAKE_CASE = re.compile(
    rb'"(mime_type|parameters_json_schema|thinking_budget|thinking_level|include_thoughts|response_mime_type|response_json_schema)"'
)


class Network(httpx2.AsyncBaseTransport):
    """Keeps what is sent and answers with one status and body."""

    def __init__(self, status: int = 200, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        self.requests: list[httpx2.Request] = []
        self._answer = status, body, {"content-type": "text/event-stream", **(headers or {})}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        status, body, headers = self._answer
        return httpx2.Response(status, content=body, headers=headers)

    @asynccontextmanager
    async def connection(self, key: str | None = KEY) -> AsyncIterator[Connection]:
        async with httpx2.AsyncClient(transport=self, trust_env=False, headers={"accept-encoding": "identity"}) as http:
            yield Connection(base_url=URL, http=http, key=SecretText(key) if key else None, timeout_s=90)

    @property
    def wire(self) -> list[Any]:
        """What a server reads of each request."""
        return [(r.method, str(r.url), headers_of(r), orjson.loads(camel_case(r.content)), r.extensions["timeout"]) for r in self.requests]


def headers_of(http_request: httpx2.Request) -> list[tuple[str, str]]:
    return sorted((name, value) for name, value in http_request.headers.multi_items() if not TELEMETRY.fullmatch(name))


def camel_case(body: bytes) -> bytes:
    """Gemini reads both spellings of a name, and google-genai mixes them."""
    return _SNAKE_CASE.sub(lambda name: re.sub(rb"_([a-z])", lambda letter: letter[1].upper(), name[0]), body)


async def error_of(model: LanguageModel, model_request: ModelRequest) -> ProviderError:
    """How the answer ended; these are none."""
    with pytest.raises(ProviderError) as caught:
        await collect(model, model_request)
    return caught.value


GOOGLE = [
    (name, GoogleModel, google_itself) for name in ("gemini-2.5-flash", "gemini-3-pro-preview", "models/gemini-2.0-flash", "tunedModels/x")
]
OPENAI = [
    ("gpt-6.2-sol", OpenAIModel, openai_itself),
    ("gpt-4.1", OpenAIModel, openai_itself),
    ("qwen3:8b", ChatCompletionsModel, chat_itself),
]
ANTHROPIC = [("claude-sonnet-4-6", AnthropicModel, anthropic_itself), ("claude-opus-5", AnthropicModel, anthropic_itself)]
WIRES = [*GOOGLE, *OPENAI, *ANTHROPIC]


async def check_same(model_request: ModelRequest, build: Any, sdk_itself: Any, key: str | None = KEY) -> None:
    network = Network()
    async with network.connection(key) as connection:
        await sdk_itself(connection, model_request)
        await error_of(build(connection), model_request)
    itself, ours = network.wire
    assert ours[:4] == itself[:4]


@pytest.mark.parametrize("overrides", SETTINGS)
@pytest.mark.parametrize(("name", "build", "sdk_itself"), WIRES)
async def test_the_request_is_the_sdks_own(name: str, build: Any, sdk_itself: Any, overrides: dict[str, Any]) -> None:
    model_request = replace(request(*HISTORY, model=name, **overrides), attachments={IMAGE.id: b"png"})
    await check_same(model_request, build, sdk_itself)


@pytest.mark.parametrize(("name", "build", "sdk_itself"), WIRES)
async def test_provider_options_are_merged_as_the_sdk_merges_them(name: str, build: Any, sdk_itself: Any) -> None:
    options = OPTIONS["gemini" if build is GoogleModel else "other"]
    await check_same(request(*HISTORY, model=name, temperature=0.5, provider_options=options), build, sdk_itself)


@pytest.mark.parametrize(("name", "build", "sdk_itself"), OPENAI)
async def test_without_a_key_none_is_sent(name: str, build: Any, sdk_itself: Any) -> None:
    await check_same(request(model=name), build, sdk_itself, key=None)


@pytest.mark.parametrize("build", [GoogleModel, OpenAIModel, ChatCompletionsModel, AnthropicModel])
async def test_no_header_stands_for_a_missing_key(build: Any) -> None:
    network = Network()
    async with network.connection(None) as connection:
        await error_of(build(connection), request())
    assert not {"authorization", "x-api-key", "x-goog-api-key"} & network.requests[0].headers.keys()


@pytest.mark.parametrize("build", [GoogleModel, OpenAIModel, ChatCompletionsModel, AnthropicModel])
async def test_the_connections_time_limits_are_the_requests(build: Any) -> None:
    network = Network()
    async with network.connection() as connection:
        await error_of(build(replace(connection, timeout_s=7.0)), request())
    assert network.requests[0].extensions["timeout"] == {"connect": 10.0, "read": 7.0, "write": 7.0, "pool": 10.0}


@pytest.mark.parametrize(("name", "build", "sdk_itself"), WIRES)
async def test_without_a_system_prompt_none_is_sent(name: str, build: Any, sdk_itself: Any) -> None:
    await check_same(replace(request(model=name), system=SystemPrompt("")), build, sdk_itself)


async def test_the_name_of_a_model_cannot_leave_its_place_in_the_address() -> None:
    network = Network()
    async with network.connection() as connection:
        fault = await error_of(GoogleModel(connection), request(model="../../files"))
        await error_of(GoogleModel(connection), request(model="a?b#c d"))
    assert str(fault) == "../../files is not the name of a model."
    assert [http_request.url.raw_path for http_request in network.requests] == [
        b"/v1/v1beta/models/a%3Fb%23c%20d:streamGenerateContent?alt=sse"
    ]


async def test_a_paused_answers_container_is_the_conversations() -> None:
    """Also where an admin's option names another one: what the API said last counts."""
    model_request = request(model="claude-opus-5", provider_options={"container": {"skills": []}})
    assert continuation_body(anthropic_body(model_request, "anthropic"), [], "container-1")["container"] == "container-1"


ERRORS: list[tuple[int, bytes]] = [
    (401, b'{"error": {"message": "No such key.", "type": "authentication_error", "code": "invalid_api_key"}}'),
    (429, b'{"error": {"message": "Slow down.", "type": "rate_limit_error"}}'),
    (400, b'{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 5 tokens > 4 maximum"}}'),
    (400, b'{"error": {"message": "Bad.", "code": "context_length_exceeded"}}'),
    (404, b'{"error": "model x not found"}'),
    (404, b"no such page"),
    (302, b""),
    (500, b'["a list"]'),
    (502, b"<html>Bad gateway</html>"),
]


@pytest.mark.parametrize(("status", "body"), ERRORS)
@pytest.mark.parametrize(
    ("name", "build", "sdk_itself", "error", "api_error"),
    [
        ("gpt-6.2-sol", OpenAIModel, openai_itself, lambda: openai.APIStatusError, openai_fault),
        ("qwen3:8b", ChatCompletionsModel, chat_itself, lambda: openai.APIStatusError, openai_fault),
        ("claude-opus-5", AnthropicModel, anthropic_itself, lambda: anthropic.APIStatusError, anthropic_fault),
        ("gemini-2.5-flash", GoogleModel, google_itself, lambda: google.genai.errors.APIError, google_fault),
    ],
)
async def test_an_error_answer_is_read_as_the_sdk_reads_it(
    name: str, build: Any, sdk_itself: Any, error: Any, api_error: Any, status: int, body: bytes
) -> None:
    model_request = request(model=name)
    async with Network(status, body, {"retry-after": "7", "location": "https://elsewhere.test/"}).connection() as connection:
        with pytest.raises(error()) as caught:
            await sdk_itself(connection, model_request)
        fault = await error_of(build(connection), model_request)
    sdks: Any = caught.value
    status, body_read = (sdks.code, sdks.details) if build is GoogleModel else (sdks.status_code, sdks.body)
    expected = api_error(status, body_read, sdks.response.headers)
    assert (type(fault), str(fault), vars(fault)) == (type(expected), str(expected), vars(expected))
    assert fault.__context__ is None


@pytest.mark.parametrize("build", [GoogleModel, OpenAIModel, ChatCompletionsModel, AnthropicModel])
@pytest.mark.parametrize("charset", ["rot13", "hex", "utf-16", "undefined"])
async def test_an_error_answer_may_name_an_encoding_that_is_none_of_text_and_hold_none(build: Any, charset: str) -> None:
    async with Network(400, b"No \xff.", {"content-type": f"text/plain; charset={charset}"}).connection() as connection:
        fault = await error_of(build(connection), request())
    assert str(fault).startswith("The provider refused the request")
