"""Limits on guessing, wherever somebody proves who they are: one count for all of them.

An attempt counts against the account from its network, the account from everywhere, and the network. After some free ones each makes
everybody in the same place wait, longer every time. A device that has signed in to the account before has a count of its own and none of
these, so a stranger can't lock anybody out (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
"""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import redis
import structlog
from cachetools import TTLCache
from django.conf import settings

from tenants.redis.sync_clients import sync_store

log = structlog.get_logger(__name__)

FIRST_WAIT_S = 30
LONGEST_WAIT_S = 15 * 60
FORGET_AFTER_S = 24 * 3600

# Counts every attempt before it is checked, so that many at once get no further than one after the other.
_COUNT = """
local now, longest = tonumber(ARGV[1]), 0
for _, key in ipairs(KEYS) do
    longest = math.max(longest, tonumber(redis.call('HGET', key, 'until') or 0) - now)
end
if longest > 0 then return longest end
for i, key in ipairs(KEYS) do
    local over = redis.call('HINCRBY', key, 'count', 1) - tonumber(ARGV[4 + i])
    if over >= 0 then
        redis.call('HSET', key, 'until', now + math.min(tonumber(ARGV[3]), tonumber(ARGV[2]) * 2 ^ math.min(over, 16)))
    end
    redis.call('EXPIRE', key, ARGV[4])
end
return 0
"""
_TAKE_BACK = """
for i, key in ipairs(KEYS) do
    if redis.call('HINCRBY', key, 'count', -1) < tonumber(ARGV[i]) then redis.call('HDEL', key, 'until') end
end
"""


@dataclass(frozen=True)
class Count:
    """What is counted together, and how many attempts are free."""

    key: str
    free: int


@dataclass(frozen=True)
class Attempt:
    """Somebody who is about to prove that an account is theirs."""

    account: str  # of `account_hash`
    network: str  # of `network_prefix`
    device: str = ""  # the id of a device that has signed in to this account before

    @property
    def own_counts(self) -> list[Count]:
        """What signing in clears."""
        if self.device:
            return [Count(f"device:{self.device}:{self.account}", free=10)]
        return [Count(f"pair:{self.account}:{self.network}", free=5), Count(f"account:{self.account}", free=30)]

    @property
    def shared_counts(self) -> list[Count]:
        """What signing in leaves as it was before: somebody may guess other accounts between sign-ins to their own."""
        return [] if self.device else [Count(f"network:{self.network}", free=40)]


def account_hash(name: str) -> str:
    """Return the SHA-256 (hex) that stands for an account in Redis and in logs, whether or not the account exists."""
    return hashlib.sha256(name.strip().lower().encode()).hexdigest()


def network_prefix(address: str) -> str:
    """Return the network that an IP address counts for: /24, and /56 for IPv6, which a household gets."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    return str(ipaddress.ip_network((ip, 24 if ip.version == 4 else 56), strict=False))


def attempt_record(attempt: Attempt) -> int:
    """Count an attempt. Return how many seconds to wait if there were too many, else 0; one that has to wait is not counted.

    While Redis is away each process counts for itself, so that people can still sign in and guessing stays limited.
    """
    counts = [*attempt.own_counts, *attempt.shared_counts]
    times = [time.time(), FIRST_WAIT_S, LONGEST_WAIT_S, FORGET_AFTER_S]
    try:
        with _redis() as client:
            wait_s = client.eval(_COUNT, len(counts), *_keys(counts), *times, *(count.free for count in counts))
            return int(wait_s)
    except (redis.RedisError, OSError) as error:
        log.warning("sign_in_counted_here", error=type(error).__name__)
        return _local.record(counts)


def attempt_take_back(attempt: Attempt) -> None:
    """Undo the count of an attempt that was right. What was counted before stays: another step may follow, and guesses at it count on."""
    counts = [*attempt.own_counts, *attempt.shared_counts]
    _local.forget(counts)
    _run(lambda client: client.eval(_TAKE_BACK, len(counts), *_keys(counts), *(count.free for count in counts)))


def attempts_forget(attempt: Attempt) -> None:
    """Forget the attempts at this account from this place, after somebody has signed in. Those of the network stay."""
    _local.forget(attempt.own_counts)
    _run(lambda client: client.delete(*_keys(attempt.own_counts)))


def _run(command: Callable[[redis.Redis], object]) -> None:
    """A Redis that is down is only logged."""
    try:
        with _redis() as client:
            command(client)
    except (redis.RedisError, OSError) as error:
        log.warning("sign_in_counted_here", error=type(error).__name__)


class LocalCounts:
    """The counts of this process, while Redis is away."""

    def __init__(self) -> None:
        self._counts: TTLCache[str, int] = TTLCache(maxsize=10_000, ttl=LONGEST_WAIT_S)

    def record(self, counts: Sequence[Count]) -> int:
        if any(self._counts.get(count.key, 0) >= count.free for count in counts):
            return LONGEST_WAIT_S
        for count in counts:
            self._counts[count.key] = self._counts.get(count.key, 0) + 1
        return 0

    def forget(self, counts: Sequence[Count]) -> None:
        for count in counts:
            self._counts.pop(count.key, None)


_local = LocalCounts()


def _keys(counts: Sequence[Count]) -> list[str]:
    return [f"{settings.REDIS_PREFIX}:sign-in:{count.key}" for count in counts]


def _redis() -> redis.Redis:
    return sync_store("state", timeout_s=2, is_tried_once=True)
