"""What a piece of work costs, on a machine that does other things beside it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from tests.support.suite.time_limits import slowness

TRIES = 5


async def min_cpu_s(work: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds of this thread for the cheapest of a few tries, on the machine on which limits were set.

    A garbage collection or a neighbour costs the others more.
    """
    costs = []
    for _ in range(TRIES):
        start = time.thread_time()
        await work()
        costs.append(time.thread_time() - start)
    return min(costs) / slowness()
