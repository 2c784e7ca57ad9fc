"""The time limit of a call, which each sign of progress starts again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

MAX_CALL_S = 600.0  # of one call, however much progress it reports


class CallClock:
    """Ends a call after `limit_s` without progress, and after `total_s` altogether, also when it is repeated."""

    def __init__(self, limit_s: float, total_s: float = MAX_CALL_S) -> None:
        self._limit_s = limit_s
        self._end = asyncio.get_running_loop().time() + max(total_s, limit_s)
        self._running: asyncio.Timeout | None = None

    @asynccontextmanager
    async def limit(self) -> AsyncGenerator[None]:
        """Raise TimeoutError when the block takes longer than the clock allows."""
        async with asyncio.timeout_at(self._deadline()) as timeout:
            self._running = timeout
            try:
                yield
            finally:
                self._running = None

    def restart(self) -> None:
        """Begin `limit_s` again."""
        if self._running is not None and not self._running.expired():
            self._running.reschedule(self._deadline())

    def _deadline(self) -> float:
        return min(asyncio.get_running_loop().time() + self._limit_s, self._end)
