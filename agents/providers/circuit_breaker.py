"""A circuit breaker per organization and endpoint, shared by all processes through Redis (SPEC 2.6; docs/providers.md).

Closed: calls are made and their outcomes recorded. Open: too many recent calls failed, so none is made. Half-open, after a rest:
one call probes the endpoint; success closes the breaker, failure starts a longer rest. Redis provides the clock.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from uuid import UUID, uuid4

import structlog
from redis.asyncio.client import Pipeline

from admin_config.services.breakers import (
    FAILED,
    HISTORY_S,
    MAX_HISTORY,
    PAUSED,
    SUCCEEDED,
    WORKING_AGAIN,
    breaker_key,
    history_entry,
    history_key,
    open_breakers_key,
)
from agents.errors import CircuitOpen, ProviderError
from agents.providers.retry import error_policy
from telemetry.families import BREAKERS_OPENED
from tenants.redis.clients import REDIS_ERRORS, no_timeout_client
from tenants.redis.scripts import Script

log = structlog.get_logger(__name__)

REDIS_TIMEOUT_S = 1.0  # a model call waits no longer than this for its breaker
_CALL, _PROBE = 1, 2
INCONCLUSIVE = ""  # outcome of a probe that was stopped, or whose error was not the endpoint's

# KEYS: the breaker's hash (admin_config.services.breakers). ARGV: the time in ms ("": Redis' clock), then what the script's rest reads.
_STATE = """
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('time')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local rest_ends = tonumber(redis.call('hget', KEYS[1], 'until'))
"""
# ARGV: a probe's token ("": only ask), and for how many ms nobody else probes.
# Returns 1 for a normal call, 2 for a probe, else the remaining rest as negative ms, or 0 when it is unknown.
_ADMIT = Script(
    _STATE
    + """
if not rest_ends then return 1 end
if now < rest_ends then return now - rest_ends end
if now < tonumber(redis.call('hget', KEYS[1], 'probe_until') or '0') then return 0 end
if ARGV[2] ~= '' then redis.call('hset', KEYS[1], 'probe', ARGV[2], 'probe_until', now + ARGV[3]) end
return 2
"""
)
# ARGV: the probe's token; the outcome; how many calls are kept; the minimum number of calls and share of failures that open the breaker;
# the first and the longest rest in ms; how many ms the hash is kept after the last call. Returns when the rest that this call began ends,
# in ms since the epoch; 0: it began none.
_REPORT = Script(
    _STATE
    + """
local token, outcome, opened_until = ARGV[2], ARGV[3], 0
if not rest_ends then
  if outcome == '' then return 0 end
  local calls = string.sub((redis.call('hget', KEYS[1], 'calls') or '') .. outcome, -ARGV[4])
  local _, failures = string.gsub(calls, 'x', 'x')
  redis.call('hset', KEYS[1], 'calls', calls)
  if outcome == 'x' and #calls >= tonumber(ARGV[5]) and failures >= ARGV[6] * #calls then
    opened_until = now + ARGV[7]
    redis.call('hset', KEYS[1], 'until', opened_until, 'rest', ARGV[7])
  end
elseif redis.call('hget', KEYS[1], 'probe') ~= token then
  return 0
elseif outcome == '.' then
  redis.call('del', KEYS[1])
else
  redis.call('hdel', KEYS[1], 'probe', 'probe_until')
  if outcome == 'x' then
    local rest = math.min(redis.call('hget', KEYS[1], 'rest') * 2, ARGV[8])
    opened_until = now + rest
    redis.call('hset', KEYS[1], 'until', opened_until, 'rest', rest)
  end
end
redis.call('pexpire', KEYS[1], ARGV[9])
return opened_until
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitBreakerPolicy:
    """When a breaker opens, and for how long.

    It opens when the share `failure_share` of the last `calls` calls failed, with at least `min_calls` recorded.
    """

    calls: int = 20  # how many recent calls count
    min_calls: int = 5
    failure_share: float = 0.5
    rest_s: float = 30.0  # seconds; doubles with each failed probe, up to `max_rest_s`
    max_rest_s: float = 300.0
    probe_s: float = 90.0  # seconds after which a silent probe is considered dead
    memory_s: float = 3600.0  # seconds without a call after which the record is forgotten

    def arguments(self) -> list[float]:
        rest_ms, longest_ms, memory_ms = (round(seconds * 1000) for seconds in (self.rest_s, self.max_rest_s, self.memory_s))
        return [self.calls, self.min_calls, self.failure_share, rest_ms, longest_ms, memory_ms]


DEFAULT_POLICY = CircuitBreakerPolicy()


