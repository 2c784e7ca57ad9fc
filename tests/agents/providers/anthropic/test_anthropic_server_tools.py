"""Tools that Anthropic runs itself: shown when they are done, paused answers continued, all of it sent back as it came."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.engine.agent import RunBudget
from agents.errors import ProviderUnavailable, RequestRefused
from agents.messages import (
    AssistantText,
    BuiltinTool,
    FinishReason,
    ModelResponse,
    ModelSettings,
    ProviderToolCall,
    Reasoning,
    ReasoningDelta,
    Source,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage as EngineUsage,
    UserMessage,
)
from agents.providers.anthropic.adapter import MAX_PARTS
from agents.providers.anthropic.assembler import MessageAssembler
from agents.providers.anthropic.messages import build_messages
from agents.providers.registry import language_model
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecord, CallRecorder
from doubles.script import Call, CitedText, Fault, Finish, ProviderTool, Text, Thought, Usage
from tests.agents.engine.scripted import AGENT, QUESTION
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
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal
from tests.support.agents.model_calls import OpenedModel, routed

__all__ = ["claude"]

ORIGIN = CallOrigin(kind=CallKind.STEP, agent_key="chat", provider="anthropic", endpoint="Claude")
TEA, COFFEE = ("https://tea.example/", "Tea"), ("https://coffee.example/", "Coffee")
SEARCH = ProviderTool("web_search", {"query": "tea"}, pages=[TEA, COFFEE])
FETCH = ProviderTool("url_context", {"url": TEA[0]}, pages=[TEA])
RUN_CODE = ProviderTool("code_execution", {"command": "echo 1"}, output="1\n")
SERVED: dict[str, Any] = {"builtin_tools": tuple(BuiltinTool), "thinking_budget": 2000}
PAUSE = Finish("pause_turn")


def whole(text: str, *pages: tuple[str, str]) -> Text:
    return CitedText(text, pieces=[text], pages=pages) if pages else Text(text, pieces=[text])


async def test_a_server_tool_is_shown_when_it_is_done_and_sources_after_the_text(claude: ServedAnthropic) -> None:
    claude.answer(
        Thought("Hm.", pieces=["Hm."]), SEARCH, whole("Tea, "), whole("and tea.", TEA, TEA), FETCH, RUN_CODE, whole("So.", TEA, COFFEE)
    )
    async with anthropic_model(claude) as model:
        *events, response = await collect(model, request(model=SWITCHABLE, **SERVED))
    search, fetch, execution = (event for event in events if isinstance(event, ProviderToolCall))
    assert events == [
        ReasoningDelta("Hm."),
        search,
        TextDelta("Tea, "),
        TextDelta("and tea."),
        Source(*TEA),
        fetch,
        execution,
        TextDelta("So."),
        Source(*COFFEE),
    ]
    assert (search.name, search.arguments, search.output) == ("web_search", {"query": "tea"}, [TEA[0], COFFEE[0]])
    assert (fetch.name, fetch.arguments, fetch.output) == ("url_context", {"url": TEA[0]}, [TEA[0]])
    assert (execution.name, execution.arguments, execution.output, execution.is_error) == (
        "code_execution",
        {"command": "echo 1"},
        "1\n",
        False,
    )
    assert isinstance(response, ModelResponse)
    assert [type(entry) for entry in response.entries] == [
        Reasoning,
        ProviderToolCall,
        AssistantText,
        Source,
        ProviderToolCall,
        ProviderToolCall,
        AssistantText,
        Source,
    ]
    tools = claude.body["tools"]
    assert [tool["type"] for tool in tools] == ["web_search_20250305", "web_fetch_20250910", "code_execution_20250825"]


async def test_a_page_that_was_fetched_is_a_source(claude: ServedAnthropic) -> None:
    claude.answer(FETCH, whole("So."))
    response = await ask(claude, request(model=SWITCHABLE, **SERVED))
    assert response.entries[-1] == Source(*TEA)


async def test_a_failed_server_tool_is_shown_as_failed(claude: ServedAnthropic) -> None:
    claude.answer(ProviderTool("web_search", {"query": "x"}, failed=True), Text("Sorry."))
    response = await ask(claude, request(model=SWITCHABLE, **SERVED))
    [tool_call] = (entry for entry in response.entries if isinstance(entry, ProviderToolCall))
    assert (tool_call.output, tool_call.is_error) == ("unavailable", True)


@pytest.mark.parametrize("model", [ALWAYS_THINKS, SWITCHABLE, BUDGETED])
async def test_server_tool_blocks_go_back_as_they_came(claude: ServedAnthropic, model: str) -> None:
    claude.answer(Thought("Hm."), SEARCH, whole("Tea.", TEA), Thought("So."), RUN_CODE, FETCH, Call("look_up", {"word": "a"}, id="c1"))
    claude.answer(Text("Yes."))
    settings: dict[str, Any] = {"model": model, "tools": (TOOL,), **SERVED}
    first = await ask(claude, request(UserMessage("Go"), **settings))
    await ask(claude, request(UserMessage("Go"), *first.entries, ToolResult("c1", "look_up", "ok"), **settings))
    content = claude.body["messages"][1]["content"]
    blocks = [block for entry in first.entries for block in (getattr(entry, "provider_metadata", None) or {}).get("blocks", [])]
    assert content[:-1] == blocks
    assert [block["type"] for block in content if block["type"].startswith("server") or block["type"].endswith("result")] == [
        "server_tool_use",
        "web_search_tool_result",
        "server_tool_use",
        "bash_code_execution_tool_result",
        "server_tool_use",
        "web_fetch_tool_result",
    ]


class TestPausedAnswers:
    async def test_a_paused_answer_is_continued_in_the_same_answer(self, claude: ServedAnthropic) -> None:
        claude.answer(Thought("Hm."), RUN_CODE, whole("First."), SEARCH, PAUSE, Usage(input_tokens=10, output_tokens=2, thinking_tokens=1))
        claude.answer(SEARCH, PAUSE, Usage(input_tokens=20, output_tokens=3, thinking_tokens=0))
        claude.answer(whole("Last.", TEA), Call("look_up", {}, id="c1"), Usage(input_tokens=30, output_tokens=4, thinking_tokens=0))
        model_request = request(model=SWITCHABLE, tools=(TOOL,), **SERVED)
        async with anthropic_model(claude) as model:
            *events, response = await collect(model, model_request)
        assert isinstance(response, ModelResponse)
        assert [event.text for event in events if isinstance(event, TextDelta)] == ["First.", "Last."]
        assert [entry.name for entry in response.entries if isinstance(entry, ProviderToolCall | ToolCall)] == [
            "code_execution",
            "web_search",
            "web_search",
            "look_up",
        ]
        assert (response.finish_reason, response.usage) == (FinishReason.TOOL_CALLS, EngineUsage(60, 9, 1, searches=2))
        assert (model_request.meter.usage, model_request.meter.attempts) == (response.usage, 1)
        assert response.prompt_tokens == 10, "what was sent, not what the tools gave the model"
        first, second, third = (one.body for one in claude.requests)
        assert ("container" in first, second["container"], third["container"]) == (False, "container_1", "container_1")
        assert second["messages"][:-1] == third["messages"][:-1] == first["messages"]
        assert third["messages"][-1]["content"][: len(second["messages"][-1]["content"])] == second["messages"][-1]["content"]

    async def test_each_part_is_priced_by_its_own_length(self, claude: ServedAnthropic) -> None:
        """A long prompt costs five times as much; three short ones don't, neither in the call log nor in the run's budget."""
        short = Usage(input_tokens=40_000, output_tokens=0)
        claude.answer(SEARCH, PAUSE, short, times=2)
        claude.answer(whole("Tea."), short)

        def price(model: str, usage: EngineUsage) -> float:
            return usage.input_tokens * (5 if usage.input_tokens > 100_000 else 1)

        calls, budget = list[CallRecord](), RunBudget(price=price)
        agent = replace(AGENT, model=SWITCHABLE, settings=ModelSettings(**SERVED))
        async with anthropic_model(claude) as model:
            recorded_model = routed(model, record=CallRecorder(origin=ORIGIN, record=calls.append, price=price))
            await run_agent(agent, model=recorded_model, tools=[], journal=MemoryJournal([QUESTION]), budget=budget)
        assert [call.usage.input_tokens for call in calls] == [120_000]
        assert (calls[0].cost_usd, budget.cost_usd) == (120_000, 120_000)

    async def test_a_paused_answer_is_continued_a_few_times_only(self, claude: ServedAnthropic) -> None:
        claude.answer(SEARCH, PAUSE, times=MAX_PARTS)
        response = await ask(claude, request(model=SWITCHABLE, **SERVED))
        assert (response.finish_reason, len(claude.requests)) == (FinishReason.OTHER, MAX_PARTS)

    async def test_a_fault_of_the_second_part(self, claude: ServedAnthropic) -> None:
        claude.answer(SEARCH, PAUSE, Usage(input_tokens=10, output_tokens=2))
        claude.answer(Fault.status(500))
        model_request = request(model=SWITCHABLE, **SERVED)
        async with anthropic_model(claude) as model:
            with pytest.raises(ProviderUnavailable):
                await collect(model, model_request)
        assert model_request.meter.usage.input_tokens == 10


USE: dict[str, Any] = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tea"}}
RESULT: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def provider_metadata(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"provider": "anthropic", "model": "m", "blocks": list(blocks)}


class TestToolsThatWaitForOurs:
    """When the model asks for a tool of ours at the same time, the API runs its own after ours: its result comes with the next answer."""

    ASKED = (
        UserMessage("Go"),
        ProviderToolCall("srvtoolu_1", "web_search", {}, provider_metadata=provider_metadata(USE)),
        ToolCall("c1", "t", {}),
    )

    def test_the_use_goes_back_and_the_result_joins_it(self) -> None:
        result_call = ProviderToolCall("srvtoolu_1-result", "web_search", {}, provider_metadata=provider_metadata(RESULT))
        waits = build_messages([*self.ASKED, ToolResult("c1", "t", "ok")], "anthropic", "m")
        assert waits[1]["content"][0] == USE
        later = build_messages(
            [*self.ASKED, ToolResult("c1", "t", "ok"), result_call, AssistantText("A"), UserMessage("B")], "anthropic", "m"
        )
        assert (later[1]["content"][0], later[3]["content"][0]) == (USE, RESULT)

    async def test_code_that_waits_continues_in_its_container(self, claude: ServedAnthropic) -> None:
        settings: dict[str, Any] = {"model": SWITCHABLE, "tools": (TOOL,), **SERVED}
        claude.answer(Thought("Hm."), replace(RUN_CODE, waits=True), Call("look_up", {"word": "a"}, id="c1"))
        claude.answer(Text("Done."), times=2)
        first = await ask(claude, request(UserMessage("Go"), **settings))
        results = (*first.entries, ToolResult("c1", "look_up", "ok"))
        second = await ask(claude, request(UserMessage("Go"), *results, **settings))
        assert claude.body["container"] == "container_1"
        await ask(claude, request(UserMessage("Go"), *results, *second.entries, UserMessage("And now?"), **settings))
        assert "container" not in claude.body, "what waits no longer needs none: it may have expired"

    def test_a_server_tool_that_never_ran_is_left_out(self) -> None:
        messages = build_messages([*self.ASKED, ToolResult("c1", "t", "ok"), AssistantText("A"), UserMessage("B")], "anthropic", "m")
        assert USE not in [block for message in messages for block in message["content"]]

    @pytest.mark.parametrize(("block", "call_id"), [(USE, "srvtoolu_1"), (RESULT, "srvtoolu_1-result")])
    def test_each_half_is_an_entry_of_its_own(self, block: dict[str, Any], call_id: str) -> None:
        assembler = MessageAssembler("anthropic", "m")
        assembler.add({"type": "content_block_start", "index": 0, "content_block": block})
        assembler.add({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
        assembler.add({"type": "message_stop"})
        [entry] = assembler.response().entries
        assert isinstance(entry, ProviderToolCall)
        assert (entry.id, entry.name, entry.output, entry.provider_metadata) == (call_id, "web_search", None, provider_metadata(block))


class TestRefusedThinking:
    async def test_thinking_that_cannot_be_verified_is_left_out_at_the_second_try(self, claude: ServedAnthropic) -> None:
        claude.answer(Thought("Hm."), Text("A"), Call("look_up", {}, id="c1"))
        claude.answer(Text("Yes."))
        settings: dict[str, Any] = {"model": BUDGETED, "tools": (TOOL,), "thinking_budget": 2000}
        first = await ask(claude, request(UserMessage("Go"), **settings))
        thought, *rest = first.entries
        forged_reasoning = Reasoning(
            "Hm.", {"provider": "anthropic", "model": BUDGETED, "blocks": [{"type": "thinking", "thinking": "x", "signature": "eA=="}]}
        )
        assert isinstance(thought, Reasoning)
        async with anthropic_connection(claude.base_url) as connection:
            events = await collect(
                OpenedModel(language_model("anthropic", connection)),
                request(UserMessage("Go"), forged_reasoning, *rest, ToolResult("c1", "look_up", "ok"), **settings),
            )
        assert isinstance(events[-1], ModelResponse)
        assert [bool(one.refusal) for one in claude.requests] == [False, True, False]
        assert "thinking" not in [block["type"] for message in claude.body["messages"] for block in message["content"]]


class TestProviderOptions:
    async def test_provider_options_are_merged_into_the_request(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hi"))
        options = {"output_config": {"effort": "max"}, "thinking": {"display": "omitted"}, "metadata": {"user_id": "u1"}}
        await ask(claude, request(model=ALWAYS_THINKS, thinking_level="low", provider_options=options))
        assert claude.body["thinking"]["display"] == "omitted"
        assert claude.body["thinking"]["type"] == "adaptive"
        assert (claude.body["output_config"], claude.body["metadata"]) == ({"effort": "max"}, {"user_id": "u1"})

    async def test_how_to_think_does_not_make_it_think(self, claude: ServedAnthropic) -> None:
        claude.answer(Text("Hi"))
        await ask(claude, request(model="claude-opus-4-6", provider_options={"thinking": {"display": "omitted"}}))
        assert "thinking" not in claude.body

    @pytest.mark.parametrize(("options", "words"), [({"messages": []}, "may not set messages"), ({"efort": 1}, "efort: Extra inputs")])
    async def test_options_that_the_api_does_not_take_are_refused(
        self, claude: ServedAnthropic, options: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(RequestRefused, match=words):
            await ask(claude, request(model=SWITCHABLE, provider_options=options))


async def test_tokens_that_the_cache_took_are_part_of_the_input(claude: ServedAnthropic) -> None:
    claude.answer(Text("Hi"), Usage(input_tokens=100, output_tokens=1, thinking_tokens=0, cached_tokens=30, cache_write_tokens=20))
    response = await ask(claude, request(model=SWITCHABLE))
    assert response.usage == EngineUsage(100, 1, 0, 30, 20)
