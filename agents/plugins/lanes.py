"""Background work of a run: owned, in order, limited, and never longer than the run."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

MAX_QUEUED = 64

BackgroundWork = Callable[[], Awaitable[None]]


class BackgroundQueue:
    """Does one plugin's work one after the other, oldest first. The work itself must not raise."""

    def __init__(self) -> None:
        self._queued: deque[BackgroundWork] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def is_idle(self) -> bool:
        return self._task is None or self._task.done()

    def put(self, work: BackgroundWork) -> bool:
        """Whether there was room. A closed lane takes everything and does nothing."""
        if self._is_closed:
            return True
        if len(self._queued) >= MAX_QUEUED:
            return False
        self._queued.append(work)
        if self.is_idle:
            self._task = asyncio.create_task(self._run_queue())
        return True

    def close(self) -> None:
        """Give up what waits and what runs; nothing is done any more."""
        self._is_closed = True
        self._queued.clear()
        if self._task is not None:
            self._task.cancel()

    async def done(self) -> None:
        """Return when all work has ended, also when it was given up."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _run_queue(self) -> None:
        while self._queued:
            await self._queued.popleft()()
