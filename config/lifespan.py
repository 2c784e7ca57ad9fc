"""The shutdown of a web process: it says that it is leaving, runs get a short time to finish, then other processes take them over.

See ARCHITECTURE 3.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from types import FrameType
from typing import Any

import structlog
from django.conf import settings

from chat.runs.supervisor import drain as drain_runs
from security.egress import aclose_clients

DRAIN_GRACE_S = 5.0

log = structlog.get_logger(__name__)

_leaving = threading.Event()


def is_leaving() -> bool:
    """Return whether the process was told to end, though it still serves."""
    return _leaving.is_set()


def delay_sigterm(notice_s: float) -> None:
    """On SIGTERM turn readiness off at once, and only `notice_s` seconds later let the server close its listener.

    A load balancer needs that time to send its requests elsewhere. A second SIGTERM ends the notice. Servers that handle SIGTERM in another
    way than by a Python function are left alone.
    """
    end_server = signal.getsignal(signal.SIGTERM)
    if not callable(end_server) or threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()

    def on_sigterm(signum: int, frame: FrameType | None) -> None:
        _leaving.set()
        signal.signal(signal.SIGTERM, end_server)
        loop.call_soon_threadsafe(loop.call_later, notice_s, end_server, signum, None)

    signal.signal(signal.SIGTERM, on_sigterm)


async def _drain() -> None:
    """Drain the runs and close the HTTP clients."""
    finished, handed_over = await drain_runs(DRAIN_GRACE_S)
    await aclose_clients()
    log.info("drained", runs_finished=finished, runs_handed_over=handed_over)


async def lifespan_application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Handle ASGI's lifespan events."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            delay_sigterm(settings.DRAIN_NOTICE_S)
            await send({"type": "lifespan.startup.complete"})
            continue
        await _drain()
        await send({"type": "lifespan.shutdown.complete"})
        return
