"""What becomes of the entries of a replay that ended at a call that was not recorded, so that it can go on (docs/decisions/0064)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from agents.engine.run_progress import parent_call_ids, unwrap_entry
from agents.messages import ClientData, Entry, NextStep, Notice, SubAgentEntry, ToolResult
from agents.runtime.replay.recorded_calls import STOPS

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
    stops: list[Stop] = []
    for place, entry in enumerate(entries[1:]):
        notice, result = unwrap_entry(entry), unwrap_entry(entries[place])
        if isinstance(notice, Notice) and notice.code in STOPS and isinstance(result, ToolResult):
            stops.append(Stop(place, result, parent_call_ids(entry), notice.code))
    return stops


def settled_entries(entries: Sequence[Entry], stop: Stop, output: Any = None, *, is_live: bool = False) -> list[tuple[int, Entry]]:
    """Return (former place, entry) of what is kept, so that a run that continues from it takes the call up again.

    `output`: the call's result as an admin entered it. `is_live`: there is none, and the call is open again. Other calls at which the
    replay ended are open again, and so are the calls of the sub-agents around them.
    """
    stops = stops_of(entries)
    reopened_ids = {each.result.call_id for each in stops if is_live or each.place != stop.place}
    reopened_ids |= {parent for each in stops for parent in each.parents}
    sub_agent_calls = {call_id for entry in entries for call_id in parent_call_ids(entry)}
    notices = {each.place + 1 for each in stops}
    kept_entries = [
        (place, entry)
        for place, entry in enumerate(entries[: _end_of_calls(entries)])
        if place not in notices and not (place >= stops[0].place and _result_of(entry) in reopened_ids)
    ]
    return [
        (place, _continuing_entry(entry, sub_agent_calls, (stop, output) if place == stop.place else None)) for place, entry in kept_entries
    ]


def _result_of(entry: Entry) -> str:
    """Return the call whose result the entry is; "" when it is none."""
    inner = unwrap_entry(entry)
    return inner.call_id if isinstance(inner, ToolResult) else ""


def _continuing_entry(entry: Entry, sub_agent_calls: set[str], settlement: tuple[Stop, Any] | None) -> Entry:
    """Return the entry so that the run goes on after it: the settled call has its result, and no sub-agent's result ends the run."""
    inner = unwrap_entry(entry)
    if settlement:
        stop, output = settlement
        return _with_innermost(entry, replace(stop.result, output=output, is_error=False, next_step=NextStep.GO_ON))
    if isinstance(inner, ToolResult) and inner.call_id in sub_agent_calls:
        return _with_innermost(entry, replace(inner, next_step=NextStep.GO_ON))
    return entry


def _end_of_calls(entries: Sequence[Entry]) -> int:
    """Return how many entries there are without what a run appends when it ends."""
    end = len(entries)
    while end and isinstance(entries[end - 1], Notice | ClientData):
        end -= 1
    return end


def _with_innermost(entry: Entry, inner: Entry) -> Entry:
    return replace(entry, entry=_with_innermost(entry.entry, inner)) if isinstance(entry, SubAgentEntry) else inner
