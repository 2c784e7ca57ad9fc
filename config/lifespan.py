"""The shutdown of a web process: runs get a short time to finish, then other processes take them over (ARCHITECTURE 3)."""

from __future__ import annotations

from typing import Any

import structlog

from chat.runs.supervisor import drain as drain_runs
from security.egress import aclose_clients

DRAIN_GRACE_S = 5.0

log = structlog.get_logger(__name__)


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
            await send({"type": "lifespan.startup.complete"})
            continue
        await _drain()
        await send({"type": "lifespan.shutdown.complete"})
        return
