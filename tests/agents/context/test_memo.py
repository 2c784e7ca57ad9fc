"""What is kept of a branch changes nothing but the time that a run takes, whichever branches the runs are on."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given as given_that, strategies as st

from agents.context.policy import ContextPolicy
from agents.context.view import ContextView
from agents.errors import ContextTooLong
from agents.messages import AssistantText, Entry, ToolCall, ToolResult, UserMessage
from agents.messages.prefix_cache import BranchPrefixCache, map_entries_cached, question_index
from tests.agents.context.histories import ANY_HISTORY, POLICIES, RUNS, Replay, property_settings

QUESTION, INTERJECTION, ANSWER = UserMessage("u"), UserMessage("sent in", "m1"), AssistantText("a")
# The lengths of branches on which runs begin, one after the other: a branch may be shorter than the one before.
LENGTHS = st.lists(st.integers(0, 60), min_size=1, max_size=5)


def as_message(entry: Entry) -> Entry:
    return UserMessage(str(entry))


def view_of(entries: Sequence[Entry], policy: ContextPolicy, prefix_cache: BranchPrefixCache) -> ContextView:
    return ContextView.resume(entries, policy, prefix_cache)


def fresh_view(entries: Sequence[Entry], policy: ContextPolicy) -> ContextView:
    view = ContextView(policy)
    view.update(entries)
    return view


def compaction_entries(view: ContextView) -> tuple[Entry, ...] | None:
    try:
        return view.compaction_entries(100)
    except ContextTooLong:
        return None


def check_same(view: ContextView, just_approved: ContextView) -> None:
    assert (view.context_entries(), view.tokens, compaction_entries(view)) == (
        just_approved.context_entries(),
        just_approved.tokens,
        compaction_entries(just_approved),
    )


@property_settings
@given_that(ANY_HISTORY, ANY_HISTORY, POLICIES, LENGTHS)
def test_a_remembered_view_equals_a_rebuilt_one(
    history: list[Entry], later: list[Entry], policy: ContextPolicy, lengths: list[int]
) -> None:
    prefix_cache = BranchPrefixCache()
    for length in lengths:
        branch = history[:length]
        view = view_of(branch, policy, prefix_cache)
        check_same(view, fresh_view(branch, policy))
        view.update([*branch, *later])  # its own run goes on; the next one knows nothing of that
        check_same(view, fresh_view([*branch, *later], policy))


@property_settings
@given_that(RUNS, POLICIES)
def test_runs_that_compact_go_on_from_what_is_remembered(runs: list[list[Entry]], policy: ContextPolicy) -> None:
    prefix_cache, replay = BranchPrefixCache(), Replay(policy)
    for chunk in runs:
        try:
            replay.step(chunk)
        except ContextTooLong:
            return
        check_same(view_of(replay.entries, policy, prefix_cache), fresh_view(replay.entries, policy))


@property_settings
@given_that(ANY_HISTORY, LENGTHS)
def test_changed_entries_are_what_the_change_makes(history: list[Entry], lengths: list[int]) -> None:
    prefix_cache = BranchPrefixCache()
    for length in lengths:
        assert map_entries_cached("n", history[:length], as_message, prefix_cache) == tuple(map(as_message, history[:length]))


def test_what_was_changed_before_is_the_same_object() -> None:
    prefix_cache, history = BranchPrefixCache(), (QUESTION, ANSWER, QUESTION)
    first = map_entries_cached("n", history, as_message, prefix_cache)
    second = map_entries_cached("n", (*history, ANSWER, QUESTION), as_message, prefix_cache)
    assert [a is b for a, b in zip(first, second, strict=False)] == [True, True, False]


def test_the_question_is_the_newest_message_that_was_not_sent_into_a_run() -> None:
    assert question_index([QUESTION, ANSWER, QUESTION, ANSWER, INTERJECTION, ANSWER]) == 2
    assert question_index([ANSWER]) == question_index([]) == 0


def test_equal_entries_of_another_branch_are_not_taken_for_the_same() -> None:
    prefix_cache, call = BranchPrefixCache(), ToolCall("c", "read", {"path": "a"})
    prefix_cache.keep("n", (call, QUESTION), "made of these")
    assert prefix_cache.find("n", (call, QUESTION, ANSWER)) is not None
    assert prefix_cache.find("n", (ToolCall("c", "read", {"path": "a"}), QUESTION)) is None
    assert prefix_cache.find("n", (call,)) is None


def test_a_view_of_another_policy_is_not_gone_on_from() -> None:
    prefix_cache = BranchPrefixCache()
    history: list[Entry] = [QUESTION, ToolCall("c", "read", {}), ToolResult("c", "read", "ok"), ANSWER, QUESTION]
    for policy in (ContextPolicy(), ContextPolicy(prune_tool_calls="all"), ContextPolicy()):
        check_same(view_of(history, policy, prefix_cache), fresh_view(history, policy))
