"""Habits of servers that speak OpenAI's wires, each as a switch of the double."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from agents.messages import AssistantText, ModelEvent, ModelResponse, Reasoning, ReasoningDelta, TextDelta, Usage as EngineUsage
from agents.providers.openai.chat_adapter import CompatibleTraits
from agents.providers.openai.think_tags import ThinkTagSplitter, writes_think_tags
from doubles.openai import ServerQuirks
from doubles.script import Call, Fault, Item, Text, Thought, Usage
from tests.agents.providers.openai.openai_harness import LOCAL_MODEL, MODEL, TOOL, collect, compatible_model, openai_model, request
from tests.support.agents.openai import openai_double

TAGS = CompatibleTraits(think_tags=True)
USAGE = Usage(input_tokens=9, output_tokens=2)


async def chat(*items: Item, traits: CompatibleTraits = TAGS, **quirks: Any) -> list[ModelEvent]:
    with openai_double(models=None, keys=None, quirks=ServerQuirks(**quirks)) as double:
        double.answer(*items)
        async with compatible_model(double, traits) as model:
            return await collect(model, request(model=LOCAL_MODEL, tools=(TOOL,)))


def entries(events: list[ModelEvent]) -> tuple[Any, ...]:
    assert isinstance(events[-1], ModelResponse)
    return events[-1].entries


def text_of(events: list[ModelEvent], kind: type[TextDelta] | type[ReasoningDelta]) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("parts", [True, False])
async def test_reasoning_in_tags_is_reasoning(streams: bool, parts: bool) -> None:
    answer = Thought("Hm. Well."), Text("Hello you."), Call("look_up", {"word": "a"}, id="c1")
    events = await chat(*answer, reasoning_field="tags", streams=streams, content_parts=parts)
    thought, text, call = entries(events)
    assert (thought.text.strip(), text, call.arguments) == ("Hm. Well.", AssistantText("Hello you."), {"word": "a"})
    assert (text_of(events, ReasoningDelta).strip(), text_of(events, TextDelta)) == ("Hm. Well.", "Hello you.")


async def test_tags_are_text_where_the_switch_is_off() -> None:
    events = await chat(Thought("Hm."), Text("Hi."), reasoning_field="tags", traits=CompatibleTraits(think_tags=False))
    assert entries(events) == (AssistantText("<think>\nHm.\n</think>\n\nHi."),)


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://lm-studio:1234/v1", True),
        ("https://api.groq.com/openai/v1", True),
        ("https://llm.example/v1", False),
    ],
)
def test_the_switch_is_on_for_known_servers(base_url: str, expected: bool) -> None:
    assert writes_think_tags(base_url) is expected


@pytest.mark.parametrize(
    ("text", "reasoning", "visible_text"),
    [
        ("<think>a</think>b", "a", "b"),
        ("\n<think>\na < b </thin </think>\n\n b", "a < b </thin ", "b"),
        ("<think>\n\n</think>\n\nb", "", "b"),
        ("<think>never closed", "never closed", ""),
        ("a <think>b</think>", "", "a <think>b</think>"),
        ("<thinner>", "", "<thinner>"),
        ("<thi", "", "<thi"),
        ("  b", "", "  b"),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ("<think>a</th", "a</th", ""),
    ],
)
@given(data=st.data())
def test_where_a_tag_is_cut_does_not_matter(text: str, reasoning: str, visible_text: str, data: st.DataObject) -> None:
    splitter, pieces = ThinkTagSplitter(), []
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))))
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        pieces += splitter.feed(text[start:end])
    pieces += splitter.close()
    assert "".join(piece.text for piece in pieces if isinstance(piece, ReasoningDelta)) == reasoning
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)) == visible_text


@pytest.mark.parametrize(
    "quirks",
    [{"streams": False}, {"content_parts": True}, {"other_choices": True}, {"sends_bom": True}, {"sends_bom": True, "streams": False}],
)
async def test_the_answer_is_the_same_with_each_habit(quirks: dict[str, Any]) -> None:
    items = Thought("Hm."), Text("Hello."), Call("look_up", {"word": "a"}, id="c1"), USAGE
    usual = (await chat(*items, reasoning_field="reasoning_content"))[-1]
    assert (await chat(*items, reasoning_field="reasoning_content", **quirks))[-1] == usual


async def test_a_whole_answer_of_any_size_is_read() -> None:
    text = "word " * 40_000
    assert entries(await chat(Text(text), streams=False)) == (AssistantText(text),)


@pytest.mark.parametrize("quirks", [{"output_at_end": True}, {"streams": False}])
async def test_responses_output_that_comes_at_the_end_is_read(quirks: dict[str, Any]) -> None:
    with openai_double(quirks=ServerQuirks(**quirks)) as double:
        double.answer(Thought("Hm."), Text("Hello."), Call("look_up", {"word": "a"}, id="c1"), USAGE)
        async with openai_model(double) as model:
            events = await collect(model, request(model=MODEL, tools=(TOOL,), thinking_budget=512))
    assert events[:-1] == [ReasoningDelta("Hm."), TextDelta("Hello.")]
    thought, text, call = entries(events)
    assert isinstance(thought, Reasoning)
    assert thought.provider_metadata
    assert thought.provider_metadata["items"][0]["encrypted_content"]
    assert (text.text, call.id, call.arguments) == ("Hello.", "c1", {"word": "a"})
    assert isinstance(events[-1], ModelResponse)
    assert events[-1].usage == EngineUsage(9, 2, 1)


async def test_a_bom_before_an_error_hides_nothing() -> None:
    with pytest.raises(Exception, match="reports a problem"):
        await chat(Fault.mid_stream_error(500), sends_bom=True)
