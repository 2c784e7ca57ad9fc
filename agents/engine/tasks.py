"""Work that a cancellation must not tear apart."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def uninterrupted(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what `work` gives. A cancellation waits until it is done and then goes on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled from task.exception()
    return task.result()
