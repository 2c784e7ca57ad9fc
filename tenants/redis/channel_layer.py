"""The channel layer with a bounded pool: when thousands of sockets close at once, each would open a connection, which stays."""

from __future__ import annotations

import time
from collections.abc import Sequence

from channels_redis.core import RedisChannelLayer

from tenants.redis.connections import ShrinkingPool, bounded_pool


class BoundedChannelLayer(RedisChannelLayer):  # type: ignore[misc]
    """Channels' layer over Redis. Its blocking reads need one connection per process."""

    def create_pool(self, index: int) -> ShrinkingPool:
        return bounded_pool(self.hosts[index]["address"], socket_timeout=None)  # its reads block

    async def renew_members(self, members: Sequence[tuple[str, str]]) -> list[bool]:
        """Renew the (group, channel) pairs in one round trip. Return for each whether the channel was still in the group.

        Nothing is added, so that a channel which leaves meanwhile does not come back.
        """
        pipeline = self.connection(0).pipeline(transaction=False)  # settings name one host
        now = time.time()
        for group, channel in members:
            group_key = self._group_key(group)
            pipeline.zadd(group_key, {channel: now}, xx=True, ch=True)  # 1: the score has changed; 0: there was none
            pipeline.expire(group_key, self.group_expiry)
        replies = await pipeline.execute()
        return [bool(changed) for changed in replies[::2]]
