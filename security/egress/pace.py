"""When many answers stream at once, their connections are read together: most of what a token costs then is that the process wakes for it.

One wake-up costs 20 to 150 µs of CPU, the work for a token about as much. So a connection that was just read rests until all are looked at
again. While little comes, nothing rests.
"""

from __future__ import annotations

import asyncio
from typing import Protocol
from weakref import WeakValueDictionary

WINDOW_S = 0.1  # over which the connections that something comes from are counted
MANY = 20
REST_S_FOR_EACH = 75e-6  # 50 connections rest 3.75 ms, 200 and more the usual longest
USUAL_S, LONGEST_S = 0.015, 0.05
LATE_S = 0.005  # a loop that is so late has too much to do: it gets more at once, and so less in all


class Resting(Protocol):
    """A connection that is not read for a moment."""

    def read_on(self) -> None: ...


class Pace:
    """Of one loop, as long as it has a connection."""

    _of_loop: WeakValueDictionary[asyncio.AbstractEventLoop, Pace] = WeakValueDictionary()

    @classmethod
    def current(cls) -> Pace:
        loop = asyncio.get_running_loop()
        pace = cls._of_loop.get(loop)
        if pace is None:
            pace = cls._of_loop[loop] = cls(loop)
        return pace

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._resting: list[Resting] = []
        self._rest_s = 0.0
        self._stretch = 1.0
        self._due_at = 0.0
        self._seen: set[Resting] = set()
        self._counted_from = 0.0

    def rests(self, connection: Resting) -> bool:
        """Count a read. True: the connection should stop reading until its `read_on` is called, a few milliseconds from now."""
        self._count(connection)
        if not self._rest_s:
            return False
        if not self._resting:
            rest_s = min(self._rest_s * self._stretch, LONGEST_S)
            self._due_at = self._loop.time() + rest_s
            self._loop.call_at(self._due_at, self._read_on)
        self._resting.append(connection)
        return True

    def _count(self, connection: Resting) -> None:
        self._seen.add(connection)
        now = self._loop.time()
        if now - self._counted_from < WINDOW_S:
            return
        self._rest_s = min(len(self._seen) * REST_S_FOR_EACH, USUAL_S) if len(self._seen) > MANY else 0.0
        self._seen.clear()
        self._counted_from = now

    def _read_on(self) -> None:
        is_late = self._loop.time() - self._due_at > LATE_S
        self._stretch = min(self._stretch * 1.2, LONGEST_S / USUAL_S) if is_late else max(self._stretch * 0.98, 1.0)
        resting, self._resting = self._resting, []
        for connection in resting:
            connection.read_on()
