"""What is appended so that the context fits, and what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from agents.context.compaction import GUARD_NOTICE, HISTORY_HEADING, turn_summary
from agents.context.policy import ContextPolicy
from agents.context.tokens import TOKENS_PER_ENTRY, estimate_tokens
from agents.context.view import ContextView, build_context
from agents.errors import ContextTooLong
from agents.messages import (
    AssistantText,
    CompactedHistory,
    Entry,
    File,
    Notice,
    Reminder,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from tests.agents.context.histories import POLICIES, RUNS, Replay, group_turns, property_settings
from tests.agents.engine.scripted import AGENT, FunctionTool, ScriptedModel, answer, call, calls_response, kinds
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal

POLICY = ContextPolicy(window_tokens=1000)  # compacts over 750 tokens, tail and lines 150 each, guard 900
LARGE = ContextPolicy(window_tokens=10_000)
NONE_LEFT_OUT = HISTORY_HEADING.format(dropped=0)


def user(name: str, tokens: int = 50) -> UserMessage:
    return UserMessage(padded(name, tokens))


def reply(name: str, tokens: int = 50) -> AssistantText:
    return AssistantText(padded(name, tokens))


def padded(name: str, tokens: int) -> str:
    """A text that makes an entry of so many tokens."""
    return name + "." * (4 * (tokens - TOKENS_PER_ENTRY) - len(name))


def step(call_id: str, tokens: int, **arguments: Any) -> list[Entry]:
    """A call and its result of so many tokens together."""
    call, result = ToolCall(call_id, "read", arguments), ToolResult(call_id, "read", "")
    return [call, replace(result, output="." * 3 * (tokens - tokens_of((call, result))))]


def compaction_entries(entries: list[Entry], policy: ContextPolicy = POLICY, overhead: int = 0, **templates: str) -> tuple[Entry, ...]:
    view = ContextView(policy, templates=templates)
    view.update(entries)
    return view.compaction_entries(overhead)


def compacted(entries: list[Entry], policy: ContextPolicy = POLICY, overhead: int = 0, **templates: str) -> CompactedHistory:
    entry, *others = compaction_entries(entries, policy, overhead, **templates)
    assert isinstance(entry, CompactedHistory)
    assert not others
    return entry


def tokens_of(entries: tuple[Entry, ...]) -> int:
    return sum(map(estimate_tokens, entries))


def test_a_context_below_its_threshold_is_left_alone() -> None:
    assert compaction_entries([]) == ()
    assert compaction_entries([user("a", 749)]) == ()
    assert compaction_entries([user("a", 650)], overhead=100) == ()


def test_the_newest_turns_that_fit_the_tail_stay_whole_and_the_older_become_one_line_each() -> None:
    older: list[Entry] = [user("first", 3000), reply("second", 3000), Notice("length_limit", "Cut."), user("third", 1000)]
    newer: list[Entry] = [reply("fourth", 700), user("fifth", 800)]
    entry = compacted([*older, *newer], LARGE)
    lines = [NONE_LEFT_OUT, f"User: first{'.' * 154}…", f"Assistant: second{'.' * 153}…", f"User: third{'.' * 154}…"]
    assert entry == CompactedHistory("\n".join(lines), covers=4, turns=3)
    assert build_context([*older, *newer, entry], LARGE) == (entry, *newer)


def test_the_newest_user_message_stays_whole_with_its_files_however_old_it_is() -> None:
    message: list[Entry] = [user("do it"), File("1", "a.txt", "text/plain", 3, "abc"), Reminder("be brief")]
    work = [entry for number in range(7) for entry in step(f"c{number}", 90, path=f"{number}.txt")]
    entry = compacted([user("before"), *message, *work])
    assert entry.kept == 1
    assert entry.text.splitlines()[1:] == [f"User: before{'.' * 153}…", *(f"read(path={number}.txt)" for number in range(6))]
    assert build_context([user("before"), *message, *work, entry], POLICY) == (entry, *message[:2], *work[12:])


def test_the_newest_turn_stays_whole_when_it_is_larger_than_the_tail() -> None:
    newest = step("c", 400)
    entry = compacted([user("a", 100), *step("b", 300), *newest])
    assert build_context([user("a", 100), *step("b", 300), *newest, entry], POLICY) == (entry, user("a", 100), *newest)


def test_a_later_compaction_is_made_from_the_entries_not_from_the_earlier_one() -> None:
    replay = Replay(LARGE)
    (first,) = replay.step([user("first", 4000), reply("second", 4000), user("third", 500)])
    assert replay.step([reply("fourth", 3000)]) == ()
    (second,) = replay.step([user("fifth", 4000)])
    assert replay.view.context_entries() == (second, user("fifth", 4000))
    assert isinstance(first, CompactedHistory)
    assert isinstance(second, CompactedHistory)
    assert second.text.startswith(first.text)
    assert [line.split(".")[0] for line in second.text.splitlines()[3:]] == ["User: third", "Assistant: fourth"]


def test_lines_have_a_share_of_their_own_and_the_oldest_go_first() -> None:
    entry = compacted([user(f"m{number:02}") for number in range(20)])
    assert (entry.turns, entry.covers) == (17, 17)
    assert entry.text.splitlines()[0] == HISTORY_HEADING.format(dropped=entry.dropped)
    assert [line[:9] for line in entry.text.splitlines()[1:]] == [f"User: m{number:02}" for number in range(entry.dropped, 17)]
    assert 100 < estimate_tokens(entry) <= 150


def test_a_compaction_that_frees_too_little_waits_for_the_guard() -> None:
    replay = Replay(POLICY)
    assert replay.step([user("document", 700), *step("1", 40)]) == ()
    assert replay.step(step("2", 40)) == ()
    assert 750 < replay.view.tokens < 900
    assert len(replay.step(step("3", 130))) == 1


def test_the_guard_leaves_out_what_is_oldest_and_says_so() -> None:
    older: list[Entry] = [user("a"), reply("b"), user("c")]
    newest = user("d", 820)
    entry, notice = compaction_entries([*older, newest])
    assert notice == GUARD_NOTICE
    assert entry == CompactedHistory(f"{HISTORY_HEADING.format(dropped=2)}\nUser: c{'.' * 158}…", covers=3, turns=3, dropped=2)


def test_the_guard_leaves_out_whole_turns_when_the_lines_are_not_enough() -> None:
    replay = Replay(POLICY)
    message, newest = user("document", 750), step("3", 70)
    changes = replay.step([message, *step("1", 70), *step("2", 70), *newest])
    assert changes == (CompactedHistory(HISTORY_HEADING.format(dropped=2), covers=5, kept=0, turns=2, dropped=2), GUARD_NOTICE)
    assert replay.view.context_entries() == (changes[0], message, *newest)


def test_the_guard_speaks_once_for_each_message() -> None:
    replay = Replay(POLICY)
    assert GUARD_NOTICE in replay.step([user("a"), user("b"), user("c", 850)])
    later = [replay.step(step(str(number), 2)) for number in range(3)]
    assert any(later)
    assert GUARD_NOTICE not in [entry for changes in later for entry in changes]
    assert GUARD_NOTICE in replay.step([user("d", 850)])


@pytest.mark.parametrize(
    "entries",
    [
        [user("huge", 901)],
        [user("old"), user("huge", 880)],  # what stands for the old one does not fit either
        [user("large", 450), *step("1", 451)],
    ],
)
def test_what_can_not_fit_is_refused(entries: list[Entry]) -> None:
    with pytest.raises(ContextTooLong) as refusal:
        compaction_entries(entries)
    assert (refusal.value.code, refusal.value.action) == ("context_too_long", None)


def test_a_prompt_alone_can_be_too_long() -> None:
    assert compaction_entries([], overhead=900) == ()
    with pytest.raises(ContextTooLong):
        compaction_entries([], overhead=901)


def test_what_the_provider_counted_corrects_the_estimate_upwards_only() -> None:
    policy = ContextPolicy(window_tokens=10_000)
    entries: list[Entry] = [user("a", 3000), reply("b", 2000), user("c", 500)]
    view = ContextView(policy)
    view.update(entries)
    assert view.compaction_entries(500) == ()
    view.calibrate(3000)
    assert view.compaction_entries(500) == ()
    assert len(view.compaction_entries(2100)) == 1
    assert view.compaction_entries(500) == ()
    before = view.context_entries()
    view.calibrate(9000)  # 6000 were estimated
    assert view.context_entries() == before
    assert len(view.compaction_entries(500)) == 1


async def test_what_a_providers_own_tools_read_does_not_compact_a_conversation() -> None:
    """Only the prompt that was sent says how good the estimate was, not the sum of a continued answer's requests."""
    agent = replace(AGENT, context=ContextPolicy(window_tokens=20_000))
    response = replace(calls_response(call()), usage=Usage(80_000, 1), prompt_tokens=8_000)
    journal = MemoryJournal([user("a", 4000), reply("b", 2000), user("c", 2000)])
    await run_agent(agent, model=ScriptedModel([response], [answer()]), tools=[FunctionTool()], journal=journal)
    assert "CompactedHistory" not in kinds(journal.appended)


