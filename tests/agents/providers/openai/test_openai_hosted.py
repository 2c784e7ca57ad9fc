"""Tools that OpenAI runs itself: shown while the answer comes, their sources after the text, sent back with the reasoning that led to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.errors import RequestRefused
from agents.messages import (
    AssistantText,
    BuiltinTool,
    ModelResponse,
    ProviderToolCall,
    Reasoning,
    ReasoningDelta,
    Source,
    TextDelta,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.providers.registry import language_model
from doubles.openai import ServerQuirks
from doubles.script import Call, CitedText, ProviderTool, Text, Thought
from tests.agents.providers.openai.openai_harness import (
    LOCAL_MODEL,
    MODEL,
    PLAIN_MODEL,
    TOOL,
    ask,
    collect,
    compatible_model,
    connection,
    openai_model,
    request,
)
from tests.support.agents.model_calls import OpenedModel
from tests.support.agents.openai import ServedOpenAI, openai_double

TEA, COFFEE = ("https://tea.example/", "Tea"), ("https://coffee.example/", "Coffee")
SEARCH = ProviderTool("web_search", {"query": "tea"}, pages=[TEA, COFFEE])
RUN_CODE = ProviderTool("code_execution", {"code": "print(1)"}, output="1\n")
SEARCHES: dict[str, Any] = {"builtin_tools": (BuiltinTool.WEB_SEARCH, BuiltinTool.CODE_EXECUTION), "thinking_budget": 512}


@pytest.fixture
def api() -> Iterator[ServedOpenAI]:
    with openai_double(keys=("test-key", "other-key")) as double:
        yield double


def whole(text: str, *pages: tuple[str, str]) -> CitedText:
    return CitedText(text, pieces=[text], pages=pages)


async def test_a_search_is_shown_when_it_is_done_and_its_sources_after_the_text(api: ServedOpenAI) -> None:
    api.answer(
        Thought("Hm.", pieces=["Hm."]),
        SEARCH,
        whole("Tea, ", TEA, TEA),
        whole("coffee.", TEA, ("javascript:x", "")),
        SEARCH,
        whole("So.", COFFEE),
    )
    async with openai_model(api) as model:
        events = await collect(model, request(**SEARCHES))
    calls = [event for event in events if isinstance(event, ProviderToolCall)]
    assert [(call.name, call.arguments, call.output) for call in calls] == [("web_search", {"query": "tea"}, [TEA[0], COFFEE[0]])] * 2
    first, second = calls
    expected = [
        ReasoningDelta("Hm."),
        first,
        TextDelta("Tea, "),
        TextDelta("coffee."),
        Source(*TEA),
        second,
        TextDelta("So."),
        Source(*COFFEE),
    ]
    assert events[:-1] == expected
    entries: Any = getattr(events[-1], "entries", ())
    assert isinstance(events[-1], ModelResponse)
    assert events[-1].usage.searches == 2
    assert [type(entry) for entry in entries] == [
        Reasoning,
        ProviderToolCall,
        AssistantText,
        Source,
        ProviderToolCall,
        AssistantText,
        Source,
    ]
    assert api.requests[0].body["tools"] == [{"type": "web_search"}, {"type": "code_interpreter", "container": {"type": "auto"}}]


async def test_code_that_ran_and_a_tool_that_failed(api: ServedOpenAI) -> None:
    api.answer(RUN_CODE, ProviderTool("web_search", {"query": "x"}, failed=True), Text("1"))
    async with openai_model(api) as model:
        response = await ask(model, request(**SEARCHES))
    code_call, search_call = (entry for entry in response.entries if isinstance(entry, ProviderToolCall))
    assert (code_call.name, code_call.arguments, code_call.output, code_call.is_error) == (
        "code_execution",
        {"code": "print(1)"},
        "1\n",
        False,
    )
    assert (search_call.output, search_call.is_error) == (None, True)


@pytest.mark.parametrize("model_name", [MODEL, PLAIN_MODEL])
async def test_what_was_looked_up_goes_back_verbatim(api: ServedOpenAI, model_name: str) -> None:
    """The strict double refuses reasoning without what it led to, and a lookup without its reasoning."""
    settings = SEARCHES | ({"thinking_budget": None} if model_name == PLAIN_MODEL else {})
    api.answer(Thought("Hm."), SEARCH, Thought("So."), Call("look_up", {"word": "a"}, id="c1"))
    api.answer(RUN_CODE, Text("Yes."))
    api.answer(Text("Well."))
    async with openai_model(api) as model:
        first = await ask(model, request(UserMessage("Go"), model=model_name, tools=(TOOL,), **settings))
        turn = (UserMessage("Go"), *first.entries, ToolResult("c1", "look_up", "ok"))
        second = await ask(model, request(*turn, model=model_name, tools=(TOOL,), **settings))
        await ask(model, request(*turn, *second.entries, UserMessage("More"), model=model_name, tools=(TOOL,), **settings))
    kinds = [item["type"] for item in api.requests[2].body["input"] if item["type"] not in ("message", "function_call_output")]
    reasoning = ["reasoning"] if model_name == MODEL else []
    assert kinds == [*reasoning, "web_search_call", *reasoning, "function_call", *reasoning, "code_interpreter_call"]
    items = [item for entry in first.entries for item in (getattr(entry, "provider_metadata", None) or {}).get("items", ())]
    assert all(item in api.requests[2].body["input"] for item in items)
    assert "after" not in str(api.requests[2].body)


async def test_a_lookup_without_its_reasoning_is_left_out(api: ServedOpenAI) -> None:
    """As when reasoning is pruned, or a user stopped the answer: what was shown of it is kept without the reasoning's own data."""
    api.answer(Thought("Hm."), SEARCH, Text("Yes."), times=2)
    async with openai_model(api) as model:
        first = await ask(model, request(UserMessage("Go"), **SEARCHES))
        entries = [entry for entry in first.entries if not isinstance(entry, Reasoning)]
        await ask(model, request(UserMessage("Go"), *entries, UserMessage("More"), **SEARCHES))
    assert [item["type"] for item in api.requests[1].body["input"]] == ["message"] * 3


