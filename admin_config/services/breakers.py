"""Circuit breakers of endpoints, as admins see them (SPEC 2.6). agents.providers.circuit_breaker writes what is read here.

A breaker is one Redis hash per organization and endpoint. Without a hash it is closed, with no known calls. Its fields:

- `calls`: the last calls as text, one SUCCEEDED or FAILED character each, oldest first.
- `until`: while it is not closed, when its pause ends (milliseconds since the epoch, by Redis's clock).
- `rest`: the length of that pause in milliseconds.
- `probe`, `probe_until`: who tries the endpoint after the pause, and until when nobody else does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import redis
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from security.audit import audit
from tenants.redis.clients import REDIS_ERRORS, key
from tenants.redis.sync_clients import sync_store

SUCCEEDED, FAILED = ".", "x"
REDIS_TIMEOUT_S = 1.0
PAUSED, WORKING_AGAIN, RESET = _("Paused"), _("Working again"), _("Reset")  # stored in English
MAX_HISTORY = 50  # entries of a breaker
HISTORY_S = 30 * 86_400  # after the last one


class BreakerState(StrEnum):
    """State of a circuit breaker."""

    CLOSED = "closed"
    HALF_OPEN = "half-open"
    OPEN = "open"


BREAKER_WORDS: Final = {
    BreakerState.CLOSED: gettext_lazy("Healthy"),
    BreakerState.HALF_OPEN: gettext_lazy("On trial after failures"),
    BreakerState.OPEN: gettext_lazy("Paused after failures"),
}


@dataclass(frozen=True, slots=True)
class BreakerStatus:
    """What is known of one breaker."""

    state: BreakerState
    calls: int  # how many of the last calls are known
    failures: int  # how many of those failed
    rest_s: float = 0.0  # seconds until an open breaker tries the endpoint again

    def __str__(self) -> str:
        words = str(BREAKER_WORDS[self.state])
        if self.state == BreakerState.OPEN:
            words += gettext(", next try in %(rest_s)s s") % {"rest_s": f"{self.rest_s:.0f}"}
        return (
            gettext("%(words)s (%(failures)s of %(calls)s calls failed)") % {"words": words, "failures": self.failures, "calls": self.calls}
            if self.failures
            else words
        )


@dataclass(frozen=True, slots=True)
class BreakerEvent:
    """A breaker opened (PAUSED), closed (WORKING_AGAIN) or was reset by an admin (RESET)."""

    at: datetime
    kind: str

    @property
    def what(self) -> str:
        """In the reader's language."""
        return gettext(self.kind)


@dataclass(frozen=True, slots=True)
class Breaker:
    """An endpoint's breaker, with what happened to it in the last days, newest first."""

    organization_id: UUID
    endpoint_id: UUID
    status: BreakerStatus
    history: list[BreakerEvent]


def breaker_key(organization_id: UUID, endpoint_id: UUID) -> str:
    return key("breaker", organization_id, endpoint_id)


def history_key(organization_id: UUID, endpoint_id: UUID) -> str:
    """Return the key of a list: what happened to the breaker, newest first, each entry by `history_entry`."""
    return key("breaker-history", organization_id, endpoint_id)


def history_entry(what: str) -> str:
    return f"{time.time():.0f} {what}"


def open_breakers_key() -> str:
    """Return the key of a sorted set: the keys of breakers that opened, by the end of their pause in milliseconds since the epoch."""
    return key("breakers", "opened")


def opened_breakers() -> list[tuple[UUID, UUID]]:
    """Return organization and endpoint of the breakers that opened and have not closed, those that end their pause last first.

    Two questions. Raises one of REDIS_ERRORS.
    """
    with _client() as client:
        names: Any = client.zrevrange(open_breakers_key(), 0, -1)
        with client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.hexists(name, "until")
            are_open = pipe.execute()
    places = (name.decode().split(":")[-2:] for name, is_open in zip(names, are_open, strict=True) if is_open)
    return [(UUID(organization), UUID(endpoint)) for organization, endpoint in places]


def open_breaker_count() -> int:
    """Return how many breakers of all organizations are in their pause. Raises one of REDIS_ERRORS. Synchronous."""
    with _client() as client:
        seconds, microseconds = client.time()
        now_ms = seconds * 1000 + microseconds // 1000
        client.zremrangebyscore(open_breakers_key(), "-inf", now_ms)
        return int(client.zcard(open_breakers_key()))


def breaker_statuses(*, organization_id: UUID, endpoint_ids: Sequence[UUID]) -> dict[UUID, BreakerStatus]:
    """Return the current breakers of the organization's endpoints; empty while Redis is away. Synchronous."""
    statuses = breakers_read([(organization_id, endpoint_id) for endpoint_id in endpoint_ids])
    return {breaker.endpoint_id: breaker.status for breaker in statuses}


def breakers_read(places: Sequence[tuple[UUID, UUID]]) -> list[Breaker]:
    """Return the breakers of endpoints, each named by organization and endpoint; none while Redis is away. One question. Synchronous."""
    try:
        with _client() as client, client.pipeline(transaction=False) as pipe:
            pipe.time()
            for place in places:
                pipe.hmget(breaker_key(*place), "calls", "until")
                pipe.lrange(history_key(*place), 0, MAX_HISTORY - 1)
            (seconds, microseconds), *replies = pipe.execute()
    except REDIS_ERRORS:
        return []
    now_ms = seconds * 1000 + microseconds // 1000
    rows = zip(places, replies[::2], replies[1::2], strict=True)
    return [Breaker(*place, _status(now_ms, *fields), [_event(entry) for entry in entries]) for place, fields, entries in rows]


def breaker_reset(
    *, organization_id: UUID, endpoint_id: UUID, actor_user_id: int | None, action: str = "providerendpoint.reset_breaker"
) -> None:
    """Delete what is known of the endpoint, so that the next call goes there. Writes an audit event.

    Raises one of REDIS_ERRORS, and then writes no audit event.
    """
    name, history = breaker_key(organization_id, endpoint_id), history_key(organization_id, endpoint_id)
    with _client() as client, client.pipeline(transaction=False) as pipe:
        pipe.delete(name)
        pipe.zrem(open_breakers_key(), name)
        pipe.lpush(history, history_entry(RESET))
        pipe.ltrim(history, 0, MAX_HISTORY - 1)
        pipe.expire(history, HISTORY_S)
        pipe.execute()
    audit(
        organization_id=organization_id,
        actor_user_id=actor_user_id,
        action=action,
        object_kind="providerendpoint",
        object_id=endpoint_id,
    )


def _event(entry: bytes) -> BreakerEvent:
    at, _space, what = entry.decode().partition(" ")
    return BreakerEvent(datetime.fromtimestamp(float(at), UTC), what)


def _status(now_ms: int, calls: bytes | None, until: bytes | None) -> BreakerStatus:
    outcomes = (calls or b"").decode()
    rest_s = max(0.0, (int(until or 0) - now_ms) / 1000)
    state = BreakerState.CLOSED if until is None else BreakerState.OPEN if rest_s else BreakerState.HALF_OPEN
    return BreakerStatus(state, len(outcomes), outcomes.count(FAILED), rest_s)


def _client() -> redis.Redis:
    return sync_store("state", timeout_s=REDIS_TIMEOUT_S, is_tried_once=True)
