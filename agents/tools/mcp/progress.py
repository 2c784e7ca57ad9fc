"""Progress of a call, as its server reports it and as the call's card shows it."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import Final, Protocol, Self

from agents.messages import DataPart

PART: Final = "tool-progress"
INTERVAL_S = 0.5  # between two updates of a card
MAX_TEXT_CHARS = 200


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come. `total` None: unknown. `message` may be empty and contains no keys."""

    progress: float
    total: float | None
    message: str

    @property
    def percent(self) -> int | None:
        """From 0 to 100; None when the server gave no sensible total."""
        if self.total is None or not (math.isfinite(self.progress) and math.isfinite(self.total)) or self.total <= 0:
            return None
        return round(100 * min(max(self.progress / self.total, 0.0), 1.0))


def ignore_progress(progress: Progress) -> None:
    """Accept progress that nobody wants to see."""


class DataPartSink(Protocol):
    """Where data parts are shown; a journal is one."""

    def data(self, part: DataPart) -> None: ...


class ProgressCard:
    """Shows a call's progress in its card, at most twice a second, until the call ends. Nothing is stored."""

    def __init__(self, sink: DataPartSink, call_id: str) -> None:
        self._sink, self._call_id = sink, call_id
        self._newest: Progress | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._newest = None
        if self._timer is not None:
            self._timer.cancel()

    def show(self, progress: Progress) -> None:
        """Show the progress at once, or as soon as the card may change again."""
        self._newest = progress
        if self._timer is None:
            self._publish()

    def _publish(self) -> None:
        self._timer = None
        if self._newest is None:
            return
        progress, self._newest = self._newest, None
        data = {"callId": self._call_id, "percent": progress.percent, "text": progress.message[:MAX_TEXT_CHARS]}
        self._sink.data(DataPart(PART, data, transient=True))
        self._timer = asyncio.get_running_loop().call_later(INTERVAL_S, self._publish)
