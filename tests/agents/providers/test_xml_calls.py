"""Calls in a model's text: whatever the pieces it comes in, the same calls come out and nothing of them is shown."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from agents.providers.xml_tools.conversion import call_text
from agents.providers.xml_tools.parser import CALL_TRUNCATED, INCOMPLETE_TAG, TAG, SplitText, XmlCallSplitter, XmlToolCall, split_text
from tests.support.suite.time_limits import scaled_to_load

F = XmlToolCall("f", {"a": 1})
F_TEXT = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'

WORDS = st.text(st.sampled_from('ab <>`/_\n"{}é\u2028\N{GRINNING FACE}tolc'), max_size=30).filter(lambda words: "<tool_" not in words)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(["</tool_call>", "<tool_call>", '"', "\\", "```"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(
    XmlToolCall, st.text(st.sampled_from("abc_-.0"), min_size=1, max_size=9), st.dictionaries(st.text(max_size=5), VALUES, max_size=3)
)
SPACE = st.text(st.sampled_from(" \n\t"), max_size=3)


@st.composite
def text_and_call(draw: st.DrawFn) -> tuple[str, XmlToolCall]:
    """A call in one of the forms in which models write it."""
    call = draw(CALLS)
    key = draw(st.sampled_from(["arguments", "parameters", "args", "input"]))
    arguments = call.arguments if draw(st.booleans()) else json.dumps(call.arguments)
    value = {"name": call.name, key: arguments}
    body = json.dumps({"function": value} if draw(st.booleans()) else value, ensure_ascii=draw(st.booleans()))
    form = draw(st.sampled_from(["plain", "fenced", "upper", "attribute"]))
    if form == "attribute":
        body = json.dumps(call.arguments)
    if form == "fenced":
        body = f"```json\n{body}\n```"
    body = draw(SPACE) + body + draw(SPACE)
    if form == "upper":
        return f"<TOOL_CALL>{body}</TOOL_CALL>", call
    head = f'<tool_call name="{call.name}">' if form == "attribute" else "<tool_call>"
    return f"{head}{body}</tool_call>", call


@st.composite
def chunked(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def read(chunks: list[str], *, is_whole: bool = True) -> tuple[str, SplitText]:
    """What was shown as it came, and the whole."""
    splitter = XmlCallSplitter()
    return "".join(splitter.feed(chunk) for chunk in chunks), splitter.end(is_whole=is_whole)


def calls_of(split: SplitText) -> list[tuple[str, Mapping[str, Any]]]:
    return [(piece.name, piece.arguments) for piece in split.pieces if isinstance(piece, XmlToolCall)]


@given(st.data(), WORDS, st.lists(text_and_call(), min_size=1, max_size=3), SPACE, WORDS)
@hypothesis_settings(max_examples=150, deadline=None)
def test_any_pieces_of_any_calls_give_the_same_calls(
    data: st.DataObject, before: str, calls: list[tuple[str, XmlToolCall]], space: str, after: str
) -> None:
    text = before + space.join(text for text, _ in calls) + after
    once = split_text(text)
    streamed_text, split = read(data.draw(chunked(text)))
    assert split == once
    assert calls_of(split) == [(call.name, call.arguments) for _, call in calls]
    assert split.visible.startswith(streamed_text)
    assert before.startswith(split.visible)


@given(st.data(), WORDS, text_and_call(), st.booleans())
@hypothesis_settings(max_examples=150, deadline=None)
def test_no_fragment_of_a_call_is_shown_wherever_the_answer_ends(
    data: st.DataObject, before: str, call: tuple[str, XmlToolCall], is_whole: bool
) -> None:
    text = before + call[0]
    cut = text[: data.draw(st.integers(len(before) + len("<tool_"), len(text)))]
    streamed_text, split = read(data.draw(chunked(cut)), is_whole=is_whole)
    assert before.startswith(split.visible)
    assert before.startswith(streamed_text)
    assert split.contains_calls


@given(st.data(), st.text(max_size=60) | WORDS)
@hypothesis_settings(max_examples=150, deadline=None)
def test_text_without_calls_comes_through_unchanged(data: st.DataObject, text: str) -> None:
    if "<tool_" in text.lower():
        return
    streamed_text, split = read(data.draw(chunked(text)))
    assert (split.visible, split.pieces, split.problem) == (text, (), "")
    assert text.startswith(streamed_text)


@given(CALLS)
def test_a_call_as_we_write_it_is_read_again(call: XmlToolCall) -> None:
    text = call_text(call.name, call.arguments)
    assert calls_of(split_text(text)) == [(call.name, call.arguments)]
    assert text.count("<") == 2


@pytest.mark.parametrize(
    ("text", "split"),
    [
        (f"Looking.\n\n{F_TEXT}", SplitText("Looking.", (F,))),
        (f"```xml\n{F_TEXT}\n```", SplitText("", (F,))),
        (f"So:\n```py\nx\n```\n{F_TEXT}", SplitText("So:\n```py\nx\n```", (F,))),  # the fence of a block of code before it stays
        (f"<tool_calls>\n{F_TEXT}\n{F_TEXT}\n</tool_calls>", SplitText("", (F, F))),
        ('<tool_call>[{"name": "f", "arguments": {"a": 1}}, {"name": "f", "arguments": {"a": 1}}]</tool_call>', SplitText("", (F, F))),
        (f"{F_TEXT} and {F_TEXT} done", SplitText("", (F, "and", F, "done"))),
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}', SplitText("", (F,))),  # no end tag
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}<tool_call>{"name": "f", "arguments": {"a": 1}}', SplitText("", (F, F))),
        ('<tool_call name="f">{"a": 1}</tool_call>', SplitText("", (F,))),
        ('<tool_call name="f"></tool_call>', SplitText("", (XmlToolCall("f", {}),))),
        ('<tool_call>{"name": "f"}</tool_call>', SplitText("", (XmlToolCall("f", {}),))),
        ('<tool_call>{"name": "f", "arguments": {"a": "x\ny"}}</tool_call>', SplitText("", (XmlToolCall("f", {"a": "x\ny"}),))),
        ("a <tool> b <tool_called> c", SplitText("a <tool> b <tool_called> c")),
    ],
)
def test_the_forms_that_models_write_are_read(text: str, split: SplitText) -> None:
    assert split_text(text) == split


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<tool_call>look it up</tool_call>", "it was no JSON object."),
        ('<tool_call>{"name": "f", "arguments": </tool_call>', "it was no JSON object."),
        ("<tool_call>[]</tool_call>", "it was no JSON object."),
        ('<tool_call>{"arguments": {}}</tool_call>', "it named no tool."),
        ('<tool_call>{"name": "f", "arguments": [1]}</tool_call>', "the arguments of f were no JSON object."),
        ('<tool_call name="f">a</tool_call>', "the arguments of f were no JSON object."),
        (f'{F_TEXT}<tool_call>{{"name": ', "it was no JSON object."),  # the good one waits, too
        ("Hi <tool_call", INCOMPLETE_TAG),
        (f"{F_TEXT} <tool_ca", INCOMPLETE_TAG),
    ],
)
def test_unreadable_calls_are_reported(text: str, problem: str) -> None:
    split = split_text(text)
    assert (split.problem, calls_of(split)) == (problem, [])


@pytest.mark.parametrize("text", [F_TEXT[:-1], F_TEXT[:20], f"{F_TEXT}<tool_call", TAG])
def test_a_call_that_was_cut_by_the_answers_length(text: str) -> None:
    assert split_text(text, is_whole=False).problem == CALL_TRUNCATED


def test_long_runs_of_white_space_cost_little() -> None:
    splitter = XmlCallSplitter()
    assert splitter.feed(" " * 200_000 + "x" + "```" * 50_000 + "y")


@pytest.mark.parametrize("text", ['<tool_call>"' + '\\"' * 60_000, " \n" * 60_000, "```" + "a" * 120_000])
def test_endless_repetition_is_read_in_linear_time(text: str) -> None:
    """Read beside all other answers of the process: 120,000 characters took a minute when reading was quadratic."""
    splitter = XmlCallSplitter()
    began = time.process_time()
    for start in range(0, len(text), 40):
        splitter.feed(text[start : start + 40])
    splitter.end()
    assert time.process_time() - began < scaled_to_load(5)
