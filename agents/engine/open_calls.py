"""Open calls: the tool calls since the user's last message that have no result yet, and what becomes of each.

A run can leave its calls open in many places: its process died, it waits for the user or the page around the chat, a
message or Stop came in between. Any process may then have to settle them, and all of them decide alike, by one table.

**The state of a call** is read from the entries (`CallRecords`), from the run's tools and from what this execution has
done; the first line of `CallState` that applies. Nobody keeps it anywhere else. A call that was allowed but may have
begun counts as begun, unless the decision was delivered just now.

**The occasion** is why the call has to be settled. The engine does it in four places:

- STEP: the model made the call just now.
- RESUME: another execution left it open: that process died, or the run waited and was woken.
- RESUME_TO_MESSAGE: the same, but a message of the user is waiting, which comes next.
- INTERRUPTED: a message arrived while the step's calls worked; what worked has been cancelled.

The chat does it twice, where no engine runs: a new question ends a waiting run (REPLACED), and a run is over, however
it ended (OVER).

**The table** (`_TABLE`) gives the action. A combination without one can't occur. Only RUN reaches a tool, only
ASK_USER and WAIT leave the call open in a run that goes on, and LEAVE leaves it open for good: a request says of such a
call that no result was recorded. All other actions record a result, so that the model learns what happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Final
from uuid import UUID, uuid5

from agents.context.tokens import output_text
from agents.engine.run_progress import since_last_message
from agents.messages import ApprovalRequest, ApprovalResponse, ClientOutput, ClientRequest, Entry, ToolCall, ToolResult

_APPROVAL_ID_NAMESPACE = UUID("8f2f4d0e-6a0c-4d0b-9d57-0c1f7a4f3b11")
DENIAL = "The user did not allow this call."
WROTE_INSTEAD = "A message was written instead."  # other languages: frontend/src/chat/work/RefusalReason.tsx
UNDECIDED = "Not run: the user was asked to allow this call and wrote a message instead."
UNDECIDED_INSIDE = "Not finished: the user was asked to allow something that it wanted to do, and wrote a message instead."
CLIENT_DID_NOT_ANSWER: Final = "The page did not answer, so it is unknown whether it did this."
CLIENT_OUTPUT_NOT_USED: Final = "The page answered, but the run ended before this was read: {output}"
NOT_BEGUN = "Not run: a new message of the user came first."
INTERRUPTED = "Interrupted by a new message of the user before there was a result. The outcome is unknown."
OUTCOME_UNKNOWN = "The run was interrupted while this tool worked, so its outcome is unknown. Find out before you run it again."


class CallState(StrEnum):
    """What is known of an open call. The first line that applies counts."""

    ASKED_CLIENT = auto()  # the client was asked, and has not answered
    CLIENT_ANSWERED = auto()  # the client has carried it out, and the run still has its tool
    CUT_BEFORE_CLIENT = auto()  # this execution began it, and had not yet asked the client
    CUT = auto()  # this execution began it, and was interrupted
    INVALID = auto()  # it does not pass the checks
    ASKED_USER = auto()  # the user was asked, and has not decided
    MUST_ASK = auto()  # the user has to be asked first
    DENIED = auto()  # the user did not allow it
    NEW = auto()  # it has certainly not begun
    REPEATABLE = auto()  # it may have begun, but is safe to run again
    UNKNOWN = auto()  # it may have begun


class Occasion(StrEnum):
    """Why a call has to be settled."""

    STEP = auto()
    RESUME = auto()
    RESUME_TO_MESSAGE = auto()
    INTERRUPTED = auto()
    REPLACED = auto()
    OVER = auto()


class CallAction(StrEnum):
    """What becomes of a call."""

    RUN = auto()
    ASK_USER = auto()
    WAIT = auto()
    LEAVE = auto()
    # These record a result: an error that says what happened.
    REFUSE = auto()  # why it is invalid
    DENY = auto()  # the user's words
    WITHDRAW = auto()  # before it, the user's decision is recorded as "no"
    NO_ANSWER = auto()
    OUTPUT_NOT_USED = auto()
    NOT_BEGUN = auto()
    INTERRUPT = auto()
    UNKNOWN = auto()  # it may have begun


_S, _A = CallState, CallAction
# Columns: the occasions, in their order. None: can't occur.
_TABLE: Mapping[CallState, tuple[CallAction | None, ...]] = {
    _S.ASKED_CLIENT: (None, _A.WAIT, _A.NO_ANSWER, _A.NO_ANSWER, _A.NO_ANSWER, _A.NO_ANSWER),
    _S.CLIENT_ANSWERED: (None, _A.RUN, _A.RUN, _A.RUN, _A.WITHDRAW, _A.OUTPUT_NOT_USED),
    _S.CUT_BEFORE_CLIENT: (None, None, None, _A.NOT_BEGUN, None, None),
    _S.CUT: (None, None, None, _A.INTERRUPT, None, None),
    _S.INVALID: (_A.REFUSE, _A.REFUSE, _A.REFUSE, None, None, None),
    _S.ASKED_USER: (None, _A.WAIT, _A.WITHDRAW, _A.WITHDRAW, _A.WITHDRAW, _A.LEAVE),
    _S.MUST_ASK: (_A.ASK_USER, _A.ASK_USER, _A.WITHDRAW, _A.WITHDRAW, None, None),
    _S.DENIED: (None, _A.DENY, _A.DENY, _A.DENY, _A.WITHDRAW, _A.LEAVE),
    _S.NEW: (_A.RUN, _A.RUN, _A.RUN, _A.NOT_BEGUN, None, None),  # before a message, too: the user has allowed it, and then written
    _S.REPEATABLE: (None, _A.RUN, _A.UNKNOWN, _A.UNKNOWN, None, None),
    _S.UNKNOWN: (None, _A.UNKNOWN, _A.UNKNOWN, _A.UNKNOWN, _A.WITHDRAW, _A.LEAVE),
}
ACTIONS: Mapping[Occasion, Mapping[CallState, CallAction]] = {
    occasion: {state: action for state, row in _TABLE.items() if (action := row[column])} for column, occasion in enumerate(Occasion)
}
_TEXTS = {
    CallAction.NO_ANSWER: CLIENT_DID_NOT_ANSWER,
    CallAction.NOT_BEGUN: NOT_BEGUN,
    CallAction.INTERRUPT: INTERRUPTED,
    CallAction.UNKNOWN: OUTCOME_UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class CallRecords:
    """What the entries say of calls that wait, by call id: for the user (SPEC 4.11) or for the client (SPEC 4.12)."""

    asked_user: frozenset[str] = frozenset()
    decisions: Mapping[str, ApprovalResponse] = field(default_factory=dict)
    asked_client: frozenset[str] = frozenset()
    outputs: Mapping[str, ClientOutput] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> CallRecords:
        asked_user, decisions = set[str](), dict[str, ApprovalResponse]()
        asked_client, outputs = set[str](), dict[str, ClientOutput]()
        for entry in entries:
            match entry:
                case ApprovalRequest():
                    asked_user.add(entry.call_id)
                case ApprovalResponse():
                    decisions[entry.call_id] = entry
                case ClientRequest():
                    asked_client.add(entry.call_id)
                case ClientOutput():
                    outputs[entry.call_id] = entry
        return cls(frozenset(asked_user), decisions, frozenset(asked_client), outputs)

    def waits_for_client(self, call: ToolCall) -> bool:
        return call.id in self.asked_client and call.id not in self.outputs

    def waits_for_user(self, call: ToolCall) -> bool:
        return call.id in self.asked_user and call.id not in self.decisions

    def was_never_asked_about(self, call: ToolCall) -> bool:
        return call.id not in self.decisions.keys() | self.asked_user | self.asked_client


def pending_calls(entries: Sequence[Entry]) -> tuple[ToolCall, ...]:
    """Return the open calls, in order."""
    calls: list[ToolCall] = []
    answered_ids: set[str] = set()
    for entry in since_last_message(entries):
        match entry:
            case ToolResult():
                answered_ids.add(entry.call_id)
            case ToolCall() if entry.id not in answered_ids:
                calls.append(entry)
    return tuple(reversed(calls))


def closing_entries(calls: Iterable[ToolCall], entries: Iterable[Entry], occasion: Occasion) -> Iterator[Entry]:
    """Yield what is recorded for the open calls of a run that runs no more tools (REPLACED or OVER)."""
    records = CallRecords.of(entries)
    for call in calls:
        yield from action_entries(call, ACTIONS[occasion][recorded_state(call, records)], records)


def recorded_state(call: ToolCall, records: CallRecords) -> CallState:
    """Return the state of a call as far as the entries say it: where they say nothing, it is UNKNOWN."""
    if records.waits_for_client(call):
        return CallState.ASKED_CLIENT
    if call.id in records.outputs:
        return CallState.CLIENT_ANSWERED
    if records.waits_for_user(call):
        return CallState.ASKED_USER
    return CallState.DENIED if call.id in records.decisions and not records.decisions[call.id].approved else CallState.UNKNOWN


def action_entries(call: ToolCall, action: CallAction, records: CallRecords, text: str = "") -> Iterator[Entry]:
    """Yield what is recorded for an action that ends a call without a tool. `text`: of the result, instead of the usual one."""
    match action:
        case CallAction.LEAVE:
            return
        case CallAction.WITHDRAW:
            if was_asked := records.waits_for_user(call):
                yield ApprovalResponse(approval_request(call).approval_id, call.id, approved=False, reason=WROTE_INSTEAD)
            yield ToolResult(call.id, call.name, UNDECIDED, is_error=True, denied=was_asked, reads=())
        case CallAction.DENY:
            reason = records.decisions[call.id].reason
            words = f"{DENIAL} Reason: {reason}" if reason else DENIAL
            yield ToolResult(call.id, call.name, words, is_error=True, denied=True, reads=())
        case CallAction.OUTPUT_NOT_USED:
            words = CLIENT_OUTPUT_NOT_USED.format(output=output_text(records.outputs[call.id].output))
            yield ToolResult(call.id, call.name, words, is_error=True, reads=("private", "untrusted"))  # text of the page
        case _:
            yield refusal(call, text or _TEXTS[action])


def refusal(call: ToolCall, text: str) -> ToolResult:
    """Return the result of a call that does not run."""
    return ToolResult(call.id, call.name, text, is_error=True, reads=())


def approval_request(call: ToolCall, reason: str = "", *, host: str = "", may_last: bool = False) -> ApprovalRequest:
    """Return the approval request for a call. `host`: where its arguments go; `may_last`: see ApprovalRequest.

    Its id is derived from the call and its arguments. So asking again after a crash gives the same request, and a call
    of another answer that has the same id gives a different one.
    """
    what = json.dumps([call.id, call.name, call.arguments], sort_keys=True)
    return ApprovalRequest(str(uuid5(_APPROVAL_ID_NAMESPACE, what)), call.id, reason, host, may_last)
