"""From stored entries to what the model is sent."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given as given_that, strategies as st

from agents.context.policy import ContextPolicy, Pruning
from agents.context.tokens import estimate_tokens
from agents.context.view import MISSING_RESULT_TEXT, ContextView, build_context
from agents.engine.answers import with_unique_call_ids
from agents.engine.open_calls import pending_calls
from agents.errors import ContextTooLong
from agents.messages import (
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ClientData,
    CompactedHistory,
    Entry,
    File,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)
from tests.agents.context.histories import ANY_HISTORY, POLICIES, RUNS, UNPRUNED, Replay, property_settings

POLICY = ContextPolicy()
USER = UserMessage("u")
LATER = UserMessage("later")
FILE = File("1", "a.txt", "text/plain", 3, "abc")
TEXT = AssistantText("a")
SIGNED = AssistantText("", {"provider": "p", "signature": "s"})
THOUGHT = Reasoning("t")
REMINDER = Reminder("r")
RETRY = NoToolCallRetry("n", 1)
ARTIFACT = ArtifactReference("1", "Poem", "text", 1, "create", "c1")
WORKS = WorkflowStep("Reading.")
ASKS, ALLOWED = ApprovalRequest("1", "1"), ApprovalResponse("1", "1", approved=True)
DATA = ClientData("title", {})
NOTICE = Notice("stopped", "Stopped.")


def tool_call(call_id: str, name: str = "t") -> ToolCall:
    return ToolCall(call_id, name, {})


def tool_result(call_id: str, output: str = "ok", name: str = "t") -> ToolResult:
    return ToolResult(call_id, name, output)


def missing(call_id: str) -> ToolResult:
    return ToolResult(call_id, "t", MISSING_RESULT_TEXT, is_error=True)


@pytest.mark.parametrize(
    ("entries", "context_entries"),
    [
        ([], []),
        ([USER, NOTICE, TEXT, ARTIFACT], [USER, TEXT]),
        ([USER, AssistantText("par", partial=True)], [USER, AssistantText("par", partial=True)]),
        ([USER, tool_call("1"), tool_result("1"), TEXT], [USER, tool_call("1"), tool_result("1"), TEXT]),
        # results follow their calls in call order, whatever was appended between them
        (
            [USER, tool_call("1"), tool_call("2"), tool_result("1"), REMINDER, tool_result("2"), TEXT],
            [USER, tool_call("1"), tool_call("2"), tool_result("1"), tool_result("2"), REMINDER, TEXT],
        ),
        # two steps in a row stay two steps
        (
            [USER, tool_call("1"), tool_result("1"), tool_call("2"), tool_result("2")],
            [USER, tool_call("1"), tool_result("1"), tool_call("2"), tool_result("2")],
        ),
        # a stopped run's call without a result
        (
            [USER, tool_call("1"), tool_call("2"), tool_result("2"), NOTICE, USER],
            [USER, tool_call("1"), tool_call("2"), missing("1"), tool_result("2"), USER],
        ),
        ([USER, tool_call("1"), NOTICE, USER], [USER, tool_call("1"), missing("1"), USER]),
        ([USER, tool_call("1")], [USER, tool_call("1"), missing("1")]),
        # a result whose call is gone, and one that comes after a message
        ([tool_result("9"), USER], [USER]),
        ([USER, tool_call("1"), LATER, tool_result("1"), TEXT], [USER, tool_call("1"), tool_result("1"), LATER, TEXT]),
        # a message between the results of parallel calls
        (
            [USER, tool_call("1"), tool_call("2"), tool_result("1"), LATER, tool_result("2"), TEXT],
            [USER, tool_call("1"), tool_call("2"), tool_result("1"), tool_result("2"), LATER, TEXT],
        ),
        ([TEXT, USER, FILE, TEXT], [TEXT, USER, FILE, TEXT]),
        # what only the user sees
        ([USER, tool_call("1"), ASKS, ALLOWED, tool_result("1"), WORKS, DATA, TEXT], [USER, tool_call("1"), tool_result("1"), TEXT]),
        # nothing is left of an empty text, but of one that carries a provider's data
        ([USER, AssistantText(" "), Reasoning("")], [USER]),
        ([USER, SIGNED], [USER, SIGNED]),
    ],
)
def test_the_model_is_sent_a_valid_history(entries: list[Entry], context_entries: list[Entry]) -> None:
    assert list(build_context(entries, POLICY)) == context_entries


def sent_at_each_response(entries: list[Entry], policy: ContextPolicy) -> list[tuple[Entry, ...]]:
    """What the model was sent before each of the answers TEXT in `entries`, and what it would be sent now."""
    places = [place for place, entry in enumerate(entries) if entry is TEXT]
    return [build_context(entries[:place], policy) for place in [*places, len(entries)]]


@pytest.mark.parametrize(
    ("duration", "seen_by"), [(None, [True] * 4), (0, [False] * 4), (1, [True] + [False] * 3), (2, [True, True, False, False])]
)
def test_a_reminder_stays_for_as_many_steps_as_it_says(duration: int | None, seen_by: list[bool]) -> None:
    reminder = Reminder("r", duration=duration)
    entries: list[Entry] = [USER, reminder, TEXT, RETRY, TEXT, RETRY, TEXT, NOTICE]
    assert [reminder in context_entries for context_entries in sent_at_each_response(entries, POLICY)] == seen_by


FIRST_STEP = [THOUGHT, tool_call("1"), tool_result("1")]
SECOND_STEP = [THOUGHT, tool_call("2", "other"), tool_result("2", name="other")]


@pytest.mark.parametrize(
    ("pruning", "entries", "context_entries"),
    [
        ("none", [USER, *FIRST_STEP, TEXT, LATER], [USER, *FIRST_STEP, TEXT, LATER]),
        ("before_last_message", [USER, *FIRST_STEP, TEXT], [USER, *FIRST_STEP, TEXT]),
        ("before_last_message", [USER, *FIRST_STEP, TEXT, LATER], [USER, TEXT, LATER]),
        ("before_last_message", [USER, *FIRST_STEP, TEXT, LATER, *SECOND_STEP], [USER, TEXT, LATER, *SECOND_STEP]),
        # a message between two steps: the model has not answered the result yet
        ("before_last_message", [USER, *FIRST_STEP, LATER], [USER, *FIRST_STEP, LATER]),
        ("all", [USER, *FIRST_STEP], [USER, *FIRST_STEP]),
        ("all", [USER, *FIRST_STEP, *SECOND_STEP], [USER, *SECOND_STEP]),
        ("all", [USER, *FIRST_STEP, THOUGHT, TEXT], [USER, TEXT]),
        ("all", [USER, *FIRST_STEP, REMINDER, TEXT], [USER, REMINDER, TEXT]),
    ],
)
def test_pruning_takes_reasoning_and_calls_with_their_results_once_they_are_answered(
    pruning: Pruning, entries: list[Entry], context_entries: list[Entry]
) -> None:
    policy = ContextPolicy(prune_reasoning=pruning, prune_tool_calls=pruning)
    assert list(build_context(entries, policy)) == context_entries


def test_a_tool_may_be_pruned_otherwise_than_the_rest() -> None:
    entries: list[Entry] = [USER, tool_call("1"), tool_call("2", "other"), tool_result("1"), tool_result("2", name="other"), TEXT, LATER]
    only_other = ContextPolicy(prune_tools=(("other", "all"),))
    all_but_other = ContextPolicy(prune_tool_calls="all", prune_tools=(("other", "none"),))
    assert build_context(entries, only_other) == (USER, tool_call("1"), tool_result("1"), TEXT, LATER)
    assert build_context(entries, all_but_other) == (USER, tool_call("2", "other"), tool_result("2", name="other"), TEXT, LATER)


def test_empty_texts_stay_when_they_are_not_pruned() -> None:
    entries: list[Entry] = [USER, AssistantText(""), Reasoning(" ")]
    assert list(build_context(entries, ContextPolicy(prune_empty=False))) == entries


STEP: list[Entry] = [tool_call("1"), tool_result("1")]


@pytest.mark.parametrize(
    ("covers", "kept_index", "sent_after"),
    [
        (2, None, [LATER, FILE, *STEP, TEXT]),  # in front of the newest message
        (2, 2, [LATER, FILE, *STEP, TEXT]),  # which is not sent twice
        (6, 2, [LATER, FILE, TEXT]),  # behind it: it stays, with its file
        (4, 2, [LATER, FILE, *STEP, TEXT]),
        (5, 2, [LATER, FILE, *STEP, TEXT]),  # inside a turn, which stays whole
    ],
)
def test_a_compacted_history_stands_for_what_it_covers(covers: int, kept_index: int | None, sent_after: list[Entry]) -> None:
    older = CompactedHistory("older", covers=1)
    compaction = CompactedHistory("lines", covers=covers, kept=kept_index)
    entries: list[Entry] = [USER, TEXT, LATER, FILE, *STEP, TEXT, older, compaction, NOTICE]
    assert list(build_context(entries, POLICY)) == [compaction, *sent_after]


@property_settings
@given_that(ANY_HISTORY, POLICIES, st.integers(1, 4))
def test_any_split_into_updates_gives_the_same_as_all_at_once(entries: list[Entry], policy: ContextPolicy, size: int) -> None:
    view = ContextView(policy)
    for end in range(0, len(entries) + size, size):
        view.update(entries[:end])
        assert view.context_entries() == build_context(entries[:end], policy)
        assert view.tokens == sum(map(estimate_tokens, view.context_entries()))


def assert_calls_and_results_are_pairs(context_entries: tuple[Entry, ...]) -> None:
    """The results of neighbouring calls follow them in call order, and there are no others."""
    waiting: list[str] = []
    results_begun = False
    for entry in context_entries:
        match entry:
            case ToolCall():
                assert not results_begun
                waiting.append(entry.id)
            case ToolResult():
                assert waiting.pop(0) == entry.call_id
                results_begun = bool(waiting)
            case AssistantText() | Reasoning() | ProviderToolCall():
                assert not results_begun
            case _:
                assert not waiting
    assert not waiting


@property_settings
@given_that(ANY_HISTORY, POLICIES)
def test_no_call_is_sent_without_its_result_and_no_result_without_its_call(entries: list[Entry], policy: ContextPolicy) -> None:
    assert_calls_and_results_are_pairs(build_context(entries, policy))


@property_settings
@given_that(RUNS, UNPRUNED)
def test_only_what_the_user_alone_sees_is_missing_and_the_order_stays(chunks: list[list[Entry]], policy: ContextPolicy) -> None:
    entries = [entry for chunk in chunks for entry in chunk if not isinstance(entry, Reminder)]
    context_entries = build_context(entries, policy)
    assert_calls_and_results_are_pairs(context_entries)
    hidden_kinds = (ToolResult, ArtifactReference, WorkflowStep, ApprovalRequest, ClientData, Source, Notice)
    expected = [
        entry
        for entry in entries
        if not isinstance(entry, hidden_kinds) and (not isinstance(entry, AssistantText | Reasoning) or entry.text)
    ]
    assert [entry for entry in context_entries if not isinstance(entry, ToolResult)] == expected
    assert {id(entry) for entry in entries if isinstance(entry, ToolResult)} <= {id(entry) for entry in context_entries}


@property_settings
@given_that(RUNS, st.integers(1500, 10_000))
def test_the_beginning_of_the_request_changes_only_for_a_named_reason(chunks: list[list[Entry]], window: int) -> None:
    """A compaction, a reminder that leaves, and what is pruned at a new message."""
    replay = Replay(ContextPolicy(window_tokens=window, prune_reasoning="before_last_message", prune_tool_calls="before_last_message"))
    context_entries: list[tuple[Entry, ...]] = []
    steady: list[bool] = []
    for chunk in chunks:
        try:
            changes = replay.step(chunk)
        except ContextTooLong:
            break
        new_message = any(isinstance(entry, UserMessage) for entry in chunk)
        steady.append(not changes and not new_message and not _reminder_expires(replay.entries, len(chunk)))
        context_entries.append(replay.view.context_entries())
    for (before, after), is_steady in zip(pairwise(context_entries), steady[1:], strict=False):
        assert after[: len(before)] == before or not is_steady


def _reminder_expires(entries: list[Entry], new: int) -> bool:
    """Whether a reminder was sent before the newest `new` entries and is not sent with them."""
    now, before = (
        {id(entry) for entry in build_context(history, POLICY) if isinstance(entry, Reminder)} for history in (entries, entries[:-new])
    )
    return not before <= now


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([USER, TEXT], []),
        ([USER, tool_call("1"), tool_call("2"), tool_result("1")], ["2"]),
        ([USER, tool_call("1"), tool_result("1"), tool_call("2")], ["2"]),
        ([USER, tool_call("1"), tool_call("2"), NOTICE], ["1", "2"]),
        ([USER, tool_call("1"), NOTICE, USER], []),  # an earlier run was stopped: nobody waits for it
    ],
)
def test_open_calls_are_those_since_the_last_user_message(entries: list[Entry], expected: list[str]) -> None:
    assert [call.id for call in pending_calls(entries)] == expected


@pytest.mark.parametrize(
    ("in_history", "in_response", "expected"),
    [
        ([], ["a", "b"], ["a", "b"]),
        ([], ["a", "a", "a"], ["a", "a-2", "a-3"]),
        (["a", "a-2"], ["a"], ["a-3"]),
        (["call"], ["", ""], ["call-2", "call-3"]),
    ],
)
def test_call_ids_are_made_unique_in_the_conversation(in_history: list[str], in_response: list[str], expected: list[str]) -> None:
    unique = with_unique_call_ids([tool_call(call_id) for call_id in in_response], set(in_history))
    assert [call.id for call in unique if isinstance(call, ToolCall)] == expected


def test_other_entries_of_a_response_stay_as_they_are() -> None:
    assert with_unique_call_ids([Reasoning("r"), TEXT], set()) == (Reasoning("r"), TEXT)
