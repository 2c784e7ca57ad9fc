"""Reads the progress of a run from its entries, so that any process can continue it.

- How far the run is: its question, steps, reminders and how its last step ended.
- Repeated tool calls (SPEC 3.9) among the entries since the user's last message.
- Runs inside it (SPEC 4.9), whose entries are stored under the tool call that they work for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile

from agents.messages import (
    AnswerFile,
    ApprovalRequest,
    ApprovalResponse,
    AssistantText,
    Entry,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    ResponseEntry,
    Source,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.messages.prefix_cache import question_index

_NON_TEXT_TYPES = (AnswerFile, Notice, ProviderToolCall, Reasoning, Source)  # in an answer beside its text, or after it
MALFORMED_CALL = "malformed_call"
FALLBACK = "fallback"
LOOP_CODE = "loop"
REPETITION_WINDOW = 30  # calls
MAX_EQUAL_CALLS = 5  # among these, whatever is configured (SECURITY 25)
MAX_INTERCEPTIONS = 3  # the step of the third interception ends the run
REPEATED_CALL_TEXT = (
    "Not run: the same call was made {count} times before, and its result will not change. Try another way, or answer with what you have."
)
LOOP_REMINDER_TEXT = "You are repeating the call of {names}. Do something else: use what you know, ask the user, or answer."


def since_last_message(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries after the user's last message, newest first."""
    for entry in reversed(entries):
        if isinstance(entry, UserMessage):
            return
        yield entry


def entries_after_last_step(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries after the last answer, result or message, newest first."""
    return list(takewhile(lambda entry: not isinstance(entry, ResponseEntry | ToolResult | UserMessage), reversed(entries)))


def steps_since_message(entries: Sequence[Entry], step: int) -> int:
    """Return how many of the run's `step` steps came after the user's last message.

    That is all of them, unless the message was sent into the run.
    """
    last = next((entry for entry in reversed(entries) if isinstance(entry, UserMessage)), None)
    if last is None or not last.id:
        return step
    return count_steps(since_last_message(entries))


def count_run_calls(entries: Sequence[Entry]) -> int:
    """Return how many tool calls the run and its sub-agents have made since the question."""
    return sum(isinstance(unwrap_entry(entry), ToolCall) for entry in entries[question_index(entries) :])


def count_reminders(entries: Sequence[Entry], code: str) -> int:
    """Return how many reminders with this code the agent got since the user's last message."""
    return sum(isinstance(entry, Reminder) and entry.code == code for entry in since_last_message(entries))


def last_fallback_notice(entries: Sequence[Entry]) -> str:
    """Return the text of the newest notice, since the last message, that another endpoint answered; "" without one."""
    notices = (entry for entry in since_last_message(entries) if isinstance(entry, Notice))
    return next((notice.text for notice in notices if notice.code == FALLBACK), "")


def last_step(entries: Sequence[Entry]) -> tuple[list[ToolCall], list[ToolResult], AssistantText | AnswerFile | None]:
    """Return the calls and results that end the branch, or the complete text or file that ends it.

    Returns nothing when another kind of entry follows the step.
    """
    calls, results, follows_provider_output = list[ToolCall](), list[ToolResult](), False
    for entry in since_last_message(entries):
        match entry:
            case AssistantText() if not results and not calls:
                return [], [], None if entry.partial or not entry.text else entry
            case AnswerFile() if not results and not calls:
                return [], [], entry
            case ProviderToolCall() | Source():
                # Part of an answer that only ran the provider's own tools; its text may come before them.
                follows_provider_output = not results and not calls
            case ToolResult() if not calls and not follows_provider_output:
                results.append(entry)
            case ToolCall():
                calls.append(entry)
            case Reminder() | NoToolCallRetry() | AssistantText() | Reasoning() | ToolResult():
                break
            case _:
                continue
    return calls, results, None


def repeated_calls(calls: Sequence[ToolCall], entries: Sequence[Entry], *, max_equal: int) -> dict[str, int]:
    """Return, by call id, how often each repeated call of a step was made before.

    `calls` are the step's calls, the last ones of `entries`. A call counts as repeated when it was made at least
    `max_equal` times before, or MAX_EQUAL_CALLS times.
    """
    limit = min(max_equal, MAX_EQUAL_CALLS)
    own = {call.id for call in calls}
    earlier = (entry for entry in since_last_message(entries) if isinstance(entry, ToolCall) and entry.id not in own)
    counts = Counter(_signature(call) for call in islice(earlier, REPETITION_WINDOW))
    repeat_counts: dict[str, int] = {}
    for call in calls:
        signature = _signature(call)
        if counts[signature] >= limit:
            repeat_counts[call.id] = counts[signature]
        counts[signature] += 1
    return repeat_counts


def _signature(call: ToolCall) -> tuple[str, str]:
    return call.name, json.dumps(call.arguments, sort_keys=True)


def unwrap_entry(entry: Entry) -> Entry:
    """Return the entry without its wrappers."""
    while isinstance(entry, SubAgentEntry):
        entry = entry.entry
    return entry


def parent_call_ids(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the calls that an entry is stored under, outermost first."""
    return (entry.call_id, *parent_call_ids(entry.entry)) if isinstance(entry, SubAgentEntry) else ()


def decided_call_ids(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the ids of all calls that the user decided about, including those of sub-agents."""
    return frozenset(response.call_id for entry in entries if isinstance(response := unwrap_entry(entry), ApprovalResponse))


def has_pending_approval(entries: Sequence[Entry], call_id: str) -> bool:
    """Return whether a sub-agent that works for this call has an approval request without a decision."""
    inside = [unwrap_entry(entry) for entry in entries if call_id in parent_call_ids(entry)]
    approval_ids = {entry.approval_id for entry in inside if isinstance(entry, ApprovalRequest)}
    return bool(approval_ids - {entry.approval_id for entry in inside if isinstance(entry, ApprovalResponse)})


def call_ids_within(entries: Iterable[Entry], call_id: str) -> frozenset[str]:
    """Return the id of this call and of all calls that sub-agents made for it."""
    inside = (unwrap_entry(entry) for entry in entries if call_id in parent_call_ids(entry))
    return frozenset([call_id, *(entry.id for entry in inside if isinstance(entry, ToolCall))])


def count_steps(entries: Iterable[Entry]) -> int:
    """Return the number of answers: adjacent response entries count as one."""
    is_response = [isinstance(entry, ResponseEntry) for entry in entries]
    return sum(now and not before for before, now in zip([False, *is_response], is_response, strict=False))


def final_text(entries: Sequence[Entry]) -> str:
    """Return the run's text after its last call or message."""
    texts: list[str] = []
    for entry in reversed(entries):
        if isinstance(entry, AssistantText):
            texts.append(entry.text)
        elif not isinstance(entry, _NON_TEXT_TYPES):
            break
    return "".join(reversed(texts)).strip()
