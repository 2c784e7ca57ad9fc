"""Counts messages in Redis, in sliding windows, for all processes (docs/decisions/0046).

A window's counter is a hash: the number `n` of the current period (Unix time divided by the window's length), its count `c`, and the count
`p` of the period before. Used is `c`, and of `p` the part of the former period that the sliding window still covers, rounded down. All
limits of a message are checked and counted together: a refused message counts nowhere.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import structlog

from limits.allowances import SECONDS, Allowances, Holder, Window
from limits.errors import MessageLimitReached
from tenants.redis.clients import COMMAND_TIMEOUT_S, REDIS_ERRORS, key, no_timeout_client, sync_client

log = structlog.get_logger(__name__)

REPEAT_S = 600  # a message that is sent again within this time, as after a lost connection, does not count again

# KEYS: the message, then the counters. ARGV: 1 to count or 0 to look only, REPEAT_S, then for each counter the window's seconds and the limit.
# Returns the place of the counter that refuses (0: none), the seconds until it allows one message, and what is used of each.
_COUNT: Final = """\
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local counts = ARGV[1] == '1' and redis.call('EXISTS', KEYS[1]) == 0
local refused, wait, used, states = 0, 0, {}, {}
for i = 2, #KEYS do
  local window, limit = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local period = math.floor(now / window)
  local passed = now / window - period
  local state = redis.call('HMGET', KEYS[i], 'n', 'c', 'p')
  local n, c, p = tonumber(state[1] or 0), tonumber(state[2] or 0), tonumber(state[3] or 0)
  if n == period - 1 then c, p = 0, c elseif n ~= period then c, p = 0, 0 end
  used[i - 1] = math.floor(c + p * (1 - passed))
  states[i] = {period, c + 1, p, 2 * window}
  if counts and refused == 0 and used[i - 1] >= limit then
    refused = i - 1
    if c >= limit then
      wait = (1 - passed) * window + (1 - limit / math.max(c, 1)) * window
    else
      wait = (1 - (limit - c) / p - passed) * window
    end
  end
end
if counts and refused == 0 then
  redis.call('SET', KEYS[1], '', 'EX', ARGV[2])
  for i = 2, #KEYS do
    redis.call('HSET', KEYS[i], 'n', states[i][1], 'c', states[i][2], 'p', states[i][3])
    redis.call('EXPIRE', KEYS[i], states[i][4])
  end
end
return {refused, tostring(wait), unpack(used)}
"""


@dataclass(frozen=True, slots=True)
class Sender:
    """Whose message is counted."""

    organization_id: UUID
    membership_id: UUID
    token_id: UUID | None = None  # of the API token that it came with

    def holder_id(self, holder: Holder) -> UUID | None:
        return {"organization": self.organization_id, "member": self.membership_id, "token": self.token_id}[holder]


async def message_count(sender: Sender, limits: Allowances, *, message: str) -> None:
    """Count one message. `message` identifies it: sent again, it does not count again. Raises MessageLimitReached.

    While Redis is away, messages are let through and not counted.
    """
    keys, arguments = _call(sender, limits, message=message, counts=True)
    try:
        async with asyncio.timeout(COMMAND_TIMEOUT_S):
            reply = await no_timeout_client().register_script(_COUNT)(keys, arguments)
    except REDIS_ERRORS as error:
        log.warning("message_not_counted", organization_id=str(sender.organization_id), reason=type(error).__name__)
        return
    refused, wait, *_ = reply
    if refused:
        raise MessageLimitReached(limits[refused - 1], float(wait))


def messages_used(sender: Sender, limits: Allowances) -> list[int] | None:
    """Return how many messages count at the moment, for each limit. None while Redis is away."""
    if not limits:
        return []
    keys, arguments = _call(sender, limits, message="", counts=False)
    try:
        reply: Any = sync_client().register_script(_COUNT)(keys, arguments)
    except REDIS_ERRORS:
        return None
    return [int(number) for number in reply[2:]]


def messages_forget(organization_id: UUID, holder_id: UUID) -> None:
    """Begin to count anew for a member, an API token or the organization. Raises one of REDIS_ERRORS."""
    sync_client().delete(*(_counter(organization_id, holder_id, window) for window in SECONDS))


def _call(sender: Sender, limits: Allowances, *, message: str, counts: bool) -> tuple[list[str], list[int]]:
    """Return the script's keys and arguments."""
    keys = [key(_tag(sender.organization_id), "message", sender.membership_id, message)]
    arguments = [int(counts), REPEAT_S]
    for limit in limits:
        holder_id = sender.holder_id(limit.holder)
        assert holder_id is not None, "only a token's message has limits of tokens"
        keys.append(_counter(sender.organization_id, holder_id, limit.window))
        arguments += [SECONDS[limit.window], limit.count]
    return keys, arguments


def _counter(organization_id: UUID, holder_id: UUID, window: Window) -> str:
    return key(_tag(organization_id), "messages", holder_id, window)


def _tag(organization_id: UUID) -> str:
    """Return the part that keeps an organization's keys on one node of a Redis Cluster."""
    return f"{{limits-{organization_id}}}"
