"""What is sent is what each SDK sends itself when it is given everything, and what is kept of it holds no key and no word of a conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import anthropic
import httpx2
import openai
import orjson
import pytest

from agents.engine.errors import ProviderError
from agents.engine.messages import AssistantText, BuiltinTool, Entry, ModelRequest, SystemPrompt, ToolCall, ToolResult, UserMessage
from agents.engine.ports import LanguageModel
from agents.providers.anthropic import request as anthropic_prepared
from agents.providers.anthropic.adapter import AnthropicModel
from agents.providers.anthropic.errors import api_error as anthropic_fault
from agents.providers.anthropic.request import build_arguments as anthropic_arguments, continuation_arguments
from agents.providers.connection import Connection
from agents.providers.google import request as google_prepared
from agents.providers.google.adapter import GoogleModel
from agents.providers.openai import request_templates as openai_prepared
from agents.providers.openai.chat_adapter import ChatCompletionsModel, CompatibleTraits, build_arguments as chat_arguments
from agents.providers.openai.chat_messages import build_messages
from agents.providers.openai.errors import api_error as openai_fault
from agents.providers.openai.responses_adapter import OpenAIModel, build_arguments as responses_arguments
from agents.providers.openai.responses_input import build_input
from agents.providers.request_templates import RequestTemplate, TemplateCache
from security.secret_text import SecretText
from tests.agents.providers.harness import TOOL, collect, request

URL = "https://api.test/v1"
KEY = "a-key-that-nobody-keeps"
WORDS = "Zwölf Boxkämpfer \N{GRINNING FACE}"
HISTORY: tuple[Entry, ...] = (
    UserMessage(WORDS),
    AssistantText("I look that up."),
    ToolCall("c1", "look_up", {"word": WORDS, "n": 5}),
    ToolResult("c1", "look_up", {"found": [1, 2.5, None, WORDS]}),
    UserMessage("And?"),
)
SETTINGS: list[dict[str, Any]] = [
    {},
    {"tools": (TOOL, replace(TOOL, name="other")), "temperature": 0.5, "top_p": 1.0, "max_output_tokens": 4000},
    {"tools": (TOOL,), "thinking_budget": 2000, "tool_choice": "look_up", "builtin_tools": tuple(BuiltinTool)},
    {"tools": (TOOL,), "stop_sequences": ("END",), "provider_options": {"service_tier": "flex", "metadata": {"user_id": "u"}}},
]


class Network(httpx2.AsyncBaseTransport):
    """Keeps what is sent and answers with one status and body."""

    def __init__(self, status: int = 200, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        self.sent: list[httpx2.Request] = []
        self._answer = status, body, {"content-type": "text/event-stream", **(headers or {})}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(request)
        status, body, headers = self._answer
        return httpx2.Response(status, content=body, headers=headers)

    @asynccontextmanager
    async def connection(self, key: str | None = KEY) -> AsyncIterator[Connection]:
        async with httpx2.AsyncClient(transport=self, trust_env=False, headers={"accept-encoding": "identity"}) as http:
            yield Connection(base_url=URL, http=http, key=SecretText(key) if key else None)

    @property
    def wire(self) -> list[Any]:
        """What a server sees of each request, in an order of its own for headers and for the body's fields."""
        return [(r.method, str(r.url), headers_of(r), orjson.loads(r.content), r.extensions["timeout"]) for r in self.sent]


def headers_of(sent: httpx2.Request) -> list[tuple[str, str]]:
    """The length is that of the body, whose fields may come in another order, and each adapter spells JSON in its own way."""
    return sorted((name, value) for name, value in sent.headers.multi_items() if name != "content-length")


async def said_by(model: LanguageModel, asked: ModelRequest) -> ProviderError:
    """How the answer ended; these are none."""
    with pytest.raises(ProviderError) as caught:
        await collect(model, asked)
    return caught.value


