"""The end of a web process: runs get some time to finish, then other processes take them over (ARCHITECTURE 3)."""

from __future__ import annotations

import asyncio
import signal
from types import FrameType
from typing import Any

import structlog
from django.conf import settings

from chat.runs.supervisor import drain as drain_runs
from config.monitoring.process import monitor_web
from security.egress import aclose_clients
from telemetry.tracing import stop_tracing

log = structlog.get_logger(__name__)


async def lifespan_application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Handle ASGI's lifespan events, which uvicorn sends."""
    drain = _Drain(asyncio.get_running_loop())
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            drain.before_stop(signal.SIGTERM)
            drain.before_stop(signal.SIGINT)
            monitor_web()
            await send({"type": "lifespan.startup.complete"})
            continue
        await drain.begin()  # also when the server ends without a signal
        await aclose_clients()
        await asyncio.to_thread(stop_tracing)
        await send({"type": "lifespan.shutdown.complete"})
        return


class _Drain:
    """The drain of this process. It happens once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> asyncio.Task[None]:
        if self._task is None:
            self._task = self._loop.create_task(_drain())
        return self._task

    def before_stop(self, signum: signal.Signals) -> None:
        """Make the signal drain the process before it stops the server, which closes the listener and soon all streams.

        Until then /readyz says that the process is about to end, and viewers see their answers end. A second signal stops the server at
        once.
        """
        stop_server = signal.getsignal(signum)
        if not callable(stop_server):
            return

        def drain_and_stop() -> None:
            self.begin().add_done_callback(lambda _: stop_server(signum, None))

        def handle(number: int, frame: FrameType | None) -> None:
            signal.signal(number, stop_server)
            self._loop.call_soon_threadsafe(drain_and_stop)

        signal.signal(signum, handle)


async def _drain() -> None:
    """Give runs DRAIN_S to finish and hand the rest over. Take at least DRAIN_NOTICE_S, in which a load balancer looks elsewhere."""
    (finished, handed_over), _ = await asyncio.gather(drain_runs(settings.DRAIN_S), asyncio.sleep(settings.DRAIN_NOTICE_S))
    log.info("drained", runs_finished=finished, runs_handed_over=handed_over)
