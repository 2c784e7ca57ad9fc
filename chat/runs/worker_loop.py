"""The event loop of a worker process, in a thread beside Celery's.

Celery's tasks are synchronous. What they await runs in this one loop, so HTTP and Redis connections stay open between tasks, and the
process owns many runs at once (see chat.runs.recovery).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, TypeVar

import structlog

from chat.runs.recovery import recover_forever
from chat.runs.supervisor import RunSupervisor
from chat.stream.log_flusher import LogFlusher
from security.egress import aclose_clients
from tenants.redis.clients import close_redis

log = structlog.get_logger(__name__)

Result = TypeVar("Result")


class WorkerLoop:
    """The loop and what it owns. `current()` creates it on first use in a process."""

    _current: WorkerLoop | None = None
    _lock = Lock()

    @classmethod
    def current(cls) -> WorkerLoop:
        with cls._lock:
            if cls._current is None:
                cls._current = cls()
            return cls._current

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="worker-loop", daemon=True)
        self._thread.start()
        self._recovery: Future[None] | None = None
        self._drained: Future[tuple[int, int]] | None = None

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run the work in the loop and wait for it. Raises what it raises."""
        return self._submit(work).result()

    def start_recovery(self) -> None:
        """Take over the runs of dead processes from now on."""
        self._recovery = self._submit(recover_forever())

    def begin_drain(self, grace_s: float) -> None:
        """Take no more runs, give the owned ones `grace_s` seconds, then hand them over. Returns at once."""
        if self._recovery is not None:
            self._recovery.cancel()
        if self._drained is None:
            self._drained = self._submit(_drain(grace_s))

    def close(self) -> None:
        """Wait for the drain, close the loop's connections and stop it. Without `begin_drain`, runs are handed over at once."""
        self.begin_drain(0)
        assert self._drained is not None
        finished, handed_over = self._drained.result()
        self.run(close_loop_resources())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        log.info("drained", runs_finished=finished, runs_handed_over=handed_over)

    def _submit(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)


async def _drain(grace_s: float) -> tuple[int, int]:
    return await RunSupervisor.current().drain(grace_s)


async def close_loop_resources() -> None:
    """Close everything that belongs to the running loop."""
    await RunSupervisor.current().close()
    await LogFlusher.current().close()
    await aclose_clients()
    await close_redis()
