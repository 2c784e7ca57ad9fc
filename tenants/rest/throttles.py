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

RequestKind = Literal["read", "write", "chat"]
WINDOW_S = 60
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
    try:
        pipeline = sync_client().pipeline(transaction=False)
        window.count(pipeline)
        replies = pipeline.execute()
    except REDIS_ERRORS:
        _skip_redis()
        return
    window.check(replies)


async def rate_check_async(kind: RequestKind, actor: Actor, token: TokenActor | None) -> None:
    """Async version of `rate_check`."""
    if time.monotonic() < _skip_until:
        return
    window = _Window(kind, actor, token)
    try:
        pipeline = no_timeout_client().pipeline(transaction=False)
        window.count(pipeline)
        async with asyncio.timeout(QUESTION_TIMEOUT_S):
            replies = await pipeline.execute()
    except REDIS_ERRORS:
        _skip_redis()
        return
    window.check(replies)


class _Window:
    """This minute's counters: of the member or token, and of the organization, which may make ORGANIZATION_FACTOR times as many requests."""

    def __init__(self, kind: RequestKind, actor: Actor, token: TokenActor | None) -> None:
        start = int(time.time()) // WINDOW_S * WINDOW_S
        limit = settings.API_REQUESTS_PER_MINUTE[kind]
        self._reset = start + WINDOW_S  # seconds since 1970
        who: UUID = token.token_id if token else actor.membership_id
        limits = {who: limit, actor.organization_id: limit * settings.ORGANIZATION_FACTOR}
        self._limits = {key(actor.organization_id, "rate", kind, owner, start): limit for owner, limit in limits.items() if limit}

    def count(self, pipeline: Any) -> None:
        for name in self._limits:
            pipeline.incr(name)
            pipeline.expire(name, WINDOW_S)

    def check(self, replies: Sequence[Any]) -> None:
        """Raise TooManyRequests when a counter is over its limit. `replies`: to the commands of `count`."""
        for count, limit in zip(replies[::2], self._limits.values(), strict=True):
            if count > limit:
                raise TooManyRequests(datetime.fromtimestamp(self._reset, UTC), limit)


def _skip_redis() -> None:
    global _skip_until
    _skip_until = time.monotonic() + REDIS_RETRY_S
