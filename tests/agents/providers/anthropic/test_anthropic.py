"""The Anthropic adapter over a real connection: what it sends and what it gives back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.errors import KeyMissing, KeyRejected
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelResponse,
    Reasoning,
    ReasoningDelta,
    SystemPrompt,
    TextDelta,
    Usage as EngineUsage,
    UserMessage,
)
from agents.providers.anthropic.adapter import AnthropicModel
from agents.providers.registry import language_model
from doubles.script import Call, Fault, Text, Thought, Usage
from doubles.signals import Gate
from tests.agents.providers.harness import TOOL, collect
from tests.support.agents.anthropic import (
    ALWAYS_THINKS,
    BUDGETED,
    SWITCHABLE,
    ServedAnthropic,
    anthropic_connection,
    anthropic_model,
    ask,
    claude,
    request,
)
from tests.support.suite.cpu_time import TRIES, min_cpu_s

__all__ = ["claude"]

BOTH = "claude-sonnet-4-6"
SONNET = "claude-sonnet-5-5"
MARK = {"cache_control": {"type": "ephemeral"}}
BOUND = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
ADAPTIVE = {"type": "adaptive", "display": "summarized"}


class TestRequests:
    async def test_every_setting_is_in_the_request(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hi"))
        await ask(claude, request(UserMessage("Hello"), model=BUDGETED, tools=(TOOL,), max_output_tokens=2000, stop_sequences=("END",)))
        http_request = claude.requests[0]
        assert http_request.path == "/v1/messages"
        assert http_request.key_is("test-key")
        assert (http_request.headers["anthropic-version"], http_request.headers["accept-encoding"]) == ("2026-10-21", "identity")
        assert "anthropic-beta" not in http_request.headers
        assert http_request.body == {
            "model": BUDGETED,
            "max_tokens": 2000,
            "stream": True,
            "system": [{"type": "text", "text": "Be kind.", **MARK}, {"type": "text", "text": "Today is Monday."}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
            "tools": [{"name": TOOL.name, "description": TOOL.description, "input_schema": TOOL.input_schema, **MARK}],
            "stop_sequences": ["END"],
        }

    async def test_only_the_last_tool_is_marked_for_the_cache(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hi"))
        other = type(TOOL)("other", "Other.", {"type": "object"})
        await ask(claude, request(tools=(TOOL, other)))
        assert ["cache_control" in tool for tool in claude.body["tools"]] == [False, True]

    @pytest.mark.parametrize(
        ("stable", "changing", "expected"),
        [("", "", None), (" ", "b", [{"type": "text", "text": "b"}]), ("a", "\n", [{"type": "text", "text": "a", **MARK}])],
    )
    async def test_blank_parts_of_the_system_prompt_are_not_sent(
        self, claude: ServedAnthropic, stable: str, changing: str, expected: list[dict[str, Any]] | None
    ) -> None:
        claude.answer(Text("Hi"))
        await ask(claude, replace(request(), system=SystemPrompt(stable, changing)))
        assert claude.body.get("system") == expected

    async def test_the_limit_that_the_api_wants_is_there_when_nobody_set_one(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hi"))
        await ask(claude, request())
        assert claude.body["max_tokens"] == 32_000

    @pytest.mark.parametrize("model", [SWITCHABLE, BUDGETED])
    async def test_what_this_api_does_not_have_is_left_out(self, claude: ServedAnthropic, model: str) -> None:
        """An agent's settings are for every provider; the double refuses these."""
        claude.answer(Text("Hi"))
        settings: dict[str, Any] = {"temperature": 0.5, "top_p": 0.9, "top_k": 4, "seed": 7, "presence_penalty": 1, "frequency_penalty": 1}
        await ask(claude, request(model=model, **settings))
        assert not settings.keys() & claude.body.keys()

    @pytest.mark.parametrize(
        ("model", "model_settings", "thinking", "effort"),
        [
            (BUDGETED, {}, None, None),
            (BUDGETED, {"thinking_budget": 0}, None, None),
            (BUDGETED, {"thinking_budget": 4000}, {"type": "enabled", "budget_tokens": 4000}, None),
            (BUDGETED, {"thinking_budget": 5}, {"type": "enabled", "budget_tokens": 1024}, None),  # the API's least
            (BUDGETED, {"thinking_budget": -1}, {"type": "enabled", "budget_tokens": 8192}, None),
            (BUDGETED, {"thinking_budget": 9000, "max_output_tokens": 4096}, {"type": "enabled", "budget_tokens": 3072}, None),
            (BUDGETED, {"thinking_budget": 9000, "max_output_tokens": 1500}, None, None),  # no room for both
            (BUDGETED, {"thinking_level": "low"}, {"type": "enabled", "budget_tokens": 2048}, None),
            (BOTH, {}, None, None),
            (BOTH, {"thinking_budget": 4000}, ADAPTIVE, None),
            (BOTH, {"thinking_level": "minimal"}, ADAPTIVE, "low"),
            (SWITCHABLE, {}, {"type": "disabled"}, None),
            (SWITCHABLE, {"thinking_level": "high"}, ADAPTIVE | BOUND, "high"),
            (SONNET, {}, {"type": "between_tools"}, None),
            (SONNET, {"thinking_budget": 8192}, ADAPTIVE | BOUND, None),
            (ALWAYS_THINKS, {}, {"type": "adaptive", "display": "omitted", **BOUND}, "low"),
            (ALWAYS_THINKS, {"thinking_level": "medium"}, ADAPTIVE | BOUND, "medium"),
        ],
    )
    async def test_thinking_settings_are_sent_as_the_model_takes_them(
        self, claude: ServedAnthropic, model: str, model_settings: dict[str, Any], thinking: dict[str, Any] | None, effort: str | None
    ) -> None:
        claude.answer(Text("Hi"))
        await ask(claude, request(model=model, **model_settings))
        assert claude.body.get("thinking") == thinking
        assert claude.body.get("output_config", {}).get("effort") == effort
        assert ("anthropic-beta" in claude.requests[0].headers) == bool(thinking and "block_binding" in thinking)

    @pytest.mark.parametrize(
        ("model", "choice", "model_settings", "expected"),
        [
            (SWITCHABLE, "auto", {}, None),
            (SWITCHABLE, "none", {}, {"type": "none"}),
            (SWITCHABLE, "required", {}, {"type": "any"}),
            (SWITCHABLE, "look_up", {}, {"type": "tool", "name": "look_up"}),
            (SWITCHABLE, "not_offered_now", {}, None),
            # the API refuses to force a model that thinks
            (SWITCHABLE, "required", {"thinking_budget": 2000}, None),
            (BUDGETED, "look_up", {"thinking_budget": 2000}, None),
            (ALWAYS_THINKS, "required", {}, None),
            (ALWAYS_THINKS, "none", {}, {"type": "none"}),
        ],
    )
    async def test_the_tool_choice_is_sent(
        self, claude: ServedAnthropic, model: str, choice: str, model_settings: dict[str, Any], expected: dict[str, Any] | None
    ) -> None:
        claude.answer(Text("Hi"))
        await ask(claude, request(model=model, tools=(TOOL,), tool_choice=choice, **model_settings))
        assert claude.body.get("tool_choice") == expected

    @pytest.mark.parametrize("choice", ["none", "required", "look_up"])
    async def test_without_tools_there_is_no_choice(self, claude: ServedAnthropic, choice: str) -> None:
        claude.answer(Text("Hi"))
        await ask(claude, request(tool_choice=choice))
        assert "tool_choice" not in claude.body

    async def test_the_environment_changes_nothing(self, claude: ServedAnthropic, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in {
            "ANTHROPIC_API_KEY": "other",
            "ANTHROPIC_AUTH_TOKEN": "other",
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
            "ANTHROPIC_CUSTOM_HEADERS": "x-stray: 1\nauthorization: Bearer other\nanthropic-version: 2020-01-01",
            "HTTP_PROXY": "http://127.0.0.1:1",
        }.items():
            monkeypatch.setenv(name, value)
        claude.answer(Text("Hi"))
        await ask(claude, request())
        assert claude.requests[0].key_is("test-key")
        assert not {"x-stray", "traceparent"} & claude.requests[0].headers.keys()

    async def test_without_a_key_none_is_looked_for(self, claude: ServedAnthropic, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
        async with anthropic_model(claude, key=None) as model:
            with pytest.raises(KeyRejected):
                await collect(model, request())

    async def test_an_endpoints_version_is_sent(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hi"))
        async with anthropic_connection(claude.base_url) as connection:
            await collect(AnthropicModel(replace(connection, api_version="2023-06-01")), request())
        assert claude.requests[0].headers["anthropic-version"] == "2023-06-01"

    async def test_a_long_history_does_not_block_the_loop(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hi"), times=TRIES + 1)
        history: list[Entry] = [UserMessage("Hello " * 20), AssistantText("Hi " * 20)] * 1000
        async with anthropic_model(claude) as model:
            await collect(model, request())
            assert await min_cpu_s(lambda: collect(model, request(*history, UserMessage("x")))) < 0.15


class TestAnswers:
    async def test_deltas_then_the_whole_answer(self, claude: ServedAnthropic) -> None:
        usage = Usage(input_tokens=9, output_tokens=2, thinking_tokens=5, cached_tokens=4)
        claude.answer(Thought("Hm.", pieces=["Hm", "."]), Text("Hello", pieces=["He", "llo"]), usage)
        model_request = request(thinking_budget=2000)
        async with anthropic_model(claude) as model:
            *deltas, response = await collect(model, model_request)
        assert deltas == [ReasoningDelta("Hm"), ReasoningDelta("."), TextDelta("He"), TextDelta("llo")]
        assert isinstance(response, ModelResponse)
        reasoning, text = response.entries
        assert isinstance(reasoning, Reasoning)
        assert (reasoning.text, (reasoning.provider_metadata or {})["model"], text) == ("Hm.", SWITCHABLE, AssistantText("Hello"))
        assert (response.finish_reason, response.usage, response.model_version) == (FinishReason.STOP, EngineUsage(9, 2, 5, 4), SWITCHABLE)
        assert (model_request.meter.attempts, model_request.meter.usage) == (1, EngineUsage(9, 2, 5, 4))

    async def test_each_delta_comes_when_it_was_sent(self, claude: ServedAnthropic) -> None:
        gate = Gate()
        claude.answer(Text("A", pieces=["A"]), gate, Text("B", pieces=["B"]))
        async with anthropic_model(claude) as model:
            events = model.stream(request())
            assert await anext(events) == TextDelta("A")
            gate.release()
            assert await anext(events) == TextDelta("B")
            await events.aclose()

    async def test_parallel_calls_come_whole(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Looking."), Call("look_up", {"word": "a", "n": 1}, id="c1"), Call("look_up", {"word": None}, id="c2"))
        response = await ask(claude, request(tools=(TOOL,)))
        assert response.finish_reason is FinishReason.TOOL_CALLS
        calls = [(call.id, call.name, call.arguments) for call in response.tool_calls]
        assert calls == [("c1", "look_up", {"word": "a", "n": 1}), ("c2", "look_up", {"word": None})]

    async def test_pings_and_comments_are_no_data(self, claude: ServedAnthropic) -> None:
        claude.answer(Fault.sse_comment(), Text("A", pieces=["A"]), Fault.sse_comment(), Text("B", pieces=["B"]))
        assert (await ask(claude, request())).entries == (AssistantText("AB"),)

    async def test_separators_inside_a_text_do_not_cut_it(self, claude: ServedAnthropic) -> None:
        odd = "a\u2028b\u2029c\u0085d\r\n\u0000e \N{GRINNING FACE}"
        claude.answer(Text(odd, pieces=[odd]))
        assert (await ask(claude, request())).entries == (AssistantText(odd),)

    async def test_an_answer_cut_by_its_length(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("One two three", pieces=["One ", "two ", "three"]))
        response = await ask(claude, request(max_output_tokens=2))
        assert (response.finish_reason, response.entries) == (FinishReason.LENGTH, (AssistantText("One two "),))


async def test_the_registry_knows_it_and_wants_a_key(claude: ServedAnthropic) -> None:
    claude.answer(Text("Hi"))
    async with anthropic_connection(claude.base_url) as connection:
        events = await collect(language_model("anthropic", connection), request())
        with pytest.raises(KeyMissing, match="Anthropic Claude"):
            language_model("anthropic", replace(connection, key=None))
    assert isinstance(events[-1], ModelResponse)
