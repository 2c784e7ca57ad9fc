"""Builds what a model is sent from a conversation's entries, mechanically (SPEC 3.1, 3.8): nothing is reworded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil
from types import MappingProxyType
from typing import TypeVar

from agents.engine.agent import ContextPolicy
from agents.engine.context.branch import BranchTurns
from agents.engine.context.compaction import GUARD_NOTICE, CompactionInput, plan_compaction, turn_summary
from agents.engine.context.tokens import estimate_tokens
from agents.engine.context.turns import Turn
from agents.engine.messages import (
    CompactedHistory,
    Entry,
    Notice,
    ProviderToolCall,
    ResponseEntry,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.engine.nested_runs import unwrap_entry

ResponseEntryT = TypeVar("ResponseEntryT", bound=ResponseEntry)

NO_SUMMARY_TEMPLATES: Mapping[str, str] = MappingProxyType({})
MIN_CALIBRATION_TOKENS = 1000  # below this, tokens that the provider itself adds would be mistaken for a wrong estimate
MAX_TOKEN_FACTOR = 3.0
_CALL_TYPES = frozenset({ToolCall, ProviderToolCall, SubAgentEntry})


def no_masking(entry: Entry) -> Entry:
    return entry


def build_context(entries: Sequence[Entry], policy: ContextPolicy) -> tuple[Entry, ...]:
    """Return what a model is sent of a branch, oldest first. Depends on nothing else, so any request can be rebuilt."""
    view = ContextView(policy)
    view.update(entries)
    return view.context_entries()


class ContextView:
    """What the model is sent of a growing branch. A step only processes new entries, however long the history is.

    The results of a step's calls follow them directly, in call order, as every provider requires. A call that never got
    a result (its run was stopped) gets MISSING_RESULT_TEXT. Entries that only the user sees are left out. After a
    compaction, the view starts with the newest CompactedHistory and the user message that it keeps.

    `templates`: the tools' lines in a compacted history, by tool name. `mask` removes secrets.
    """

    def __init__(
        self,
        policy: ContextPolicy,
        *,
        templates: Mapping[str, str] = NO_SUMMARY_TEMPLATES,
        mask: Callable[[Entry], Entry] = no_masking,
    ) -> None:
        self.policy = policy
        self._templates = templates
        self._mask = mask
        self._branch = BranchTurns(policy)
        self._context = _ContextEntries(self._branch)
        self._has_guard_notice = False  # since the newest message, the user was told that turns were left out
        self._overhead = 0
        self._factor = 1.0

    @property
    def length(self) -> int:
        """The number of entries of the branch so far."""
        return self._branch.length

    def fork(self, *, templates: Mapping[str, str] = NO_SUMMARY_TEMPLATES, mask: Callable[[Entry], Entry] = no_masking) -> ContextView:
        """Return an independent copy for another run, with that run's `templates` and `mask` and without calibration."""
        fork = ContextView(self.policy, templates=templates, mask=mask)
        fork._branch = self._branch.fork()
        fork._context = self._context.fork(fork._branch)
        fork._has_guard_notice = self._has_guard_notice
        return fork

    def update(self, entries: Sequence[Entry]) -> None:
        """Process what is new in `entries`, which is the whole branch; a branch only grows."""
        while self._branch.length < len(entries):
            new = entries[self._branch.length :]
            self._add(new[: next((place for place, entry in enumerate(new, 1) if type(entry) is CompactedHistory), len(new))])

    def context_entries(self) -> tuple[Entry, ...]:
        return tuple(self._context.entries)

    @property
    def tokens(self) -> int:
        """The estimated tokens of the entries that are sent."""
        return self._context.tokens_from(self._context.first) + self._context.head_tokens

    def compaction_entries(self, overhead_tokens: int) -> tuple[Entry, ...]:
        """Return what must be appended so that the next request fits: a CompactedHistory, plus a notice if turns are left out.

        Empty when nothing has to be done. `overhead_tokens`: of the prompt and the tools. Raises ContextTooLong when
        the newest message and the newest turn alone are too long.
        """
        self._overhead = overhead_tokens
        if self._tokens_of_request() <= self.policy.compact_at * self.policy.window_tokens:
            return ()
        change = plan_compaction(self._compaction_input(), self.policy)
        if change is None:
            return ()
        entry, is_guard = change
        return (entry, GUARD_NOTICE) if is_guard and not self._has_guard_notice else (entry,)

    def calibrate(self, input_tokens: int) -> None:
        """Learn from the provider's token count for the request just sent; call it before the next `update`.

        Estimates only grow by it. It affects when the next compaction happens; what is sent depends on the entries
        alone.
        """
        estimated = self.tokens + self._overhead
        if estimated >= MIN_CALIBRATION_TOKENS:
            self._factor = max(self._factor, min(input_tokens / estimated, MAX_TOKEN_FACTOR))

    def _add(self, entries: Sequence[Entry]) -> None:
        """Add entries, of which only the last may be a CompactedHistory."""
        self._context.invalidate_from(self._branch.extend(entries))
        if isinstance(newest := entries[-1], CompactedHistory):
            self._context.restart_from(newest)
        for entry in reversed(entries):
            if isinstance(entry, UserMessage) or (isinstance(entry, Notice) and entry.code == GUARD_NOTICE.code):
                self._has_guard_notice = isinstance(entry, Notice)
                break

    def _masked(self, turn: Turn) -> Turn:
        """Return the turn without secrets. Masked before it is shortened: a truncated secret could no longer be found."""
        return turn if self._mask is no_masking else Turn(turn.start, [self._mask(entry) for entry in turn.entries])

    def _tokens_of_request(self) -> int:
        return ceil((self.tokens + self._overhead) * self._factor)

    def _compaction_input(self) -> CompactionInput:
        branch = self._branch
        return CompactionInput(
            turns=branch.turns,
            lines=[turn_summary(self._masked(turn), branch.results, self._templates) for turn in branch.turns],
            newest_message_turn=branch.newest_message_turn,
            first=self._context.first,
            tokens_from=self._context.tokens_from,
            count=estimate_tokens,
            overhead=self._overhead,
            factor=self._factor,
            tokens=self._tokens_of_request(),
        )


