"""Calls of a run that need an approval, and which of them are settled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.engine.run_progress import parent_call_ids, unwrap_entry
from agents.messages import ApprovalRequest, Entry, ToolCall, ToolResult
from chat.storage.run_writes import NewApproval


class ApprovalCalls:
    """The calls whose approval was asked for, each with the sub-agent calls within which it was made."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._parents: dict[str, tuple[str, ...]] = {}
        self.add(entries)

    def __bool__(self) -> bool:
        return bool(self._parents)

    def add(self, entries: Iterable[Entry]) -> None:
        """Note the requests among `entries`."""
        for entry in entries:
            if isinstance(request := unwrap_entry(entry), ApprovalRequest):
                self._parents[request.call_id] = parent_call_ids(entry)

    def settled_by(self, entries: Iterable[Entry]) -> list[str]:
        """Return the calls that are settled: they, or the calls that they were made for, have a result among `entries`."""
        settled_ids = {result.call_id for entry in entries if isinstance(result := unwrap_entry(entry), ToolResult)}
        return [call_id for call_id, parents in self._parents.items() if settled_ids & {call_id, *parents}] if settled_ids else []


def new_approvals(entries: Iterable[Entry], context: Sequence[Entry]) -> list[NewApproval]:
    """Return the approvals that `entries` ask for. The calls that they are about are in `context`."""
    requests = [request for entry in entries if isinstance(request := unwrap_entry(entry), ApprovalRequest)]
    return [NewApproval(each.approval_id, _call(each.call_id, context), each.host if each.may_last else "") for each in requests]


def _call(call_id: str, context: Sequence[Entry]) -> ToolCall:
    calls = (unwrap_entry(entry) for entry in reversed(context))
    return next(call for call in calls if isinstance(call, ToolCall) and call.id == call_id)
