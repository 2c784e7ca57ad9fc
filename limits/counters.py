"""Counts messages, runs, tokens and cost in Redis, in sliding windows, for all processes (docs/decisions/0046, 0065).

A window's counter is a hash: the number `n` of the current period (Unix time divided by the window's length), its count `c`, and the count
`p` of the period before. Used is `c`, and of `p` the part of the former period that the sliding window still covers, rounded down. A clock
that steps back over the turn of a period, as after a failover, finds the newer period at its begin. One that was wrong by more begins anew:
it would count for ever. All limits of a message are checked and counted together: a refused message counts nowhere. What a model call used
is known afterwards, and is then counted whatever the limits say; the next message, and the next call of a run, find it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import transaction

from limits.allowances import MICRO, SECONDS, Allowance, Allowances, Measure, Sender, Window
from limits.call_limits import Charge
from limits.errors import LimitReached, LimitsUnavailable
from tenants.redis.clients import REDIS_ERRORS, key, no_timeout_client, sync_client
from tenants.redis.pauses import QUESTION_TIMEOUT_S, QuestionPause
from tenants.redis.scripts import Script

log = structlog.get_logger(__name__)

REPEAT_S = 600  # a message that is sent again within this time, as after a lost connection, does not count again
LOOK, COUNT, CHARGE = 0, 1, 2
PAUSE_S = 2.0  # after Redis did not answer in time, it counts as away for this long
_pause = QuestionPause(PAUSE_S)

# KEYS: the message, then the counters. ARGV: LOOK, COUNT (if all have room) or CHARGE (whatever they have), REPEAT_S, then for each counter
# the window's seconds, the limit and the amount. Returns the place of the counter that refuses (0: none), and for each what is used and the
# seconds until it allows one more, or while it has room, until its period ends.
_COUNT: Final = Script("""\
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local checks = ARGV[1] == '1' and redis.call('EXISTS', KEYS[1]) == 0
local refused, reply, states = 0, {0}, {}
for i = 2, #KEYS do
  local window, limit, amount = tonumber(ARGV[3 * i - 3]), tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1])
  local state = redis.call('HMGET', KEYS[i], 'n', 'c', 'p')
  local n, c, p = tonumber(state[1] or 0), tonumber(state[2] or 0), tonumber(state[3] or 0)
  local period = math.floor(now / window)
  if n == period + 1 then period = n end
  local passed = math.max(now / window - period, 0)
  if n == period - 1 then c, p = 0, c elseif n ~= period then c, p = 0, 0 end
  if ARGV[1] == '2' then c = c + amount end
  local used, wait = math.floor(c + p * (1 - passed)), (1 - passed) * window
  if used >= limit then
    if refused == 0 then refused = i - 1 end
    if c >= limit then
      wait = wait + (1 - limit / math.max(c, 1)) * window
    else
      wait = (1 - (limit - c) / p - passed) * window
    end
  end
  reply[2 * i - 2], reply[2 * i - 1] = used, tostring(wait)
  states[i] = {period, c, p, 2 * window, amount}
end
if ARGV[1] == '2' or (checks and refused == 0) then
  if checks then redis.call('SET', KEYS[1], '', 'EX', ARGV[2]) end
  for i = 2, #KEYS do
    local amount = checks and states[i][5] or 0
    if checks then reply[2 * i - 2] = reply[2 * i - 2] + amount end
    redis.call('HSET', KEYS[i], 'n', states[i][1], 'c', string.format('%.0f', states[i][2] + amount), 'p', string.format('%.0f', states[i][3]))
    redis.call('EXPIRE', KEYS[i], states[i][4])
  end
