"""Django's cache is shared by all processes."""

from __future__ import annotations

import pytest
import redis
from django.conf import settings
from django.core.cache import cache

pytestmark = pytest.mark.redis


def test_what_is_cached_is_in_redis_below_the_prefix() -> None:
    cache.set("counted", 3, timeout=60)
    with redis.Redis.from_url(settings.REDIS_URL) as server:
        [key] = server.keys(f"{settings.REDIS_PREFIX}:cache:*")
        assert 0 < server.ttl(key) <= 60
    assert cache.incr("counted") == 4
    cache.delete("counted")
