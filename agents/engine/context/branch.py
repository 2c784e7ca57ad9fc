"""A branch grouped into turns, and which of its entries a model is sent (SPEC 3.7, 3.8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import assert_never

from agents.engine.agent import ContextPolicy, Pruning
from agents.engine.context.turns import RESPONSE_TYPES, Turns
from agents.engine.messages import (
    AnswerFile,
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ClientData,
    ClientOutput,
    ClientRequest,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)

MISSING_RESULT_TEXT = "No result was recorded for this call."
_TRACKED_TYPES = frozenset({UserMessage, ToolCall, ToolResult, Reminder})


class BranchTurns:
    """The turns of a growing branch and what is known about them. `newest_message_turn` is the index of its turn.

    Pruning never removes what the model has not answered yet. "all" removes what comes before the newest response, and
    that response too when it makes no calls; "before_last_message" removes what "all" would have removed when the
    newest user message arrived.
    """

    def __init__(self, policy: ContextPolicy) -> None:
        self.turns = Turns()
        self.results: dict[str, ToolResult] = {}
        self.newest_message_turn: int | None = None
        self._policy = policy
        self._tool_prunings = dict(policy.prune_tools)
        self._prunings = {policy.prune_reasoning, policy.prune_tool_calls, *self._tool_prunings.values()}
        self._responses = 0
        # Index of a turn with an expiring reminder -> number of responses up to and including that turn.
        self._responses_up_to: dict[int, int] = {}
        self._turn_of_call: dict[str, int] = {}
        # Number of responses -> index of the first turn with a reminder that expires then.
        self._first_expiring_turn: dict[int, int] = {}
        self._answered = 0  # the model has answered all turns before this index
        self._answered_before_message = 0

    @property
    def length(self) -> int:
        """The number of entries."""
        return len(self.turns.entries)

    def fork(self) -> BranchTurns:
        """Return an independent copy."""
        fork = BranchTurns(self._policy)
        fork.turns, fork.newest_message_turn = self.turns.fork(), self.newest_message_turn
        fork.results, fork._turn_of_call, fork._first_expiring_turn = (
            dict(self.results),
            dict(self._turn_of_call),
            dict(self._first_expiring_turn),
        )
        fork._responses, fork._responses_up_to = self._responses, dict(self._responses_up_to)
        fork._answered, fork._answered_before_message = self._answered, self._answered_before_message
        return fork

    def extend(self, entries: Iterable[Entry]) -> int:
        """Add the next entries. Returns the index of the first turn whose sent part may have changed."""
        add, index, changed = self.turns.add, len(self.turns) - 1, len(self.turns)
        for entry in entries:
            kind = type(entry)
            if add(entry):
                index += 1
                if kind in RESPONSE_TYPES:
                    changed = min(changed, self._start_response(index))
            elif index < changed:
                changed = index
            if kind in _TRACKED_TYPES:
                changed = min(changed, self._track(entry, index))
        return changed

    def append_context(self, entries: list[Entry], lengths: list[int], first: int) -> None:
        """Append to `entries` what is sent of each turn from index `first` on, and after each turn their count to `lengths`.

        Of a turn, the response comes first, then its calls' results in call order, then what followed.
        """
        branch, starts = self.turns.entries, self.turns.starts
        for index, (start, end) in enumerate(pairwise((*starts[first:], len(branch))), first):
            entry = branch[start]
            kind = type(entry)
            if end - start > 1 or kind is ToolCall:
                entries += self._with_results([entry for entry in branch[start:end] if self._is_in_context(entry, index)])
            elif kind is UserMessage or self._is_in_context(entry, index):  # the most common case: saves creating a list
                entries.append(entry)
            lengths.append(len(entries))

    def _with_results(self, staying: Sequence[Entry]) -> Sequence[Entry]:
        results = [self._result(entry) for entry in staying if isinstance(entry, ToolCall)]
        if not results:
            return staying
        response_length = sum(type(entry) in RESPONSE_TYPES for entry in staying)
        return [*staying[:response_length], *results, *staying[response_length:]]

    def _start_response(self, index: int) -> int:
        """Note that turn `index` starts with a response. Returns the same as `extend`."""
        self._responses += 1
        answered, self._answered = self._answered, index + 1
        return min(self._first_expiring_turn.pop(self._responses, index), answered if "all" in self._prunings else index)

    def _track(self, entry: Entry, index: int) -> int:
        """Note what `entry` means for the turn `index`. Returns the same as `extend`."""
        match entry:
            case UserMessage():
                answered, self._answered_before_message = self._answered_before_message, self._answered
                self.newest_message_turn = index
                return answered if "before_last_message" in self._prunings else index
            case ToolCall():
                self._answered = index
                self._turn_of_call.setdefault(entry.id, index)
            case ToolResult():
                self.results[entry.call_id] = entry
                return self._turn_of_call.get(entry.call_id, index)
            case Reminder(duration=int(duration)):
                self._responses_up_to[index] = self._responses
                self._first_expiring_turn.setdefault(self._responses + duration, index)
            case _:
                pass
        return index

    def _is_in_context(self, entry: Entry, index: int) -> bool:
        match entry:
            case AssistantText():
                return bool(entry.text.strip()) or self._has_content(entry)
            case UserMessage() | File() | AnswerFile() | ContextData() | NoToolCallRetry():
                return True
            case Reasoning():
                return self._has_content(entry) and not self._is_pruned(self._policy.prune_reasoning, index)
            case ProviderToolCall():
                return bool(entry.provider_metadata)
            case ToolCall():
                return not self._is_pruned(self._tool_prunings.get(entry.name, self._policy.prune_tool_calls), index)
            case Reminder(duration=duration):
                return duration is None or self._responses - self._responses_up_to[index] < duration
            case ToolResult():  # added after its call's response
                return False
            case (
                Source()
                | CompactedHistory()
                | ArtifactReference()
                | WorkflowStep()
                | ApprovalRequest()
                | ApprovalResponse()
                | ClientRequest()
                | ClientOutput()
                | ClientData()
                | Notice()
                | SubAgentEntry()
            ):
                return False
            case _:
                assert_never(entry)

    def _has_content(self, entry: AssistantText | Reasoning) -> bool:
        return bool(entry.text.strip() or entry.provider_metadata) or not self._policy.prune_empty

    def _is_pruned(self, pruning: Pruning, index: int) -> bool:
        match pruning:
            case "none":
                return False
            case "all":
                return index < self._answered
            case "before_last_message":
                return index < self._answered_before_message

    def _result(self, call: ToolCall) -> ToolResult:
        return self.results.get(call.id) or ToolResult(call.id, call.name, MISSING_RESULT_TEXT, is_error=True)
