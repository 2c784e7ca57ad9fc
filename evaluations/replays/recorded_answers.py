"""Which recorded entries are the answer to which recorded model call."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from agents.engine.run_progress import parent_call_ids, unwrap_entry
from agents.messages import Entry, ResponseEntry, Usage
from agents.runtime.replay.recorded_model import ANSWERED, RecordedModelCall
from chat.entries import StoredEntry
from chat.models import ModelCall

LOST_ANSWER = "lost"  # a call whose answer was not recorded: the same step was asked again
Answer = tuple[ResponseEntry, ...]


def recorded_model_calls(calls: Sequence[ModelCall], answer: Sequence[StoredEntry]) -> list[RecordedModelCall]:
    """Return the calls of the agent and its sub-agents with their answers. `calls`: in the order in which they ended."""
    by_step = _answers_by_step(answer)
    nested = _nested_answers(answer)
    last = {call.step: call.pk for call in calls if not call.parent_call_id and call.error_code in ANSWERED}
    recorded_calls = []
    for call in calls:
        is_answered = call.error_code in ANSWERED
        if call.parent_call_id:
            waiting = nested[call.parent_call_id]
            call_answer = waiting.popleft() if is_answered and waiting else None
        else:
            call_answer = by_step.get(call.step, ()) if is_answered and last[call.step] == call.pk else None
        recorded_calls.append(_recorded_call(call, call_answer, is_answered))
    return recorded_calls


def _recorded_call(call: ModelCall, answer: Answer | None, is_answered: bool) -> RecordedModelCall:
    return RecordedModelCall(
        id=call.pk,
        parent_call_id=call.parent_call_id,
        endpoint=call.endpoint,
        error_code=LOST_ANSWER if is_answered and answer is None else call.error_code,
        finish_reason=call.finish_reason,
        usage=Usage(**call.usage),
        answer=answer or (),
    )


def _answers_by_step(answer: Iterable[StoredEntry]) -> dict[int, Answer]:
    answers: dict[int, list[ResponseEntry]] = defaultdict(list)
    for entry in answer:
        if isinstance(entry.entry, ResponseEntry):
            answers[entry.step].append(entry.entry)
    return {step: tuple(entries) for step, entries in answers.items()}


def _nested_answers(answer: Iterable[StoredEntry]) -> defaultdict[str, deque[Answer]]:
    """Return the answers by the call that a sub-agent works for, in their order. Between two answers there is something else."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in answer:
        if parents := parent_call_ids(entry.entry):
            entries[parents[-1]].append(unwrap_entry(entry.entry))
    return defaultdict(deque, {call_id: deque(_groups(answers)) for call_id, answers in entries.items()})


def _groups(entries: Iterable[Entry]) -> Iterator[Answer]:
    for _, group in groupby(entries, key=lambda entry: isinstance(entry, ResponseEntry)):
        if answer := tuple(entry for entry in group if isinstance(entry, ResponseEntry)):
            yield answer
