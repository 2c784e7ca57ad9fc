"""Django's cache: in Redis, because every process has to see what another one has counted."""

from __future__ import annotations

from config.settings.environment import ENV

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": [ENV.redis_cache_url or ENV.redis_url],  # a list: Django would cut a text at the commas between Sentinels
        "KEY_PREFIX": f"{ENV.redis_prefix}:cache",
        "OPTIONS": {"pool_class": "tenants.redis.sync_clients.CachePool", "socket_timeout": 2, "socket_connect_timeout": 2},
    }
}
