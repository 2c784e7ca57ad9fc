"""Appends entries to the event logs of several runs with one call of a Redis script, which also fences former owners."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from redis.exceptions import ReadOnlyError

from chat.stream.event_log import ACTIVE_TTL_MS, ENDED_TTL_MS, log_tag
from tenants.redis.clients import COMMAND_TIMEOUT_S, REDIS_ERRORS, no_timeout_client
from tenants.redis.scripts import Script
from tenants.redis.stores import is_in_cluster

NODE_TIMEOUT_S = 1.5  # of a cluster's node: the runs on the others wait for it
# For each run, KEYS: log; its other keys are named like it. ARGV: "epoch, sequence number of the entry, that of the previous entry, kind" in
# one text, and the entry: few arguments, because redis-py packs each one by itself.
# Kinds: empty for a normal entry, "s" for a snapshot, "e" for the last one, "se" for both, "-" for no entry.
# Returns for each run: -1 for a newer owner, -2 when the log lacks the previous entry, else the stop flag plus twice the number of inputs;
# or Redis's error for this run. Flushes without an entry, which every pause brings, renew the log's time to live.
APPEND = Script(f"""
local function append(log, place, entry)
  local keys = string.match(log, '^(.*)log$')
  local epoch_key = keys .. 'epoch'
  local epoch, seq, previous, kind = string.match(place, '^(%d+) (%d+) (%d+) ?(.*)$')
  local held = redis.call('mget', epoch_key, keys .. 'stop', keys .. 'inputs')
  if held[1] ~= epoch then
    if tonumber(held[1] or '0') > tonumber(epoch) then return -1 end
    redis.call('set', epoch_key, epoch, 'px', 86400000)
  end
  local last = 0
  if kind == 's' or kind == 'se' then
    redis.call('del', log)
  else
    local top = redis.call('xrevrange', log, '+', '-', 'COUNT', 1)[1]
    if top then last = tonumber(string.match(top[1], '^%d+')) end
    if last < tonumber(previous) then return -2 end
  end
  if kind ~= '-' and last < tonumber(seq) then
    redis.call('xadd', log, seq .. '-0', 'c', entry, 'k', kind)
  end
  if kind ~= '' or last == 0 then
    redis.call('pexpire', log, (kind == 'e' or kind == 'se') and {ENDED_TTL_MS} or {ACTIVE_TTL_MS})
  end
  return (held[2] and 1 or 0) + 2 * tonumber(held[3] or '0')
end

local replies = {{}}
for run = 1, #KEYS do
  local done, reply = pcall(append, KEYS[run], ARGV[2 * run - 1], ARGV[2 * run])
  replies[run] = (done or type(reply) == 'table') and reply or redis.error_reply(tostring(reply))
end
return replies
""")
Reply = int | Exception


class AppendCall(NamedTuple):
    """One run's share of a call of APPEND."""

    log: bytes  # the key
    place: bytes
    entry: bytes


async def append_to_logs(calls: Sequence[AppendCall]) -> list[Reply]:
    """Call APPEND for several runs and return each one's reply.

    Raises one of REDIS_ERRORS; then any of them may have been appended. In a cluster one node's error is the reply of its runs alone.
    """
    if not is_in_cluster("event_log"):
        return await _append(calls, COMMAND_TIMEOUT_S)
    call_tags = [log_tag(call.log.decode()) for call in calls]
    tags = sorted({*call_tags})
    of_tags = await asyncio.gather(
        *(_append_or_error([call for call, of in zip(calls, call_tags, strict=True) if of == tag]) for tag in tags)
    )
    replies = {tag: iter(replies_of_tag) for tag, replies_of_tag in zip(tags, of_tags, strict=True)}
    return [next(replies[tag]) for tag in call_tags]


async def _append_or_error(calls: Sequence[AppendCall]) -> list[Reply]:
    try:
        return await _append(calls, NODE_TIMEOUT_S)
    except REDIS_ERRORS as exc:
        return [exc] * len(calls)


async def _append(calls: Sequence[AppendCall], timeout_s: float) -> list[Reply]:
    client = no_timeout_client("event_log")
    async with asyncio.timeout(timeout_s):
        arguments = [each for call in calls for each in (call.place, call.entry)]
        replies: list[Reply] = await APPEND.run(client, [call.log for call in calls], arguments)
    if any(isinstance(reply, ReadOnlyError) for reply in replies):
        await client.connection_pool.disconnect()  # the server is a replica now: a new connection reaches the new primary
    return replies
