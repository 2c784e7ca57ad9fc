"""The shutdown of a web process: runs get a short time to finish, then other processes take them over (ARCHITECTURE 3)."""

from __future__ import annotations

import asyncio
import signal
from types import FrameType
from typing import Any

import structlog

from chat.runs.supervisor import drain as drain_runs
from security.egress import aclose_clients

DRAIN_GRACE_S = 5.0

log = structlog.get_logger(__name__)
_tasks: set[asyncio.Task[None]] = set()  # the loop itself holds tasks weakly


async def lifespan_application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Handle ASGI's lifespan events."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            _drain_before(signal.SIGTERM)
            _drain_before(signal.SIGINT)
            await send({"type": "lifespan.startup.complete"})
            continue
        await _drain()  # also when the server ends without a signal
        await aclose_clients()
        await send({"type": "lifespan.shutdown.complete"})
        return


def _drain_before(signum: signal.Signals) -> None:
    """Make the signal drain the process before it stops the server, which closes the listener and soon all streams.

    Until then /readyz says that the process is about to end, and viewers see their answers end. A second signal stops the server at once.
    """
    loop, stop_server = asyncio.get_running_loop(), signal.getsignal(signum)
    if not callable(stop_server):
        return

    async def drain_and_stop() -> None:
        await _drain()
        stop_server(signum, None)

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(number, stop_server)
        loop.call_soon_threadsafe(lambda: _tasks.add(loop.create_task(drain_and_stop())))

    signal.signal(signum, handle)


async def _drain() -> None:
    finished, handed_over = await drain_runs(DRAIN_GRACE_S)
    log.info("drained", runs_finished=finished, runs_handed_over=handed_over)