class CircuitBreaker:
    """The breaker of one endpoint. All calls are allowed while Redis is unavailable.

    `name` is the endpoint's display name. `now_ms` is a clock in milliseconds since the epoch; None: Redis' clock, shared by all processes.
    """

    def __init__(
        self,
        organization_id: UUID,
        endpoint_id: UUID,
        name: str,
        *,
        rules: CircuitBreakerPolicy = DEFAULT_POLICY,
        now_ms: Callable[[], int] | None = None,
    ) -> None:
        self._key = breaker_key(organization_id, endpoint_id)
        self._history = history_key(organization_id, endpoint_id)
        self._name, self._rules, self._now_ms = name, rules, now_ms

    async def acquire(self) -> EndpointCall:
        """Return a permitted call, to be used as a context manager around the call. Raises CircuitOpen."""
        token = uuid4().hex
        verdict = await self._admission(token)
        if verdict <= 0:
            raise CircuitOpen(_open_text(self._name, -verdict))
        return EndpointCall(self, token if verdict == _PROBE else "")

    async def is_open(self) -> bool:
        """Return whether `acquire` would raise now."""
        return await self._admission("") <= 0

    async def report(self, token: str, outcome: str) -> None:
        """Record how a call ended: SUCCEEDED, FAILED or INCONCLUSIVE. `token` is the probe's, or empty."""
        opened_until_ms = await self._run(_REPORT, token, outcome, *self._rules.arguments())
        if opened_until_ms:
            await self._note_opening(opened_until_ms, is_new=not token)
        elif token and outcome == SUCCEEDED:
            await self._write(lambda pipe: self._add_to_history(pipe, WORKING_AGAIN))

    async def _note_opening(self, until_ms: int, *, is_new: bool) -> None:
        """Say that the breaker opened, and keep it among those that are open for whoever counts them.

        A failed probe makes a pause longer and begins no new one: the history has one entry for both.
        """
        BREAKERS_OPENED.inc()
        log.warning("breaker_opened", endpoint=self._name)

        def note(pipe: Pipeline) -> None:
            pipe.zadd(open_breakers_key(), {self._key: until_ms})
            pipe.expire(open_breakers_key(), round(self._rules.memory_s))
            if is_new:
                self._add_to_history(pipe, PAUSED)

        await self._write(note)

    def _add_to_history(self, pipe: Pipeline, what: str) -> None:
        pipe.lpush(self._history, history_entry(what))
        pipe.ltrim(self._history, 0, MAX_HISTORY - 1)
        pipe.expire(self._history, HISTORY_S)

    async def _write(self, commands: Callable[[Pipeline], None]) -> None:
        """Send the commands to Redis; what nobody but people reads may get lost."""
        try:
            async with asyncio.timeout(REDIS_TIMEOUT_S), no_timeout_client().pipeline(transaction=False) as pipe:
                commands(pipe)
                await pipe.execute()
        except REDIS_ERRORS as exc:
            log.warning("breaker_away", reason=type(exc).__name__)

    async def _admission(self, token: str) -> int:
        answer = await self._run(_ADMIT, token, round(self._rules.probe_s * 1000))
        return _CALL if answer is None else answer

    async def _run(self, script: Script, *arguments: str | float) -> int | None:
        """Return the script's answer, or None while Redis is unavailable."""
        script_arguments = [self._now_ms() if self._now_ms else "", *arguments]
        try:
            async with asyncio.timeout(REDIS_TIMEOUT_S):
                return int(await script.run(no_timeout_client(), [self._key], script_arguments))
        except REDIS_ERRORS as exc:
            log.warning("breaker_away", reason=type(exc).__name__)
            return None


class EndpointCall:
    """One call that a breaker permitted; leaving the context reports its outcome. `token` is the probe's, or empty."""

    def __init__(self, breaker: CircuitBreaker, token: str) -> None:
        self._breaker, self._token = breaker, token

    async def report_first_event(self) -> None:
        """Report that the endpoint answers, so that a probe need not wait for the end of a long answer."""
        if self._token:
            await self._breaker.report(self._token, SUCCEEDED)
            self._token = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        outcome = _outcome(error)
        if outcome or self._token:
            await self._breaker.report(self._token, outcome)


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return SUCCEEDED
    return FAILED if isinstance(error, ProviderError) and error_policy(error).counts_as_failure else INCONCLUSIVE


def _open_text(name: str, rest_ms: int) -> str:
    when = f"in {math.ceil(rest_ms / 1000)} s" if rest_ms else "in a moment"
    return f"{name} failed again and again and is not asked for a while. Try again {when}."