async def openai_itself(made: Connection, asked: ModelRequest) -> None:
    sent: Any = build_input(asked.entries, "openai", asked.model)
    told = {"instructions": str(asked.system)} if str(asked.system) else {}
    options = {"extra_body": dict(asked.settings.provider_options), "extra_headers": openai_prepared._headers_of(made)}
    create: Any = openai_prepared.client_of(made).responses.with_streaming_response.create
    async with create(**responses_arguments(asked), **told, input=sent, stream=True, **options):
        pass


async def chat_itself(made: Connection, asked: ModelRequest) -> None:
    sent: Any = build_messages(asked.entries, str(asked.system), "compatible", asked.model)
    options = {"extra_body": dict(asked.settings.provider_options), "extra_headers": openai_prepared._headers_of(made)}
    create: Any = openai_prepared.client_of(made).chat.completions.with_streaming_response.create
    async with create(**chat_arguments(asked, CompatibleTraits()), messages=sent, stream=True, **options):
        pass


async def anthropic_itself(made: Connection, asked: ModelRequest) -> None:
    create = anthropic_prepared.client_of(made).messages.with_streaming_response.create
    async with create(stream=True, **anthropic_arguments(asked, "anthropic")):
        pass


WIRES = [
    ("gpt-6.2-sol", OpenAIModel, openai_itself),
    ("gpt-4.1", OpenAIModel, openai_itself),
    ("qwen3:8b", ChatCompletionsModel, chat_itself),
    ("claude-sonnet-4-6", AnthropicModel, anthropic_itself),
    ("claude-opus-5", AnthropicModel, anthropic_itself),
]


@pytest.mark.parametrize("overrides", SETTINGS)
@pytest.mark.parametrize(("name", "build", "sdk_itself"), WIRES)
@pytest.mark.parametrize("key", [KEY, None])
async def test_the_request_is_the_sdks_own(name: str, build: Any, sdk_itself: Any, overrides: dict[str, Any], key: str | None) -> None:
    asked = request(*HISTORY, model=name, **overrides)
    network = Network()
    async with network.connection(key) as made:
        await sdk_itself(made, asked)
        await said_by(build(made), asked)
        await said_by(build(made), asked)
    itself, first, again = network.wire
    assert first == itself
    assert again == itself


@pytest.mark.parametrize(("name", "build", "sdk_itself"), WIRES)
async def test_without_a_system_prompt_none_is_sent(name: str, build: Any, sdk_itself: Any) -> None:
    asked = replace(request(model=name), system=SystemPrompt(""))
    network = Network()
    async with network.connection() as made:
        await sdk_itself(made, asked)
        await said_by(build(made), asked)
    assert network.wire[0] == network.wire[1]


@pytest.mark.parametrize("build", [GoogleModel, OpenAIModel, ChatCompletionsModel, AnthropicModel])
async def test_what_is_kept_serves_all_keys_and_conversations_and_holds_none(build: Any) -> None:
    network = Network()
    for key, words in [("key-one", "words-one"), ("key-two", "words-two")]:
        async with network.connection(key) as made:
            asked = replace(request(UserMessage(words), model="m", tools=(TOOL,)), system=SystemPrompt("", words))
            await said_by(build(made), asked)
    first, second = network.sent
    assert (b"words-one" in first.content, b"words-two" in second.content) == (True, True)
    assert not [word for word in ("key-one", "words-one") if word in f"{second.content!r} {second.headers.raw}"]
    assert any("key-two" in value for value in second.headers.values())
    kept = repr([vars(module)["_template_cache"]._items for module in (google_prepared, openai_prepared, anthropic_prepared)])
    assert "look_up" in kept
    assert not [word for word in ("key-one", "key-two", "words-one", "words-two") if word in kept]


async def test_a_paused_answers_container_is_the_conversations() -> None:
    """Also where an admin's option names another one: what the API said last counts."""
    asked = request(model="claude-opus-5", provider_options={"container": {"skills": []}})
    async with Network().connection() as made:
        sent = await anthropic_prepared.request_of(made, continuation_arguments(anthropic_arguments(asked, "anthropic"), [], "container-1"))
    assert orjson.loads(sent.content)["container"] == "container-1"
    assert sent.content.count(b'"container"') == 1
    assert "container-1" not in repr(anthropic_prepared._template_cache._items)


