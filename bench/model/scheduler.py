"""Scheduler with one timer for all streams of the benchmark's double, instead of one sleep per token."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

TICK_S = 0.001  # the resolution of the event loop's timers

Step = Callable[[], float | None]


class Scheduler:
    """Calls each step when it is due, those of the same millisecond in one pass.

    A step returns the seconds until it is due again, or None for never. Late steps are called at once, as often as they are overdue, so a
    stream's rate holds over the whole answer.
    """

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Step]] = []
        self._numbers = count()  # steps that are due at the same moment are called in order of arrival
        self._timer: asyncio.TimerHandle | None = None

    def add(self, delay_s: float, step: Step) -> None:
        heapq.heappush(self._due, (asyncio.get_running_loop().time() + delay_s, next(self._numbers), step))
        self._set_timer()

    def _run_due(self) -> None:
        now = asyncio.get_running_loop().time() + TICK_S / 2
        while self._due and self._due[0][0] <= now:
            due, _, step = heapq.heappop(self._due)
            if (again := step()) is not None:
                heapq.heappush(self._due, (due + again, next(self._numbers), step))
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(self._due[0][0], self._run_due) if self._due else None
