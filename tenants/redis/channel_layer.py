"""The channel layer with a bounded pool: when thousands of sockets close at once, each would open a connection, which stays."""

from __future__ import annotations

from channels_redis.core import RedisChannelLayer
from redis.asyncio.connection import BlockingConnectionPool

from tenants.redis.connections import bounded_pool


class BoundedChannelLayer(RedisChannelLayer):  # type: ignore[misc]
    """Channels' layer over Redis. Its blocking reads need one connection per process."""

    def create_pool(self, index: int) -> BlockingConnectionPool:
        return bounded_pool(self.hosts[index]["address"])
