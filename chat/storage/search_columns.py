"""What lists of runs are searched by: the cost of a run's calls, and the tools that gave it results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol
from uuid import UUID

from agents.engine.agent import total_cost
from agents.engine.run_progress import unwrap_entry
from agents.messages import ProviderToolCall, ToolResult
from chat.entries import StoredEntry
from chat.models import RunTool

MAX_NAME_CHARS: Final = 200  # as lists are searched by it


class _PricedCall(Protocol):
    @property
    def cost_usd(self) -> float | None: ...


def cost_of(calls: Iterable[_PricedCall]) -> float | None:
    """Return the sum in US dollars; None when the price of a call is not known. Added to the run's cost, None makes that unknown, too."""
    return total_cost(call.cost_usd for call in calls)


def tool_rows(run_id: UUID, entries: Iterable[StoredEntry]) -> list[RunTool]:
    """Return unsaved rows of the tools that gave one of the results, also to a sub-agent. Some may be stored already."""
    unwrapped = (unwrap_entry(stored_entry.entry) for stored_entry in entries)
    names = {entry.name.replace("\x00", "")[:MAX_NAME_CHARS] for entry in unwrapped if isinstance(entry, ToolResult | ProviderToolCall)}
    return [RunTool(run_id=run_id, name=name) for name in sorted(names)]
