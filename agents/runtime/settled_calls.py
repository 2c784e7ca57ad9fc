"""What becomes of the entries of a replay that ended at a call that was not recorded, so that it can go on (docs/decisions/0064)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from agents.engine.history import parent_call_ids, unwrap_entry
from agents.engine.messages import ClientData, Entry, NextStep, Notice, SubAgentEntry, ToolResult
from agents.runtime.recorded_calls import STOPS

LIVE: Final = "live"  # the call runs
ENTERED: Final = "entered"  # an admin gave its result


@dataclass(frozen=True, slots=True)
class Stop:
    """A call at which a replay ended. `place`: of its result among the entries, which its notice follows."""

    place: int
    result: ToolResult
    parents: tuple[str, ...]  # the calls that it was made for, by sub-agents, outermost first
    code: str


def stops_of(entries: Sequence[Entry]) -> list[Stop]:
    """Return where a replay ended, in order: several places when one answer of the model called several tools."""
    found: list[Stop] = []
    for place, entry in enumerate(entries[1:]):
        notice, result = unwrap_entry(entry), unwrap_entry(entries[place])
        if isinstance(notice, Notice) and notice.code in STOPS and isinstance(result, ToolResult):
            found.append(Stop(place, result, parent_call_ids(entry), notice.code))
    return found


def settled_entries(entries: Sequence[Entry], stop: Stop, output: Any = None, *, is_live: bool = False) -> list[tuple[int, Entry]]:
    """Return (former place, entry) of what is kept, so that a run that continues from it takes the call up again.

    `output`: the call's result as an admin entered it. `is_live`: there is none, and the call is open again. Other calls at which the
    replay ended are open again, and so are the calls of the sub-agents around them.
    """
    stops = stops_of(entries)
    reopened = {each.result.call_id for each in stops if is_live or each.place != stop.place}
    reopened |= {parent for each in stops for parent in each.parents}
    sub_agent_calls = {call_id for entry in entries for call_id in parent_call_ids(entry)}
    notices = {each.place + 1 for each in stops}
    kept: list[tuple[int, Entry]] = []
    for place, entry in enumerate(entries[: _end_of_calls(entries)]):
        inner = unwrap_entry(entry)
        if place in notices or (isinstance(inner, ToolResult) and inner.call_id in reopened and place >= stops[0].place):
            continue
        if place == stop.place:
            entry = _with_innermost(entry, replace(stop.result, output=output, is_error=False, next_step=NextStep.GO_ON))
        elif isinstance(inner, ToolResult) and inner.call_id in sub_agent_calls:  # which the stop ended, too
            entry = _with_innermost(entry, replace(inner, next_step=NextStep.GO_ON))
        kept.append((place, entry))
    return kept


def _end_of_calls(entries: Sequence[Entry]) -> int:
    """Return how many entries there are without what a run appends when it ends."""
    end = len(entries)
    while end and isinstance(entries[end - 1], Notice | ClientData):
        end -= 1
    return end


def _with_innermost(entry: Entry, inner: Entry) -> Entry:
    return replace(entry, entry=_with_innermost(entry.entry, inner)) if isinstance(entry, SubAgentEntry) else inner
