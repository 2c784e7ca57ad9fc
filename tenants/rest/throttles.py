"""Rate limits: how many requests a member or an API token may make in a minute, counted in Redis for all processes.

Without Redis nothing is counted and the API keeps working. The limits on runs are kept in the database.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Any, Literal, cast
from uuid import UUID

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from tenants.access import Actor
from tenants.errors import TooManyRequests
from tenants.redis.clients import COMMAND_TIMEOUT_S, REDIS_ERRORS, key, no_timeout_client, sync_client
from tenants.tokens import TokenActor

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
    name, reset = _window(kind, actor, token)
    try:
        pipeline = sync_client().pipeline(transaction=False)
        pipeline.incr(name)
        pipeline.expire(name, WINDOW_S)
        count = pipeline.execute()[0]
    except REDIS_ERRORS:
        _skip_redis()
        return
    _check(count, kind, reset)


async def rate_check_async(kind: RequestKind, actor: Actor, token: TokenActor | None) -> None:
    """Async version of `rate_check`."""
    if time.monotonic() < _skip_until:
        return
    name, reset = _window(kind, actor, token)
    try:
        async with asyncio.timeout(COMMAND_TIMEOUT_S):
            pipeline = no_timeout_client().pipeline(transaction=False)
            _ = pipeline.incr(name), pipeline.expire(name, WINDOW_S)
            count = (await pipeline.execute())[0]
    except REDIS_ERRORS:
        _skip_redis()
        return
    _check(count, kind, reset)


def _window(kind: RequestKind, actor: Actor, token: TokenActor | None) -> tuple[str, int]:
    """Return the key of this minute's counter, and when it ends (seconds since 1970)."""
    who: UUID = token.token_id if token else actor.membership_id
    start = int(time.time()) // WINDOW_S * WINDOW_S
    return key(actor.organization_id, "rate", kind, who, start), start + WINDOW_S


def _check(count: int, kind: RequestKind, reset: int) -> None:
    limit = settings.API_REQUESTS_PER_MINUTE[kind]
    if limit and count > limit:
        raise TooManyRequests(datetime.fromtimestamp(reset, UTC), limit)


def _skip_redis() -> None:
    global _skip_until
    _skip_until = time.monotonic() + REDIS_RETRY_S
