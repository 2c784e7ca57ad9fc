"""OpenAI's Responses API over a real connection: what is sent, what comes back, and what goes back again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from agents.errors import ProviderUnavailable, RequestRefused
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelResponse,
    Reasoning,
    ReasoningDelta,
    TextDelta,
    Usage as EngineUsage,
    UserMessage,
)
from agents.providers.connection import Connection
from agents.providers.openai.responses_adapter import OpenAIModel
from doubles.script import Call, Fault, Finish, Refusal, Text, Thought, Usage
from doubles.signals import Gate
from security.secrets.secret_text import SecretText
from tests.agents.providers.openai.openai_harness import MODEL, PLAIN_MODEL, TOOL, ask, collect, openai_model, request
from tests.support.agents.openai import ServedOpenAI, openai_double
from tests.support.suite.cpu_time import min_cpu_s

ENVIRONMENT = {
    "OPENAI_API_KEY": "other",
    "OPENAI_ADMIN_KEY": "other",
    "OPENAI_BASE_URL": "http://127.0.0.1:1",
    "OPENAI_ORG_ID": "org-other",
    "OPENAI_PROJECT_ID": "proj-other",
    "OPENAI_CUSTOM_HEADERS": "X-Other: other\nAuthorization: Bearer other",
    "HTTP_PROXY": "http://127.0.0.1:1",
}


@pytest.fixture
def api() -> Iterator[ServedOpenAI]:
    with openai_double() as double:
        yield double


class TestRequests:
    async def test_every_setting_is_in_the_request(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            await ask(model, request(tools=(TOOL,), temperature=0.5, max_output_tokens=100, thinking_budget=512))
        http_request = api.requests[0]
        assert (http_request.path, http_request.key_is("test-key"), http_request.headers["accept-encoding"]) == (
            "/v1/responses",
            True,
            "identity",
        )
        assert http_request.body == {
            "model": MODEL,
            "instructions": "Be kind.\n\nToday is Monday.",
            "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}],
            "tools": [
                {
                    "type": "function",
                    "name": "look_up",
                    "description": "Looks things up.",
                    "parameters": TOOL.input_schema,
                    "strict": False,
                }
            ],
            "reasoning": {"effort": "low", "summary": "auto"},
            "include": ["reasoning.encrypted_content"],
            "max_output_tokens": 100,
            "store": False,
            "stream": True,
        }

    async def test_a_model_that_does_not_reason_gets_sampling_and_no_reasoning(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            await ask(model, request(model=PLAIN_MODEL, temperature=0.5, top_p=0.9))
        body = api.requests[0].body
        assert (body["temperature"], body["top_p"]) == (0.5, 0.9)
        assert not body.keys() & {"reasoning", "include", "tools", "tool_choice"}

    @pytest.mark.parametrize(
        ("overrides", "reasoning"),
        [
            ({}, None),
            ({"thinking_budget": 0}, {"effort": "low"}),
            ({"thinking_budget": -1}, {"summary": "auto"}),
            ({"thinking_budget": 2048}, {"effort": "low", "summary": "auto"}),
            ({"thinking_budget": 8192}, {"effort": "medium", "summary": "auto"}),
            ({"thinking_budget": 8193}, {"effort": "high", "summary": "auto"}),
            ({"thinking_level": "minimal"}, {"effort": "low", "summary": "auto"}),
            ({"thinking_level": "high", "thinking_budget": 1}, {"effort": "high", "summary": "auto"}),
        ],
    )
    async def test_thinking_settings_are_sent_as_the_model_takes_them(
        self, api: ServedOpenAI, overrides: dict[str, Any], reasoning: dict[str, str] | None
    ) -> None:
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            await ask(model, request(**overrides))
        assert api.requests[0].body.get("reasoning") == reasoning

    async def test_settings_that_this_api_does_not_know_are_left_out(self, api: ServedOpenAI) -> None:
        """Each would be a 400; they are an agent's settings, and the agent may have another provider tomorrow."""
        api.answer(Text("Hi"))
        settings: dict[str, Any] = {
            "top_k": 40,
            "presence_penalty": 0.5,
            "frequency_penalty": -0.5,
            "seed": 7,
            "stop_sequences": ("END",),
            "max_output_tokens": 5,
        }
        async with openai_model(api) as model:
            await ask(model, request(**settings))
        assert not api.requests[0].body.keys() & settings.keys() - {"max_output_tokens"}
        assert api.requests[0].body["max_output_tokens"] == 16

    @pytest.mark.parametrize(
        ("choice", "expected"),
        [
            ("auto", None),
            ("none", "none"),
            ("required", "required"),
            ("look_up", {"type": "function", "name": "look_up"}),
            ("not_offered_now", None),
        ],
    )
    async def test_the_tool_choice_is_sent(self, api: ServedOpenAI, choice: str, expected: object) -> None:
        api.answer(Text("Hi"))
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            await ask(model, request(tools=(TOOL,), tool_choice=choice))
            await ask(model, request(tool_choice=choice))
        assert [http_request.body.get("tool_choice") for http_request in api.requests] == [expected, None]

    async def test_the_environment_changes_nothing(self, api: ServedOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in ENVIRONMENT.items():
            monkeypatch.setenv(name, value)
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            await ask(model, request())
        http_request = api.requests[0]
        assert http_request.key_is("test-key")
        assert not {name for name in http_request.headers if "other" in http_request.headers[name] or name.startswith("openai-")}

    async def test_a_long_history_does_not_block_the_loop(self) -> None:
        """The SDK would walk through every part of every entry."""
        history: list[Entry] = [UserMessage("Hello " * 20), AssistantText("Hi " * 20)] * 1000

        def refuse(request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(500)

        async with httpx2.AsyncClient(transport=httpx2.MockTransport(refuse)) as http:
            model = OpenAIModel(Connection(base_url="http://127.0.0.1:1/v1", http=http, key=SecretText("test-key"), timeout_s=5))

            async def ask() -> None:
                with pytest.raises(ProviderUnavailable):
                    await collect(model, request(*history))

            assert await min_cpu_s(ask) < 0.1


class TestAnswers:
    async def test_deltas_then_the_whole_answer(self, api: ServedOpenAI) -> None:
        """The provider counts thoughts as output, the engine does not."""
        usage = Usage(input_tokens=9, output_tokens=2, thinking_tokens=5, cached_tokens=4)
        api.answer(Thought("Hm.", pieces=["Hm", "."]), Text("Hello", pieces=["He", "llo"]), usage)
        model_request = request(thinking_budget=512)
        async with openai_model(api) as model:
            *deltas, response = await collect(model, model_request)
        assert deltas == [ReasoningDelta("Hm"), ReasoningDelta("."), TextDelta("He"), TextDelta("llo")]
        assert isinstance(response, ModelResponse)
        assert [(type(entry), getattr(entry, "text", "")) for entry in response.entries] == [(Reasoning, "Hm."), (AssistantText, "Hello")]
        assert (response.finish_reason, response.usage) == (FinishReason.STOP, EngineUsage(9, 2, 5, 4))
        assert (model_request.meter.attempts, model_request.meter.usage, model_request.meter.model_version) == (
            1,
            EngineUsage(9, 2, 5, 4),
            MODEL,
        )

    async def test_parts_of_a_summary_are_paragraphs(self, api: ServedOpenAI) -> None:
        api.answer(Thought("First."), Thought("Then."), Text("Hi"))
        async with openai_model(api) as model:
            response = await ask(model, request(thinking_budget=512))
        assert [entry.text for entry in response.entries if isinstance(entry, Reasoning)] == ["First.\n\nThen."]

    async def test_without_thinking_nothing_of_it_is_shown(self, api: ServedOpenAI) -> None:
        api.answer(Thought("Hm."), Text("Hello", pieces=["Hello"]))
        async with openai_model(api) as model:
            events = await collect(model, request())
        assert events[0] == TextDelta("Hello")
        assert isinstance(events[-1], ModelResponse)
        assert len(events[-1].entries) == 1

    async def test_each_delta_comes_when_it_was_sent(self, api: ServedOpenAI) -> None:
        gate = Gate()
        api.answer(Text("A", pieces=["A"]), gate, Text("B", pieces=["B"]))
        async with openai_model(api) as model:
            events = model.stream(request())
            assert await anext(events) == TextDelta("A")
            gate.release()
            assert await anext(events) == TextDelta("B")
            await events.aclose()

    async def test_parallel_calls_come_whole(self, api: ServedOpenAI) -> None:
        api.answer(Text("Looking."), Call("look_up", {"word": "a\u2028", "n": 1}, id="c1"), Call("look_up", {"word": None}, id="c2"))
        async with openai_model(api) as model:
            response = await ask(model, request(tools=(TOOL,)))
        assert response.finish_reason is FinishReason.TOOL_CALLS
        calls = [(call.id, call.name, call.arguments) for call in response.tool_calls]
        assert calls == [("c1", "look_up", {"word": "a\u2028", "n": 1}), ("c2", "look_up", {"word": None})]

    async def test_a_refusal_is_shown_and_goes_back_as_one(self, api: ServedOpenAI) -> None:
        api.answer(Refusal("I won't.", pieces=["I ", "won't."]))
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            response = await ask(model, request())
            await ask(model, request(UserMessage("Go"), *response.entries, UserMessage("More")))
        assert [entry.text for entry in response.entries if isinstance(entry, AssistantText)] == ["I won't."]
        assert {"type": "refusal", "refusal": "I won't."} in api.requests[-1].body["input"][2]["content"]

    async def test_an_answer_cut_by_its_length(self, api: ServedOpenAI) -> None:
        api.answer(Text("word " * 30, pieces=["word "] * 30))
        async with openai_model(api) as model:
            response = await ask(model, request(max_output_tokens=16))
        assert response.finish_reason is FinishReason.LENGTH
        assert [entry.text for entry in response.entries if isinstance(entry, AssistantText)] == ["word " * 16]

    @pytest.mark.parametrize(
        ("reason", "finish"),
        [("content_filter", FinishReason.CONTENT_FILTER), ("max_messages", FinishReason.OTHER), ("novelty", FinishReason.OTHER)],
    )
    async def test_an_answer_that_ended_early(self, api: ServedOpenAI, reason: str, finish: FinishReason) -> None:
        api.answer(Text("Hal"), Finish(reason))
        async with openai_model(api) as model:
            response = await ask(model, request())
        assert response.finish_reason is finish

    async def test_missing_usage_is_estimated(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"), Usage(reported=False))
        async with openai_model(api) as model:
            assert (await ask(model, request())).usage == EngineUsage(25, 1)


async def test_what_the_model_does_not_take_is_told_in_the_providers_words(api: ServedOpenAI) -> None:
    async with openai_model(api) as model:
        with pytest.raises(RequestRefused, match=r"'reasoning\.effort' is not supported with this model"):
            await collect(model, request(model=PLAIN_MODEL, thinking_budget=512))


async def test_a_failed_answer_says_so_in_its_end_mark(api: ServedOpenAI) -> None:
    api.answer(Text("Hal"), Fault.failed(500))
    async with openai_model(api) as model:
        with pytest.raises(ProviderUnavailable, match="The provider reports a problem: The server had an error"):
            await collect(model, request())