ERRORS: list[tuple[int, bytes]] = [
    (401, b'{"error": {"message": "No such key.", "type": "authentication_error", "code": "invalid_api_key"}}'),
    (429, b'{"error": {"message": "Slow down.", "type": "rate_limit_error"}}'),
    (400, b'{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 5 tokens > 4 maximum"}}'),
    (400, b'{"error": {"message": "Bad.", "code": "context_length_exceeded"}}'),
    (404, b'{"error": "model x not found"}'),
    (404, b"no such page"),
    (302, b""),
    (500, b'["a list"]'),
    (502, b"<html>Bad gateway \xff</html>"),
]


@pytest.mark.parametrize(("status", "body"), ERRORS)
@pytest.mark.parametrize(
    ("name", "build", "sdk_itself", "error", "api_error"),
    [
        ("gpt-6.2-sol", OpenAIModel, openai_itself, openai.APIStatusError, openai_fault),
        ("qwen3:8b", ChatCompletionsModel, chat_itself, openai.APIStatusError, openai_fault),
        ("claude-opus-5", AnthropicModel, anthropic_itself, anthropic.APIStatusError, anthropic_fault),
    ],
)
async def test_an_error_answer_is_read_as_the_sdk_reads_it(
    name: str, build: Any, sdk_itself: Any, error: Any, api_error: Any, status: int, body: bytes
) -> None:
    asked = request(model=name)
    async with Network(status, body, {"retry-after": "7", "location": "https://elsewhere.test/"}).connection() as made:
        with pytest.raises(error) as caught:
            await sdk_itself(made, asked)
        fault = await said_by(build(made), asked)
    expected = api_error(caught.value.status_code, caught.value.body, caught.value.response.headers)
    assert (type(fault), str(fault), vars(fault)) == (type(expected), str(expected), vars(expected))
    assert fault.__context__ is None


@pytest.mark.parametrize("build", [GoogleModel, OpenAIModel, ChatCompletionsModel, AnthropicModel])
@pytest.mark.parametrize("charset", ["rot13", "hex", "utf-16", "undefined"])
async def test_an_error_answer_may_name_an_encoding_that_is_none_of_text(build: Any, charset: str) -> None:
    async with Network(400, b"No.", {"content-type": f"text/plain; charset={charset}"}).connection() as made:
        fault = await said_by(build(made), request())
    assert str(fault).startswith("The provider refused the request")


class TestKept:
    def test_the_longest_unused_goes_first(self) -> None:
        kept = TemplateCache[str](max_bytes=100)
        for name in (b"a", b"b", b"c"):
            kept.put(name, name.decode(), 12)
        assert kept.get(b"a") == "a"
        for number in range(6):
            kept.put(b"%d" % number, "", 12)
        assert [kept.get(name) for name in (b"a", b"b", b"c")] == ["a", None, "c"]

    def test_what_is_put_again_counts_once(self) -> None:
        kept = TemplateCache[str](max_bytes=100)
        for _ in range(20):
            kept.put(b"a", "again", 12)
        kept.put(b"b", "b", 12)
        assert (kept.get(b"a"), kept.get(b"b")) == ("again", "b")

    def test_a_prepared_request_that_would_leave_no_room_is_not_kept(self) -> None:
        kept = TemplateCache[str](max_bytes=100)
        kept.put(b"a", "a", 13)
        assert kept.get(b"a") is None


@pytest.mark.parametrize("rest", [b"{}", b'{"n":1}'])
def test_a_body_is_the_conversation_and_the_rest(rest: bytes) -> None:
    made = RequestTemplate(url=httpx2.URL(URL), headers=(), key_headers=(), rest=rest)
    assert orjson.loads(made.request(key="", conversation={"input": [WORDS]}).content) == {"input": [WORDS], **orjson.loads(rest)}
