"""How often one network may do something without signing in, counted in Redis for all processes.

While Redis is away nothing is counted, so that what leaves rows is refused then (`must_count`).
"""

from __future__ import annotations

import time
from typing import Final

from accounts.sign_in.throttle import network_prefix
from tenants.errors import Unavailable
from tenants.redis.clients import REDIS_ERRORS, key, sync_client

WINDOW_S: Final = 60


def wait_of_network(address: str, *, what: str, per_minute: int, must_count: bool = False) -> int:
    """Count a request for `what`. Return 0, or for how many seconds this network has to wait. Raises Unavailable as `wait_of`."""
    return wait_of(network_prefix(address), what=what, per_minute=per_minute, must_count=must_count)


def wait_of(whose: str, *, what: str, per_minute: int, must_count: bool = False) -> int:
    """Count a request of `whose` for `what`. Return 0, or for how many seconds it has to wait.

    Raises Unavailable when it can't be counted and `must_count` is set.
    """
    now = int(time.time())
    place = key(f"{what}:{now // WINDOW_S}:{whose}")
    try:
        pipeline = sync_client().pipeline(transaction=False)
        pipeline.incr(place)
        pipeline.expire(place, WINDOW_S)
        count, _ = pipeline.execute()
    except REDIS_ERRORS:
        if must_count:
            raise Unavailable from None
        return 0
    return WINDOW_S - now % WINDOW_S if count > per_minute else 0
