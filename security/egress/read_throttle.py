"""Read throttling for an event loop that can't keep up with many streaming responses.

While the loop lags, a connection that was just read is paused for longer than the time between two tokens. Each read then returns more
tokens at once, which costs less CPU in total. A loop that keeps up pauses nothing: pausing and resuming costs 20 % of reading a token, and
a pause shorter than the time between two tokens saves nothing.
"""

from __future__ import annotations

import asyncio
from typing import Protocol
from weakref import WeakValueDictionary

WINDOW_S = 0.1  # in which active connections are counted and the loop's lag is measured
MIN_CONNECTIONS = 20
MAX_LOOP_LAG_S = 0.005
MIN_PAUSE_S, MAX_PAUSE_S = 0.02, 0.05  # a fast model's tokens are 20 ms apart


class ThrottledConnection(Protocol):
    """A connection whose reading can be paused for a moment."""

    def resume(self) -> None: ...


class ReadThrottle:
    """The throttle of one event loop. It exists as long as the loop has a connection."""

    _by_loop: WeakValueDictionary[asyncio.AbstractEventLoop, ReadThrottle] = WeakValueDictionary()

    @classmethod
    def current(cls) -> ReadThrottle:
        loop = asyncio.get_running_loop()
        pace = cls._by_loop.get(loop)
        if pace is None:
            pace = cls._by_loop[loop] = cls(loop)
        return pace

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._paused: list[ThrottledConnection] = []
        self._pause_s = 0.0
        self._active: set[ThrottledConnection] = set()
        self._window_start = 0.0

    def record_read(self, connection: ThrottledConnection) -> bool:
        """Count a read. Return True if the connection should stop reading until its `resume` is called a few milliseconds later."""
        self._active.add(connection)
        now = self._loop.time()
        if now - self._window_start >= WINDOW_S:
            self._start_window(now)
        if not self._pause_s:
            return False
        if not self._paused:
            self._loop.call_at(now + self._pause_s, self._resume_all)
        self._paused.append(connection)
        return True

    def _start_window(self, now: float) -> None:
        if len(self._active) > MIN_CONNECTIONS:
            self._loop.call_at(now + WINDOW_S, self._adjust_pause, now + WINDOW_S)
        else:
            self._pause_s = 0.0
        self._active.clear()
        self._window_start = now

    def _adjust_pause(self, due_at: float) -> None:
        if self._loop.time() - due_at > MAX_LOOP_LAG_S:
            self._pause_s = min(max(self._pause_s * 1.2, MIN_PAUSE_S), MAX_PAUSE_S)
        else:
            self._pause_s = self._pause_s * 0.9 if self._pause_s > MIN_PAUSE_S else 0.0

    def _resume_all(self) -> None:
        resting, self._paused = self._paused, []
        for connection in resting:
            connection.resume()
