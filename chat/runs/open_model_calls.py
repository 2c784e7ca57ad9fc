"""A run's model calls that are not in the call log yet, as heartbeats note them for a next owner (docs/decisions/0022)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from agents.runtime.call_recording import CallRecord


class OpenModelCalls:
    """The calls that wait for their answer, and what the last heartbeats noted of all calls that are not in the log."""

    def __init__(self) -> None:
        self._open: dict[UUID, CallRecord] = {}
        self._noted: dict[UUID, dict[str, Any]] = {}

    def add(self, call: CallRecord) -> None:
        self._open[call.id] = call

    def remove(self, call: CallRecord) -> None:
        self._open.pop(call.id, None)

    @property
    def open(self) -> Sequence[CallRecord]:
        """The calls that wait for their answer, as they were measured last."""
        return list(self._open.values())

    def forget_notes(self) -> None:
        """Note all again, because the rows with the notes were deleted."""
        self._noted.clear()

    def new(self, ended: Sequence[CallRecord]) -> list[dict[str, Any]]:
        """Return what is new since the last call, as JSON. `ended`: the calls that have ended and are not in the log."""
        for call in self._open.values():
            call.measure()
        return [{"id": str(call.id), **news} for call in (*self._open.values(), *ended) if (news := self._news(call))]

    def _news(self, call: CallRecord) -> dict[str, Any]:
        columns, noted = call.columns(), self._noted.get(call.id, {})
        news = {name: value for name, value in columns.items() if name not in noted or noted[name] != value}
        if news.keys() <= {"duration_ms"}:
            return {}
        self._noted[call.id] = columns
        return news
