"""Work that a cancellation must not tear apart."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def finish_before_cancel(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what `work` gives, or raise its failure. A cancellation waits until it is done and goes on when it has not failed."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    result = task.result()
    if cancelled is not None:
        raise cancelled
    return result
