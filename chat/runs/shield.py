"""Work that goes on when its caller is cancelled, because what a person sent must be stored and reach its run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_running: set[asyncio.Task[Any]] = set()  # the loop itself keeps only weak references


async def run_shielded(work: Coroutine[Any, Any, Result]) -> Result:
    """Await the work, which continues when the caller is cancelled."""
    task = asyncio.ensure_future(work)
    _running.add(task)
    task.add_done_callback(_running.discard)
    return await asyncio.shield(task)