async def test_a_call_after_a_search_keeps_what_follows_for_the_response(api: ServedOpenAI) -> None:
    api.answer(Call("look_up", {}, id="c1"), SEARCH, whole("Hm.", TEA))
    async with openai_model(api) as model:
        *events, response = await collect(model, request(tools=(TOOL,), **SEARCHES))
    assert events == []
    entries: Any = getattr(response, "entries", ())
    assert [type(entry) for entry in entries] == [ToolCall, ProviderToolCall, AssistantText, Source]


async def test_a_gateways_citations_are_sources() -> None:
    with openai_double(models=None, quirks=ServerQuirks(sends_citations=True)) as api:
        api.answer(whole("Tea.", TEA, TEA))
        async with compatible_model(api) as model:
            events = await collect(model, request(model=LOCAL_MODEL, builtin_tools=SEARCHES["builtin_tools"]))
    assert events[:-1] == [TextDelta("Tea."), Source(*TEA)]
    assert "tools" not in api.requests[0].body, "these servers have none of their own"


class TestReasoningOfAnotherAccount:
    """Encrypted reasoning is bound to the account behind the key; a conversation goes on with another key all the same."""

    async def test_reasoning_of_another_account_is_left_out_at_the_second_try(self, api: ServedOpenAI) -> None:
        api.answer(Thought("Hm."), SEARCH, Call("look_up", {"word": "a"}, id="c1"))
        api.answer(Text("Yes.", pieces=["Yes."]))
        async with openai_model(api) as model:
            first = await ask(model, request(UserMessage("Go"), tools=(TOOL,), **SEARCHES))
        model_request = request(UserMessage("Go"), *first.entries, ToolResult("c1", "look_up", "ok"), tools=(TOOL,), **SEARCHES)
        async with connection(api.base_url, "other-key") as provider_connection:
            events = await collect(OpenedModel(language_model("openai", provider_connection)), model_request)
        assert events[0] == TextDelta("Yes.")
        first_try, second_try = api.requests[1:]
        assert "could not be verified" in (first_try.refusal or "")
        assert second_try.refusal is None
        assert [item["type"] for item in second_try.body["input"]] == ["message", "function_call", "function_call_output"]
        assert model_request.meter.attempts == 2

    async def test_reasoning_of_another_account_is_left_out_wherever_it_came_from(self, api: ServedOpenAI) -> None:
        foreign = Reasoning("Hm.", {"provider": "openai", "model": MODEL, "items": [LOCKED]})
        async with connection(api.base_url) as provider_connection:
            model = OpenedModel(language_model("openai", provider_connection))
            api.answer(Text("Yes."))
            await collect(model, request(UserMessage("Go"), foreign, AssistantText("A"), UserMessage("B")))
        assert [bool(one.refusal) for one in api.requests] == [True, False]


LOCKED = {"id": "rs_r00", "type": "reasoning", "summary": [], "encrypted_content": "gAAAx"}


class TestProviderOptions:
    async def test_provider_options_are_merged_into_the_request(self, api: ServedOpenAI) -> None:
        api.answer(Text("Hi"))
        options = {"reasoning": {"effort": "xhigh"}, "service_tier": "flex", "text": {"verbosity": "low"}}
        async with openai_model(api) as model:
            await ask(model, request(thinking_budget=512, provider_options=options))
        body = api.requests[0].body
        assert (body["reasoning"], body["service_tier"], body["text"]) == (
            {"effort": "xhigh", "summary": "auto"},
            "flex",
            {"verbosity": "low"},
        )

    async def test_the_conversation_is_not_theirs(self, api: ServedOpenAI) -> None:
        async with openai_model(api) as model:
            with pytest.raises(RequestRefused, match="may not set input, store"):
                await ask(model, request(provider_options={"input": [], "store": True}))
        assert api.requests == []

    async def test_a_name_that_the_api_does_not_know(self, api: ServedOpenAI) -> None:
        async with openai_model(api) as model:
            with pytest.raises(RequestRefused, match="Unknown parameter: 'reasonning'"):
                await ask(model, request(provider_options={"reasonning": {}}))

    async def test_a_gateways_routing_options_are_sent(self) -> None:
        with openai_double(models=None, quirks=ServerQuirks(extra_fields=frozenset({"provider"}))) as api:
            api.answer(Text("Hi"))
            async with compatible_model(api) as model:
                await ask(model, request(model=LOCAL_MODEL, provider_options={"provider": {"only": ["a"]}, "max_tokens": 9}))
        assert (api.requests[0].body["provider"], api.requests[0].body["max_tokens"]) == ({"only": ["a"]}, 9)

    @pytest.mark.parametrize(("name", "reasons", "is_sampled"), [(MODEL, False, True), ("o3", None, False), (PLAIN_MODEL, None, True)])
    async def test_whether_a_model_reasons_is_said_or_told_by_its_name(
        self, api: ServedOpenAI, name: str, reasons: bool | None, *, is_sampled: bool
    ) -> None:
        api.answer(Text("Hi"))
        async with openai_model(api) as model:
            await collect(model, request(model=name, temperature=1, reasons=reasons))
        assert ("temperature" in api.requests[0].body, "include" in api.requests[0].body) == (is_sampled, not is_sampled)
