"""The same call again and again (SPEC 3.9), read from the entries since the user's last message."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from agents.engine.history import since_last_message
from agents.engine.messages import Entry, Reminder, ToolCall

LOOP_CODE = "loop"
REPETITION_WINDOW = 30  # calls
MAX_INTERCEPTIONS = 3  # the step with the last one ends the run

REPEATED_CALL_TEXT = (
    "Not run: the same call was made {count} times before, and its result will not change. Try another way, or answer with what you have."
)
LOOP_REMINDER_TEXT = "You are repeating the call of {names}. Do something else: use what you know, ask the user, or answer."


def repeated_calls(calls: Sequence[ToolCall], entries: Sequence[Entry], *, max_equal: int) -> dict[str, int]:
    """Of a step's calls (the last ones of `entries`) those made `max_equal` times before: how often, by call id."""
    own = {call.id for call in calls}
    earlier = (entry for entry in since_last_message(entries) if isinstance(entry, ToolCall) and entry.id not in own)
    seen = Counter(_key(call) for call in islice(earlier, REPETITION_WINDOW))
    repeated: dict[str, int] = {}
    for call in calls:
        key = _key(call)
        if seen[key] >= max_equal:
            repeated[call.id] = seen[key]
        seen[key] += 1
    return repeated


def loop_reminder(calls: Iterable[ToolCall]) -> Reminder:
    names = ", ".join(sorted({call.name for call in calls}))
    return Reminder(LOOP_REMINDER_TEXT.format(names=names), LOOP_CODE)


def count_interceptions(entries: Sequence[Entry]) -> int:
    """In how many steps since the user's last message calls were intercepted."""
    return sum(isinstance(entry, Reminder) and entry.code == LOOP_CODE for entry in since_last_message(entries))


def _key(call: ToolCall) -> tuple[str, str]:
    return call.name, json.dumps(call.arguments, sort_keys=True)
