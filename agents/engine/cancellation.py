"""Protects work that must not be interrupted by a cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def finish_before_cancel(work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of `work`, or raise its exception.

    A cancellation is delayed until `work` is done, and is then raised unless `work` has failed.
    """
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