end
reply[1] = (checks or ARGV[1] == '2') and refused or 0
return reply
""")


@dataclass(frozen=True, slots=True)
class LimitUsage:
    """What is used of a limit. `resets_in_s`: until it allows one more; while it has room, until its period ends."""

    amount: int
    resets_in_s: float


async def message_count(sender: Sender, limits: Allowances, *, message: str, starts_run: bool = True) -> list[LimitUsage] | None:
    """Count one message, and the run that it starts, and refuse it when one of the limits is used up. Raises LimitReached.

    `message` identifies it: sent again, it does not count again. Return what is used of each of the limits; None while Redis is away. Then
    it is not counted, and raises LimitsUnavailable when one of the limits refuses that.
    """
    amounts = [{"messages": 1, "runs": int(starts_run)}.get(limit.measure, 0) for limit in limits]
    # A limit that this message has no part in does not refuse it.
    most = [limit.count if limit.measure != "runs" or starts_run else 2**53 for limit in limits]
    keys, arguments = _call(sender, limits, COUNT, amounts, message=message, most=most)
    try:
        with _pause.question():
            async with asyncio.timeout(QUESTION_TIMEOUT_S):
                reply = await _COUNT.run(no_timeout_client(), keys, arguments)
    except REDIS_ERRORS as error:
        log.warning("message_not_counted", organization_id=str(sender.organization_id), reason=type(error).__name__)
        if any(limit.refuses_uncounted and (limit.measure != "runs" or starts_run) for limit in limits):
            raise LimitsUnavailable from error
        return None
    limit_number, usages = reply[0], _parse_usage(reply)
    if limit_number:
        raise LimitReached(limits[limit_number - 1], usages[limit_number - 1].resets_in_s)
    return usages


def call_charge(charge: Charge, *, tokens: int, cost_usd: float | None) -> None:
    """Count what a model call used, and note in `charge` the limit that is used up by it. A cost that nobody knows counts nothing.

    While Redis is away, nothing is counted, and a run under way goes on: its limits refuse the next message. It is asked during a pause, too:
    a busy process takes a Redis that answers for one that hangs, and what is not charged is never counted.
    """
    amounts = {"tokens": tokens, "cost": round((cost_usd or 0) * MICRO)}
    keys, arguments = _call(charge.sender, charge.limits, CHARGE, [amounts[limit.measure] for limit in charge.limits])
    try:
        reply = _ask(keys, arguments)
    except REDIS_ERRORS as error:
        log.warning("call_not_counted", organization_id=str(charge.sender.organization_id), reason=type(error).__name__)
        return
    limit_number, usages = reply[0], _parse_usage(reply)
    charge.reached = LimitReached(charge.limits[limit_number - 1], usages[limit_number - 1].resets_in_s) if limit_number else None


def charge_on_commit(charges: Iterable[Charge], tokens: int, cost_usd: float | None) -> None:
    """Charge a model call to each of `charges` when its row in the call log is committed."""
    for charge in charges:
        transaction.on_commit(partial(call_charge, charge, tokens=tokens, cost_usd=cost_usd))


def limit_usages(sender: Sender, limits: Allowances) -> list[LimitUsage] | None:
    """Return what counts at the moment, for each limit. None while Redis is away, and during a pause."""
    if not limits:
        return []
    if _pause.is_on:
        return None
    keys, arguments = _call(sender, limits, LOOK, [0] * len(limits))
    try:
        reply = _ask(keys, arguments)
    except REDIS_ERRORS:
        return None
    return _parse_usage(reply)


def _ask(keys: list[str], arguments: list[int]) -> Any:
    """Return the script's reply. Raises one of REDIS_ERRORS.

    No pause begins or ends here: threads give up so soon that on a busy machine Redis seems to hang.
    """
    return sync_client().register_script(_COUNT.text)(keys, arguments)


def counters_forget(organization_id: UUID, holder_id: UUID | str, measure: Measure) -> None:
    """Begin to count anew for a member, an API token, an assistant, an agent or the organization. Raises one of REDIS_ERRORS."""
    sync_client().delete(*(_counter(organization_id, holder_id, measure, window) for window in SECONDS))


def _call(
    sender: Sender, limits: Allowances, mode: int, amounts: Sequence[int], *, message: str = "", most: Sequence[int] = ()
) -> tuple[list[str], list[int]]:
    """Return the script's keys and arguments."""
    keys = [key(_tag(sender.organization_id), "message", sender.membership_id, message)]
    arguments = [mode, REPEAT_S]
    for limit, amount, count in zip(limits, amounts, most or [limit.count for limit in limits], strict=True):
        keys.append(_counter(sender.organization_id, _holder_id(sender, limit), limit.measure, limit.window))
        arguments += [SECONDS[limit.window], count, amount]
    return keys, arguments


def _holder_id(sender: Sender, limit: Allowance) -> UUID | str:
    holder_id = sender.holder_id(limit)
    assert holder_id is not None, "only a token's message has limits of tokens"
    return holder_id


def _parse_usage(reply: Sequence[Any]) -> list[LimitUsage]:
    return [LimitUsage(int(amount), float(wait)) for amount, wait in zip(reply[1::2], reply[2::2], strict=True)]


def _counter(organization_id: UUID, holder_id: UUID | str, measure: Measure, window: Window) -> str:
    return key(_tag(organization_id), measure, holder_id, window)


def _tag(organization_id: UUID) -> str:
    """Return the part that keeps an organization's keys on one node of a Redis Cluster."""
    return f"{{limits-{organization_id}}}"