def smallest(entries: list[Entry], policy: ContextPolicy) -> int:
    """Tokens of the least that may be sent: the newest turn, the newest message and a compacted history without lines."""
    turns = list(group_turns(entries))
    newest = max((turn.start for turn in turns if turn.is_user), default=None)
    results = {entry.call_id: entry for entry in entries if isinstance(entry, ToolResult)}
    summary_count = sum(bool(turn_summary(turn, results, {})) for turn in turns[:-1] if turn.start != newest)
    covers = turns[-1].start
    least = CompactedHistory(
        HISTORY_HEADING.format(dropped=summary_count), covers, newest if newest is not None and newest < covers else None
    )
    return tokens_of(build_context([*entries, least], policy))


@property_settings
@given(RUNS, POLICIES, st.integers(0, 200))
def test_the_context_fits_or_it_can_not(chunks: list[list[Entry]], policy: ContextPolicy, overhead: int) -> None:
    limit = policy.guard_at * policy.window_tokens
    replay = Replay(policy, overhead)
    for chunk in chunks:
        try:
            replay.step(chunk)
        except ContextTooLong:
            assert tokens_of(replay.view.context_entries()) + overhead > limit
            assert smallest(replay.entries, policy) + overhead > limit
            return
        assert replay.view.tokens == tokens_of(replay.view.context_entries())
        assert replay.view.tokens + overhead <= limit


@property_settings
@given(RUNS, POLICIES)
def test_whatever_is_compacted_the_newest_message_is_sent_and_the_rest_stays_in_order(
    chunks: list[list[Entry]], policy: ContextPolicy
) -> None:
    replay = Replay(policy)
    for chunk in chunks:
        try:
            replay.step(chunk)
        except ContextTooLong:
            return
        context_entries = replay.view.context_entries()
        assert context_entries == build_context(replay.entries, policy)
        messages = [entry for entry in replay.entries if isinstance(entry, UserMessage)]
        assert not messages or messages[-1] in context_entries
        places = {id(entry): place for place, entry in enumerate(replay.entries)}
        order = [places[id(entry)] for entry in context_entries if not isinstance(entry, ToolResult | CompactedHistory)]
        assert order == sorted(order)
        assert not any(isinstance(entry, CompactedHistory) for entry in context_entries[1:])


@property_settings
@given(RUNS, POLICIES)
def test_once_it_was_made_to_fit_nothing_more_is_appended(chunks: list[list[Entry]], policy: ContextPolicy) -> None:
    replay = Replay(policy)
    for chunk in chunks:
        try:
            replay.step(chunk)
        except ContextTooLong:
            return
        assert replay.step(()) == ()
