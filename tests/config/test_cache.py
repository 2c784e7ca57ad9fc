"""Django's cache is shared by all processes."""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_the_cache_asks_all_sentinels() -> None:
    url = "redis+sentinel://:secret@one:26379,two:26379,three:26379/parley"
    code = "from django.core.cache import cache; print(len(cache._cache._get_connection_pool(True).sentinel_manager.sentinels))"
    env = {**os.environ, "REDIS_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings"}
    result = subprocess.run([sys.executable, "-c", code], env=env, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["3"], result.stderr
