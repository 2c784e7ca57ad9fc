"""Request rates: how many requests a member or an API token, and an organization, may make in a minute, counted in Redis for all processes.

Without Redis nothing is counted and the API keeps working. The limits on runs are kept in the database.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, cast
from uuid import UUID

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from tenants.access import Actor
from tenants.authentication.tokens import TokenActor
from tenants.errors import TooManyRequests
from tenants.redis.clients import REDIS_ERRORS, key, no_timeout_client, sync_client
from tenants.redis.pauses import QUESTION_TIMEOUT_S
from tenants.redis.scripts import Script

RequestKind = Literal["read", "write", "chat"]
WINDOW_S = 60
# KEYS: counters. ARGV: after how many seconds they are forgotten. Returns their counts, with this request.
_COUNT = Script("""
local counts = {}
for number, counter in ipairs(KEYS) do
  counts[number] = redis.call('incr', counter)
  if counts[number] == 1 then redis.call('expire', counter, ARGV[1]) end
end
return counts
""")
REDIS_RETRY_S = 2.0  # after Redis failed, requests skip the count for this long

_skip_until = 0.0


class RateThrottle(BaseThrottle):
    """DRF throttle that counts reads, writes and chats separately; a view's `rate` is the kind of its unsafe methods."""

    def allow_request(self, request: Request, view: Any) -> bool:
        kind: RequestKind = "read" if request.method in {"GET", "HEAD"} else view.rate
        http = cast(Any, request)
        rate_check(kind, http.actor, http.token)
        return True


def rate_check(kind: RequestKind, actor: Actor, token: TokenActor | None) -> None:
    """Count one request. Raises TooManyRequests."""
    if time.monotonic() < _skip_until:
        return
    window = _Window(kind, actor, token)
    if not window.keys:
        return
    try:
        counts: Any = sync_client().register_script(_COUNT.text)(window.keys, [WINDOW_S])
    except REDIS_ERRORS:
        _skip_redis()
        return
    window.check(counts)


async def rate_check_async(kind: RequestKind, actor: Actor, token: TokenActor | None) -> None:
    """Async version of `rate_check`."""
    if time.monotonic() < _skip_until:
        return
    window = _Window(kind, actor, token)
    if not window.keys:
        return
    try:
        async with asyncio.timeout(QUESTION_TIMEOUT_S):
            counts = await _COUNT.run(no_timeout_client(), window.keys, [WINDOW_S])
    except REDIS_ERRORS:
        _skip_redis()
        return
    window.check(counts)


class _Window:
    """This minute's counters: of the member or token, and of the organization, which may make ORGANIZATION_FACTOR times as many requests."""

    def __init__(self, kind: RequestKind, actor: Actor, token: TokenActor | None) -> None:
        start = int(time.time()) // WINDOW_S * WINDOW_S
        limit = settings.API_REQUESTS_PER_MINUTE[kind]
        self._reset = start + WINDOW_S  # seconds since 1970
        who: UUID = token.token_id if token else actor.membership_id
        limits = {who: limit, actor.organization_id: limit * settings.ORGANIZATION_FACTOR}
        self._limits = {key(actor.organization_id, "rate", kind, owner, start): limit for owner, limit in limits.items() if limit}

    @property
    def keys(self) -> Sequence[str]:
        return list(self._limits)

    def check(self, counts: Sequence[int]) -> None:
        """Raise TooManyRequests when a counter is over its limit."""
        for count, limit in zip(counts, self._limits.values(), strict=True):
            if count > limit:
                raise TooManyRequests(datetime.fromtimestamp(self._reset, UTC), limit)


def _skip_redis() -> None:
    global _skip_until
    _skip_until = time.monotonic() + REDIS_RETRY_S
