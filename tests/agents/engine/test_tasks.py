"""Work that a cancellation must not tear apart."""

from __future__ import annotations

import asyncio

import pytest

from agents.engine.lifecycle import finish_before_cancel


@pytest.mark.parametrize(("failure", "raised"), [(None, asyncio.CancelledError), (OSError("not stored"), OSError)])
async def test_a_cancellation_waits_for_the_work_and_hides_no_failure(failure: Exception | None, raised: type[BaseException]) -> None:
    has_begun, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        has_begun.set()
        await go_on.wait()
        if failure is not None:
            raise failure

    task = asyncio.create_task(finish_before_cancel(work()))
    await has_begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(raised):
        await task
