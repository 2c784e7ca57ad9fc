"""The shutdown of a web process: runs get a short time to finish, then other processes take them over (ARCHITECTURE 3)."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import structlog

from chat.runs.supervisor import drain as drain_runs
from security.egress import aclose_clients

DRAIN_GRACE_S = 5.0

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

log = structlog.get_logger(__name__)


async def drain() -> None:
    """Drain the runs and close the HTTP clients. Call it once, before the event loop ends."""
    finished, handed_over = await drain_runs(DRAIN_GRACE_S)
    await aclose_clients()
    log.info("drained", runs_finished=finished, runs_handed_over=handed_over)


async def lifespan_application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Handle ASGI's lifespan events, which uvicorn sends."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
            continue
        await drain()
        await send({"type": "lifespan.shutdown.complete"})
        return


def drain_on_daphne_shutdown() -> None:
    """Delay the end of daphne's reactor until the drain is over, because daphne does not support lifespan. Does nothing elsewhere."""
    if "daphne.server" not in sys.modules:
        return
    from twisted.internet import reactor

    reactor.addSystemEventTrigger("before", "shutdown", _drain_deferred)  # type: ignore[arg-type]


def _drain_deferred() -> Deferred[None]:
    from twisted.internet.defer import Deferred  # imported here: it takes 20 MB, and only daphne needs it

    return Deferred.fromFuture(asyncio.ensure_future(drain()))
