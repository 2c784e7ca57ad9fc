"""How many frames a socket may send. It is counted in this process, because one socket is served by one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.conf import settings

MAX_FRAMES_PER_S: Final = 50
EXCESS: Final = 3  # how many times the limit of reads a minute
UNIT_BYTES: Final = 64 * 1024  # a longer frame counts once for each of these


@dataclass(slots=True)
class _Window:
    length_s: float
    limit: int
    start: float
    count: int = 0

    def add(self, amount: int, now: float) -> bool:
        """Count, and return whether it is too much."""
        if now - self.start >= self.length_s:
            self.start, self.count = now, 0
        self.count += amount
        return self.count > self.limit


class FrameMeter:
    """Counts the frames of one socket in a second and in a minute. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        now = clock()
        self._clock = clock
        self._windows = [_Window(1, MAX_FRAMES_PER_S, now)]
        if limit := settings.API_REQUESTS_PER_MINUTE["read"]:
            self._windows.append(_Window(60, EXCESS * limit, now))

    def is_flood(self, length: int) -> bool:
        """Count a frame of this length. Return whether the socket has sent too many."""
        now, amount = self._clock(), 1 + length // UNIT_BYTES
        return any(window.add(amount, now) for window in self._windows)
