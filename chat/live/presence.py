"""Who has a live document open, in all processes: a hash in Redis for each artifact, whose fields are sockets.

Each socket writes its field again and again; one that was not written for a while belongs to a process that died.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

import orjson

from tenants.redis.clients import key, redis_client

RENEW_S: Final = 10.0
STALE_S: Final = 25.0


@dataclass(frozen=True, slots=True)
class Person:
    """A member at one socket."""

    id: str  # of the socket
    member: str  # id of the membership
    name: str


async def presence_renew(artifact_id: UUID, people: list[Person]) -> None:
    """Note that these are there. Raises one of REDIS_ERRORS."""
    name, now = _key(artifact_id), time.time()
    async with redis_client().pipeline(transaction=False) as pipeline:
        for person in people:
            pipeline.hset(name, person.id, orjson.dumps({**asdict(person), "at": now}).decode())
        pipeline.expire(name, 3600)
        await pipeline.execute()


async def presence_end(artifact_id: UUID, socket_id: str) -> None:
    """Raises one of REDIS_ERRORS."""
    async with redis_client().pipeline(transaction=False) as pipeline:
        pipeline.hdel(_key(artifact_id), socket_id)
        await pipeline.execute()


async def people_present(artifact_id: UUID) -> list[Person]:
    """Return who is there, in the order of their sockets' ids. Raises one of REDIS_ERRORS."""
    async with redis_client().pipeline(transaction=False) as pipeline:
        pipeline.hvals(_key(artifact_id))
        [values] = await pipeline.execute()
    rows: list[dict[str, Any]] = [orjson.loads(value) for value in values]
    since = time.time() - STALE_S
    return sorted((Person(row["id"], row["member"], row["name"]) for row in rows if row["at"] > since), key=lambda person: person.id)


def _key(artifact_id: UUID) -> str:
    return key("live-people", artifact_id)
