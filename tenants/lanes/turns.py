"""Jobs that wait in a lane by organization, and whose turn it is.

Workers take jobs from the lane's list, as Celery does from any queue. Before that, each job waits in a list of its organization. Whenever a
job comes or ends, the script below moves jobs into the lane's list: the next one of each organization in turn, and only as many as the
workers have free slots, so nothing waits behind a long list. A quarter of the slots is kept for organizations that hold fewer than that:
theirs begin at once while others wait with thousands.

A slot is held from the move until the job's end. Workers renew the slots of what they do, so those of a dead one are free after SLOT_S.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from redis import Redis

SLOT_S: Final = 30
PLATFORM: Final = "platform"  # jobs of no organization

# KEYS[1] is the lane's list; the other keys are named after it, as the lane lives on one Redis. Without a worker one job is moved, so that
# the list shows that something waits. `put` writes first, because a Redis that is full refuses only a script's first write; and the move adds
# to the lane before it takes from the waiting ones, so that an error loses nothing.
_SCRIPT: Final = """
local lane, what = KEYS[1], ARGV[1]
local turns, held, owners, shares, workers = lane .. ':turns', lane .. ':held', lane .. ':owners', lane .. ':shares', lane .. ':workers'
local now = tonumber(redis.call('TIME')[1])
local until_s = now + tonumber(ARGV[2])

local function waiting(organization) return lane .. ':waiting:' .. organization end
local function share(organization) return tonumber(redis.call('HGET', shares, organization)) or 0 end

local function give_back(job)
    if redis.call('ZREM', held, job) == 0 then return end
    local organization = redis.call('HGET', owners, job) or ''
    redis.call('HDEL', owners, job)
    if redis.call('HINCRBY', shares, organization, -1) <= 0 then redis.call('HDEL', shares, organization) end
end

local function slots()
    local sum = 0
    for _, worker in ipairs(redis.call('ZRANGE', workers, 0, -1)) do sum = sum + tonumber(string.match(worker, '^%d+')) end
    return sum
end

local function move_next(organization)
    local entry = redis.call('LINDEX', waiting(organization), -1)
    if entry then
        local job = string.match(entry, '^[^|]+')
        redis.call('LPUSH', lane, string.sub(entry, #job + 2))
        redis.call('RPOP', waiting(organization))
        redis.call('ZADD', held, until_s, job)
        redis.call('HSET', owners, job, organization)
        redis.call('HINCRBY', shares, organization, 1)
    end
    redis.call('LREM', turns, 1, organization)
    if redis.call('LLEN', waiting(organization)) > 0 then redis.call('RPUSH', turns, organization) end
end

local function move()
    local all, place = math.max(slots(), 1), 0
    local kept = math.floor(all / 4)
    while redis.call('ZCARD', held) < all do
        local organization = redis.call('LINDEX', turns, place)
        if not organization then break end
        if redis.call('ZCARD', held) < all - kept or share(organization) < kept then
            move_next(organization)
        else
            place = place + 1
        end
    end
end

local function look()
    local shown, depth, oldest, organizations = {}, redis.call('LLEN', lane), {}, redis.call('LRANGE', turns, 0, -1)
    local first = redis.call('LINDEX', lane, -1)
    if first then oldest[1] = string.match(first, '"parley_sent_at": ([%d.]+)') end
    for place, organization in ipairs(organizations) do
        local count = redis.call('LLEN', waiting(organization))
        depth = depth + count
        local sent_at = string.match(redis.call('LINDEX', waiting(organization), -1) or '', '"parley_sent_at": ([%d.]+)')
        if sent_at then oldest[#oldest + 1] = sent_at end
        shown[place] = {organization, count, share(organization)}
    end
    return {depth, redis.call('ZCARD', held), slots(), oldest, shown}
end

if what == 'put' then
    local organization = ARGV[3]
    if redis.call('LPUSH', waiting(organization), ARGV[4] .. '|' .. ARGV[5]) == 1 then redis.call('RPUSH', turns, organization) end
end
for _, job in ipairs(redis.call('ZRANGEBYSCORE', held, '-inf', now)) do give_back(job) end
redis.call('ZREMRANGEBYSCORE', workers, '-inf', now)
if what == 'end' then
    give_back(ARGV[3])
elseif what == 'renew' then
    redis.call('ZADD', workers, until_s, ARGV[3])
    for place = 4, #ARGV do redis.call('ZADD', held, 'XX', until_s, ARGV[place]) end
elseif what == 'leave' then
    redis.call('ZREM', workers, ARGV[3])
elseif what == 'look' then
    return look()
end
move()
"""


def job_put(client: Redis, lane: str, *, organization: str, job: str, message: str) -> None:
    """Let a job wait for its organization's turn. `job`: an id without "|"; `message`: what a worker gets."""
    _call(client, lane, "put", organization or PLATFORM, job, message)


def job_end(client: Redis, lane: str, job: str) -> None:
    """Free the slot that a job holds. One that holds none, such as one whose worker was silent for too long, changes nothing."""
    _call(client, lane, "end", job)


def worker_renew(client: Redis, lane: str, *, worker: str, slots: int, jobs: Iterable[str]) -> None:
    """Say for SLOT_S that a worker serves the lane with so many slots, and that it still works on these jobs."""
    _call(client, lane, "renew", f"{slots} {worker}", *jobs)


def worker_leave(client: Redis, lane: str, *, worker: str, slots: int) -> None:
    """Take a worker's slots away at once."""
    _call(client, lane, "leave", f"{slots} {worker}")


def lane_look(client: Redis, lane: str) -> list[object]:
    """Return what the script's `look` does: depth, slots held, slots, times when the oldest jobs were sent, (organization, waiting, held)."""
    return _call(client, lane, "look")


def _call(client: Redis, lane: str, *arguments: str) -> list[object]:
    what, *others = arguments
    script = client.register_script(_SCRIPT)(keys=[lane], args=[what, SLOT_S, *others])
    return script if isinstance(script, list) else []
