"""Events for which threads and event loops can both wait, such as a test and a server in another thread."""

from __future__ import annotations

import asyncio
import threading


class Signal:
    """An event that is set once, for good. Any thread and any event loop may set it or wait for it."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    def set(self) -> None:
        with self._lock:
            self._event.set()
            waiters, self._waiters = self._waiters, []
        for loop, future in waiters:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, future)

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout_s: float = 30.0) -> None:
        """Block the thread until the signal is set. Raises TimeoutError."""
        if not self._event.wait(timeout_s):
            raise TimeoutError(f"The signal was not set within {timeout_s} s.")

    async def wait_async(self, timeout_s: float | None = 30.0) -> None:
        """Wait in an event loop until the signal is set; `timeout_s` None waits without limit. Raises TimeoutError."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._event.is_set():
                return
            future: asyncio.Future[None] = loop.create_future()
            self._waiters.append((loop, future))
        async with asyncio.timeout(timeout_s):
            await future


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Gate:
    """A place in an answer at which the double waits until the test calls `release`."""

    def __init__(self, name: str = "gate") -> None:
        self.name = name
        # `reached` is set once everything before the gate was sent.
        self.reached = Signal()
        self.released = Signal()

    def release(self) -> None:
        self.released.set()

    async def pass_through(self) -> None:
        self.reached.set()
        await self.released.wait_async(None)