class _ContextEntries:
    """The sent entries, built once per turn: what `invalidate_from` discards is rebuilt on demand.

    `first` is the index of the first turn that is sent in full. Before it comes the head: a compacted history and the
    message that it keeps.
    """

    def __init__(self, branch: BranchTurns) -> None:
        self._branch = branch
        self.first = 0
        self.head_tokens = 0
        self._entries: list[Entry] = []
        self._lengths: list[int] = [0]  # length of `_entries` after the head, then after each turn from `first` on
        self._tokens: list[int] = [0]  # cumulative tokens of the entries after the head; the newest may not be counted yet

    def fork(self, branch: BranchTurns) -> _ContextEntries:
        """Return a copy for a fork of the branch."""
        self._count_all()
        fork = _ContextEntries(branch)
        fork.first, fork.head_tokens = self.first, self.head_tokens
        fork._entries, fork._lengths, fork._tokens = [*self._entries], [*self._lengths], [*self._tokens]
        return fork

    @property
    def entries(self) -> Sequence[Entry]:
        self._complete()
        return self._entries

    def tokens_from(self, index: int) -> int:
        """Return the tokens of the full turns from `index` on; `index` must not be less than `first`."""
        self._count_all()
        return self._tokens[-1] - self._tokens[self._lengths[index - self.first] - self._lengths[0]]

    def invalidate_from(self, index: int) -> None:
        made = max(index - self.first, 0) + 1
        if made < len(self._lengths):
            del self._lengths[made:]
            del self._entries[self._lengths[-1] :]
            del self._tokens[len(self._entries) - self._lengths[0] + 1 :]

    def restart_from(self, compacted: CompactedHistory) -> None:
        """Start the context with `compacted`.

        A turn that `covers` would split stays in full; this can only happen if the grouping into turns has changed.
        """
        self.first = self._turn_at(compacted.covers)
        self._entries = [compacted, *self._kept(compacted)]
        self.head_tokens = sum(map(estimate_tokens, self._entries))
        self._lengths, self._tokens = [len(self._entries)], [0]

    def _kept(self, compacted: CompactedHistory) -> Sequence[Entry]:
        if compacted.kept is None:
            return ()
        index = self._turn_at(compacted.kept)
        turn = self._branch.turns[index]
        return turn.message if turn.is_user and index < self.first else ()

    def _turn_at(self, place: int) -> int:
        return bisect_right(self._branch.turns.starts, place) - 1

    def _complete(self) -> None:
        self._branch.append_context(self._entries, self._lengths, self.first + len(self._lengths) - 1)

    def _count_all(self) -> None:
        self._complete()
        new = self._entries[self._lengths[0] + len(self._tokens) - 1 :]
        self._tokens += accumulate(map(estimate_tokens, new), initial=self._tokens.pop())


def pending_calls(entries: Sequence[Entry]) -> tuple[ToolCall, ...]:
    """Return the calls since the last user message without a result, in order: a run that was taken over must settle them."""
    calls: list[ToolCall] = []
    answered: set[str] = set()
    for entry in reversed(entries):
        match entry:
            case UserMessage():
                break
            case ToolResult():
                answered.add(entry.call_id)
            case ToolCall() if entry.id not in answered:
                calls.append(entry)
    return tuple(reversed(calls))


def call_ids(entries: Iterable[Entry]) -> set[str]:
    """Return the ids of all calls, including those of sub-agents: an id is unique in the conversation."""
    calls = (unwrap_entry(entry) for entry in entries if type(entry) in _CALL_TYPES)
    return {call.id for call in calls if isinstance(call, ToolCall | ProviderToolCall)}


def with_unique_call_ids(
    response: Iterable[ResponseEntry], used_ids: set[str], shown: Iterable[ProviderToolCall] = ()
) -> tuple[ResponseEntry, ...]:
    """Return `response` with call ids that are not in `used_ids`, and add them to it.

    Some providers number calls per answer, and some give no ids. `shown`: the provider calls that are already on
    screen, in order; they keep the ids that they have there.
    """
    ids = iter([call.id for call in shown])
    unique: list[ResponseEntry] = []
    for entry in response:
        if isinstance(entry, ProviderToolCall) and (known := next(ids, None)) is not None:
            unique.append(replace(entry, id=known))
        else:
            unique.append(with_unique_id(entry, used_ids))
    return tuple(unique)


def with_unique_id(entry: ResponseEntryT, used_ids: set[str]) -> ResponseEntryT:
    """Return a call with an id that is not in `used_ids`, and add the id to it. Other entries are returned unchanged."""
    if not isinstance(entry, ToolCall | ProviderToolCall):
        return entry
    renamed = replace(entry, id=_unused_id(entry.id or "call", used_ids))
    used_ids.add(renamed.id)
    return renamed


def _unused_id(wanted: str, used_ids: set[str]) -> str:
    candidate, number = wanted, 1
    while candidate in used_ids:
        number += 1
        candidate = f"{wanted}-{number}"
    return candidate
