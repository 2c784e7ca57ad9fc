"""A run's model calls: those that wait for their answer, those that have ended and are not stored, and what all have cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from agents.engine.agent import total_cost
from agents.messages import Usage
from agents.runtime.call_recording import CallKind, CallRecord


class RunCalls:
    """The calls of the run, of its agent and its sub-agents, as this owner has seen them.

    Heartbeats note what is new of those that are not in the call log yet, for a next owner (docs/decisions/0022).
    """

    def __init__(self, usage: Usage, *, is_first_owner: bool) -> None:
        self.usage = usage  # of all calls that have ended, also of former owners
        self.has_lost_call = False  # a former owner may have asked the model, and nothing is noted of it
        self._is_first_owner = is_first_owner
        self._open_calls: dict[UUID, CallRecord] = {}
        self._ended_calls: list[CallRecord] = []
        self._costs: list[float | None] = []  # in US dollars
        self._noted: dict[UUID, dict[str, Any]] = {}

    def open(self, call: CallRecord) -> None:
        """Note a call before it is sent."""
        self._open_calls[call.id] = call
        if self.has_lost_call and call.origin.kind == CallKind.STEP:
            self.has_lost_call = False
            self.end(call.lost_before())

    def end(self, call: CallRecord) -> None:
        """Note a call that has ended, and add its tokens. It is stored with the next write."""
        self._open_calls.pop(call.id, None)
        self._ended_calls.append(call)
        self.usage += call.usage
        self._costs.append(call.cost_usd)

    @property
    def unstored(self) -> list[CallRecord]:
        """The calls that have ended and are not in the call log."""
        return list(self._ended_calls)

    def mark_stored(self, count: int) -> None:
        """Note that the first `count` of these are in the log, and that the rows with the notes were deleted: note all others again."""
        del self._ended_calls[:count]
        self._noted.clear()

    def news(self) -> list[dict[str, Any]]:
        """Return what is new of all calls that are not in the log since the last call of this method, as JSON."""
        for call in self._open_calls.values():
            call.measure()
        return [{"id": str(call.id), **news} for call in (*self._open_calls.values(), *self._ended_calls) if (news := self._news_of(call))]

    def _news_of(self, call: CallRecord) -> dict[str, Any]:
        columns, noted = call.columns(), self._noted.get(call.id, {})
        news = {name: value for name, value in columns.items() if name not in noted or noted[name] != value}
        if news.keys() <= {"duration_ms"}:
            return {}
        self._noted[call.id] = columns
        return news

    def metadata(self) -> dict[str, Any]:
        """Return tokens and cost of the calls that have ended, as viewers get them."""
        return {"usage": _usage_metadata(self.usage), **self._cost(self._costs)}

    def estimated_metadata(self) -> dict[str, Any]:
        """Return the same with an estimate of the calls that are under way, which `news` has measured."""
        under_way = self._open_calls.values()
        usage = sum((call.usage for call in under_way), self.usage)
        return {"usage": _usage_metadata(usage), **self._cost([*self._costs, *(call.cost_usd for call in under_way)])}

    def _cost(self, costs: Sequence[float | None]) -> dict[str, float | None]:
        """Return `costUsd`: None when a price is unknown. Left out when a former owner made calls, whose cost is in the call log alone."""
        return {"costUsd": total_cost(costs)} if self._is_first_owner else {}


def _usage_metadata(usage: Usage) -> dict[str, int]:
    return {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens, "thinkingTokens": usage.thinking_tokens}
