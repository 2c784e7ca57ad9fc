"""What a model is sent of a conversation (SPEC 3.1, 3.7, 3.8): selected mechanically, nothing is reworded.

**What is sent.** A branch is a list of entries, grouped into turns (agents.context.compaction). Of each turn the response
is sent first, then the results of its calls in call order, as every provider requires, then what followed. A call that
never got a result (its run was stopped) gets MISSING_RESULT_TEXT. Pruning leaves entries out (agents.context.pruning).
After a compaction, the context starts with the newest CompactedHistory and the user message that it keeps. A step's
results are cut to a share of the window (agents.context.result_limits). All of this depends on the entries and the
policy alone, so any request can be rebuilt later (`build_context`).

**While a run works**, its `ContextView` costs what is new in a step, however long the history is. `update` takes the new
entries and notes the oldest turn whose sent part they change: the newest turn; the turn of a call that got its result;
older turns where pruning or an expired reminder takes something away. What was made from there on is discarded, and
made again when the next request asks for it. Tokens are counted once for each sent entry.

**Between runs**, a view of everything up to a run's question is kept in the branch's prefix cache. The next run forks
it: the fork shares the entries, which never change, and has its own lists. What a run itself appends is loaded anew by
the next one, as other objects, so nothing after the question is kept. A forked view knows neither the tools nor the
secrets of the run that made it. (5,000 messages: 0.14 ms for a fork, 10 ms for a view made from nothing.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from math import ceil
from types import MappingProxyType
from typing import Self

from agents.context.compaction import RESPONSE_TYPES, CompactionInput, Turn, plan_compaction, turn_summary
from agents.context.policy import ContextPolicy, no_masking
from agents.context.pruning import PrunedBranch, with_own_collections
from agents.context.result_limits import fit_images, fit_results
from agents.context.tokens import estimate_tokens
from agents.messages import (
    CompactedHistory,
    Entry,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.messages.prefix_cache import BranchPrefixCache, question_index

MISSING_RESULT_TEXT = "No result was recorded for this call."
NO_SUMMARY_TEMPLATES: Mapping[str, str] = MappingProxyType({})
MIN_CALIBRATION_TOKENS = 1000  # below this, tokens that the provider itself adds would be mistaken for a wrong estimate
MAX_TOKEN_FACTOR = 3.0
_CACHE_NAME = "context"


def build_context(entries: Sequence[Entry], policy: ContextPolicy) -> tuple[Entry, ...]:
    """Return what a model is sent of a branch, oldest first."""
    view = ContextView(policy)
    view.update(entries)
    return view.context_entries()


class ContextView:
    """What the model is sent of one growing branch. See the page above.

    `templates`: the tools' lines in a compacted history, by tool name. `mask` removes secrets.
    """

    def __init__(
        self,
        policy: ContextPolicy,
        *,
        templates: Mapping[str, str] = NO_SUMMARY_TEMPLATES,
        mask: Callable[[Entry], Entry] = no_masking,
    ) -> None:
        self.policy, self._templates, self._mask = policy, templates, mask
        self._branch = PrunedBranch(policy)
        # what is sent: the head (a compacted history and the message that it keeps), then the turns from `_first` on
        self._first = 0
        self._head_tokens = 0
        self._entries: list[Entry] = []
        self._lengths: list[int] = [0]  # length of `_entries` after the head, then after each turn
        self._tokens: list[int] = [0]  # cumulative tokens of what follows the head; the newest may not be counted yet
        # the request around it
        self._overhead = 0
        self._factor = 1.0

    @classmethod
    def resume(
        cls,
        entries: Sequence[Entry],
        policy: ContextPolicy,
        prefix_cache: BranchPrefixCache,
        *,
        templates: Mapping[str, str] = NO_SUMMARY_TEMPLATES,
        mask: Callable[[Entry], Entry] = no_masking,
    ) -> Self:
        """Return a view of `entries`, forked from the one that an earlier run kept, and keep one for the next run."""
        cached_view: Self | None = prefix_cache.find(_CACHE_NAME, entries)
        view = (
            cached_view.fork(templates, mask)
            if cached_view and cached_view.policy == policy
            else cls(policy, templates=templates, mask=mask)
        )
        until_question = entries[: question_index(entries) + 1]
        if view.length < len(until_question):
            view.update(until_question)
            prefix_cache.keep(_CACHE_NAME, until_question, view.fork(NO_SUMMARY_TEMPLATES, no_masking))
        view.update(entries)
        return view

    def fork(self, templates: Mapping[str, str], mask: Callable[[Entry], Entry]) -> Self:
        """Return an independent copy for another run. It was not calibrated: only a view that made requests is."""
        self._count_tokens()
        return with_own_collections(self, _templates=templates, _mask=mask)

    @property
    def length(self) -> int:
        """The number of entries of the branch so far."""
        return len(self._branch.turns.entries)

    def update(self, entries: Sequence[Entry]) -> None:
        """Process what is new in `entries`, which is the whole branch; a branch only grows."""
        changed_index, compaction = self._branch.update(entries)
        self._discard_from(changed_index)
        if compaction is not None:
            self._restart_from(*compaction)

    def context_entries(self) -> tuple[Entry, ...]:
        """Return what is sent, oldest first."""
        self._complete()
        return tuple(self._entries)

    @property
    def tokens(self) -> int:
        """The estimated tokens of the entries that are sent."""
        return self._tokens_from(self._first) + self._head_tokens

    def compaction_entries(self, overhead_tokens: int) -> tuple[Entry, ...]:
        """Return what must be appended so that the next request fits: a CompactedHistory, plus a notice if turns are left out.

        Empty when nothing has to be done. `overhead_tokens`: of the prompt and the tools. Raises ContextTooLong when
        the newest message and the newest turn alone are too long.
        """
        self._overhead = overhead_tokens
        if self._tokens_of_request() <= self.policy.compact_at * self.policy.window_tokens:
            return ()
        new = plan_compaction(self._compaction_input(), self.policy)
        return new[:1] if self._branch.has_guard_notice else new

    def calibrate(self, input_tokens: int) -> None:
        """Learn from the provider's token count for the request just sent; call it before the next `update`.

        Estimates only grow by it. It affects when the next compaction happens; what is sent depends on the entries
        alone.
        """
        estimate = self.tokens + self._overhead
        if estimate >= MIN_CALIBRATION_TOKENS:
            self._factor = max(self._factor, min(input_tokens / estimate, MAX_TOKEN_FACTOR))

    # What is sent: made on demand, from the first turn that was discarded.

    def _discard_from(self, index: int) -> None:
        end = max(index - self._first, 0) + 1
        if end < len(self._lengths):
            del self._lengths[end:]
            del self._entries[self._lengths[-1] :]
            del self._tokens[len(self._entries) - self._lengths[0] + 1 :]

    def _restart_from(self, place: int, history: CompactedHistory) -> None:
        """Start the context with `history`, the branch's entry at `place`.

        A turn that `covers` would split stays in full; this can only happen if the grouping into turns has changed.
        """
        self._first = self._branch.turns.index_at(min(history.covers, place))
        self._entries = [history, *self._kept_message(history)]
        self._head_tokens = sum(map(estimate_tokens, self._entries))
        self._lengths, self._tokens = [len(self._entries)], [0]

    def _kept_message(self, history: CompactedHistory) -> Sequence[Entry]:
        if history.kept is None:
            return ()
        index = self._branch.turns.index_at(history.kept)
        turn = self._branch.turns[index]
        return turn.message if turn.is_user and index < self._first else ()

    def _complete(self) -> None:
        """Make what is missing of `_entries`."""
        branch, starts, is_sent = self._branch.turns.entries, self._branch.turns.starts, self._branch.is_sent
        first = self._first + len(self._lengths) - 1
        for index, (start, end) in enumerate(pairwise((*starts[first:], len(branch))), first):
            entry = branch[start]
            kind = type(entry)
            if end - start > 1 or kind is ToolCall:
                self._entries += self._with_results([entry for entry in branch[start:end] if is_sent(entry, index)])
            elif kind is UserMessage or is_sent(entry, index):  # the most common case: saves creating a list
                self._entries.append(entry)
            self._lengths.append(len(self._entries))

    def _with_results(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        calls = [entry for entry in entries if isinstance(entry, ToolCall)]
        if not calls:
            return entries
        results_by_id = self._branch.results
        results = [results_by_id.get(call.id) or ToolResult(call.id, call.name, MISSING_RESULT_TEXT, is_error=True) for call in calls]
        response_length = sum(type(entry) in RESPONSE_TYPES for entry in entries)
        response, following = entries[:response_length], entries[response_length:]
        return [*response, *fit_results(results, self.policy, self._mask), *fit_images(following, self.policy)]

    # Tokens and compaction

    def _count_tokens(self) -> None:
        self._complete()
        new = self._entries[self._lengths[0] + len(self._tokens) - 1 :]
        self._tokens += accumulate(map(estimate_tokens, new), initial=self._tokens.pop())

    def _tokens_from(self, index: int) -> int:
        """Return the tokens of the full turns from `index` on; `index` must not be less than `_first`."""
        self._count_tokens()
        return self._tokens[-1] - self._tokens[self._lengths[index - self._first] - self._lengths[0]]

    def _tokens_of_request(self) -> int:
        return ceil((self.tokens + self._overhead) * self._factor)

    def _compaction_input(self) -> CompactionInput:
        branch = self._branch
        return CompactionInput(
            turns=branch.turns,
            lines=[turn_summary(self._mask_turn(turn), branch.results, self._templates) for turn in branch.turns],
            newest_message_turn=branch.newest_message_turn,
            first=self._first,
            tokens_from=self._tokens_from,
            overhead=self._overhead,
            factor=self._factor,
            tokens=self._tokens_of_request(),
        )

    def _mask_turn(self, turn: Turn) -> Turn:
        """Return the turn without secrets. Masked before it is shortened: a truncated secret could no longer be found."""
        return turn if self._mask is no_masking else Turn(turn.start, [self._mask(entry) for entry in turn.entries])
