"""The figures of a replayed run beside its original."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from difflib import SequenceMatcher
from typing import Any, Final

from chat.models import ModelCall, Run
from chat.storage.search_columns import cost_of
from evaluations.models import ReplayedRun
from evaluations.replays.steps import own_calls, own_text, run_calls, run_entries, run_steps
from evaluations.services.answers import unrecorded_call

MAX_COMPARED: Final = 4000  # words of an answer; more would take the time of a round


def outcome_of(original: Run, replayed: Run) -> dict[str, Any]:
    """Return the columns of a ReplayedRun whose run has ended. Five queries."""
    before, after = run_entries(original), run_entries(replayed)
    calls = run_calls(original), run_calls(replayed)
    steps = run_steps(before, calls[0]), run_steps(after, calls[1])
    texts = own_text(steps[0]), own_text(steps[1])
    is_done = replayed.status == Run.Status.DONE
    return {
        "status": ReplayedRun.Status.DONE if is_done else ReplayedRun.Status.FAILED,
        "error": "" if is_done else _reason(replayed),
        "unrecorded_call": unrecorded_call(replayed)[:120],
        "same_calls": own_calls(steps[0]) == own_calls(steps[1]),
        "likeness": likeness(*texts),
        "length_change": len(texts[1]) - len(texts[0]),
        "equal_requests": equal_requests(*calls),
        "requests": len(calls[1]),
        "cost_usd": cost_of(calls[1]),
        "original_cost_usd": cost_of(calls[0]),
        "duration_ms": duration_ms(replayed),
        "original_duration_ms": duration_ms(original),
    }


def likeness(before: str, after: str) -> float:
    """Return how much two texts have in common, word by word, from 0 to 1."""
    words = before.split()[:MAX_COMPARED], after.split()[:MAX_COMPARED]
    return SequenceMatcher(None, *words, autojunk=False).ratio()


def equal_requests(before: list[ModelCall], after: list[ModelCall]) -> int:
    """Return how many requests of the replay have the same bytes as one of the original."""
    left = [call.request_hash for call in before if call.request_hash]
    count = 0
    for call in after:
        if call.request_hash in left:
            left.remove(call.request_hash)
            count += 1
    return count


def tokens_of(calls: Iterable[ModelCall]) -> int:
    return sum(call.usage.get(name, 0) for call in calls for name in ("input_tokens", "output_tokens", "thinking_tokens"))


def duration_ms(run: Run) -> int:
    """Return how long a run worked, without waits, in milliseconds."""
    end = run.finished_at or run.created_at
    return max(0, (end - run.created_at) // timedelta(milliseconds=1) - run.waited_ms)


def _reason(run: Run) -> str:
    return "The run was stopped." if run.status == Run.Status.STOPPED else f"The run failed: {run.error_code or 'unknown error'}."
