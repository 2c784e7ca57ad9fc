"""When the loop can't keep up with many answers that stream at once, it gets more of each at once, and so has less to do in all.

A connection that was just read rests then, longer than the next token takes to come. A loop that keeps up rests nothing: two calls to stop reading
and go on cost a token 20 % of what reading it costs, and a rest shorter than the time between two tokens saves nothing.
"""

from __future__ import annotations

import asyncio
from typing import Protocol
from weakref import WeakValueDictionary

WINDOW_S = 0.1  # over which the connections that something comes from are counted, and after which the loop's lateness is looked at
MANY = 20
LATE_S = 0.005
SHORTEST_S, LONGEST_S = 0.02, 0.05  # of a rest: a fast model's tokens come 20 ms apart


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
        self._seen: set[Resting] = set()
        self._counted_from = 0.0

    def rests(self, connection: Resting) -> bool:
        """Count a read. True: the connection should stop reading until its `read_on` is called, a few milliseconds from now."""
        self._seen.add(connection)
        now = self._loop.time()
        if now - self._counted_from >= WINDOW_S:
            self._count(now)
        if not self._rest_s:
            return False
        if not self._resting:
            self._loop.call_at(now + self._rest_s, self._read_on)
        self._resting.append(connection)
        return True

    def _count(self, now: float) -> None:
        if len(self._seen) > MANY:
            self._loop.call_at(now + WINDOW_S, self._look, now + WINDOW_S)
        else:
            self._rest_s = 0.0
        self._seen.clear()
        self._counted_from = now

    def _look(self, due_at: float) -> None:
        if self._loop.time() - due_at > LATE_S:
            self._rest_s = min(max(self._rest_s * 1.2, SHORTEST_S), LONGEST_S)
        else:
            self._rest_s = self._rest_s * 0.9 if self._rest_s > SHORTEST_S else 0.0

    def _read_on(self) -> None:
        resting, self._resting = self._resting, []
        for connection in resting:
            connection.read_on()
