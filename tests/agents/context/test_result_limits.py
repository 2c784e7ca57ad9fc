"""How much of their results the calls of one step may bring into the context."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.context.policy import ContextPolicy
from agents.context.tokens import output_tokens
from agents.context.view import ContextView, build_context
from agents.messages import TOOL_SOURCE, AssistantText, Entry, File, ToolCall, ToolResult, UserMessage

ONE, STEP = 1500, 3000  # tokens
POLICY = ContextPolicy(window_tokens=6000, max_result_tokens=ONE, max_step_result_tokens=STEP)
USER = UserMessage("u")


def step(*outputs: object) -> list[Entry]:
    calls = [ToolCall(f"c{number}", "t", {}) for number in range(len(outputs))]
    return [*calls, *(ToolResult(call.id, "t", output) for call, output in zip(calls, outputs, strict=True))]


def sent_outputs(*outputs: object, policy: ContextPolicy = POLICY) -> list[object]:
    return [entry.output for entry in build_context([USER, *step(*outputs)], policy) if isinstance(entry, ToolResult)]


def test_a_large_result_is_cut_to_its_share_and_says_so() -> None:
    [text] = sent_outputs("x" * 16_000)
    assert isinstance(text, str)
    assert ONE - 3 <= output_tokens(text) <= ONE
    beginning, _, note = text.partition("\n")
    assert (
        note
        == f"[Cut to fit your context: these are the first {len(beginning):,} of 16,000 characters of this result. The user sees all of it.]"
    )


@pytest.mark.parametrize("text", ["é" * 16_000, "ab é" * 4000])
def test_scripts_that_cost_more_tokens_are_cut_shorter(text: str) -> None:
    [cut] = sent_outputs(text)
    assert ONE - 3 <= output_tokens(cut) <= ONE


def test_a_json_value_is_cut_as_text() -> None:
    [text] = sent_outputs({"rows": ["tea"] * 4000})
    assert str(text).startswith('{"rows": ["tea", ')
    assert "The user sees all of it" in str(text)


def test_results_that_fit_are_sent_as_they_are() -> None:
    outputs = ("x" * 3 * ONE, {"rows": [1]}, "", "y" * 3 * (ONE - 100))
    assert sent_outputs(*outputs) == list(outputs)


def test_the_results_of_one_step_share_half_of_the_window_and_small_ones_are_kept_whole() -> None:
    outputs = sent_outputs("a" * 300, "b" * 20_000, "c" * 20_000, "d" * 30)
    sizes = list(map(output_tokens, outputs))
    assert sizes[0] == 100
    assert sizes[3] == 10
    assert STEP - 10 <= sum(sizes) <= STEP
    assert abs(sizes[1] - sizes[2]) <= 1


def test_a_secret_is_removed_before_the_cut_could_halve_it() -> None:
    def mask(entry: Entry) -> Entry:
        return replace(entry, output=entry.output.replace("hunter2000", "[removed]")) if isinstance(entry, ToolResult) else entry

    for beginning in range(4350, 4420):
        view = ContextView(POLICY, mask=mask)
        view.update([USER, *step("x" * beginning + "hunter2000" + "x" * 16_000)])
        assert "hunt" not in str(view.context_entries())


def test_nothing_is_cut_without_limits() -> None:
    """Requests in the call log from before these limits are rebuilt as they were sent."""
    assert sent_outputs("x" * 200_000, policy=ContextPolicy(window_tokens=6000)) == ["x" * 200_000]


def test_the_cut_is_the_same_however_the_branch_grew() -> None:
    branch = [USER, *step("x" * 20_000, "y" * 20_000, "z" * 20_000), AssistantText("a"), UserMessage("v")]
    view = ContextView(POLICY)
    for end in range(1, len(branch) + 1):
        view.update(branch[:end])
        view.context_entries()
    assert view.context_entries() == build_context(branch, POLICY)


def image(number: int) -> File:
    return File(str(number), f"image-{number}.png", "image/png", 10, source=TOOL_SOURCE)


def test_images_of_a_step_take_no_more_than_one_result_may() -> None:
    images = [image(number) for number in range(4)]
    attachment = File("9", "own.png", "image/png", 10)
    context_entries = build_context([USER, attachment, *step("see"), *images], POLICY)
    assert [entry.id for entry in context_entries if isinstance(entry, File)] == ["9", "0"]


def test_images_leave_the_context_together_with_the_calls_that_brought_them() -> None:
    branch = [USER, *step("see"), image(1), AssistantText("a")]
    assert image(1) in build_context(branch, ContextPolicy())
    assert build_context(branch, ContextPolicy(prune_tool_calls="all")) == (USER, AssistantText("a"))
