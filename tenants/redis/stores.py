"""What Parley keeps in Redis, and which variable says where. All are one server unless a variable names another."""

from __future__ import annotations

from typing import Final, Literal

from django.conf import settings

from tenants.redis.addresses import redis_address

Store = Literal["state", "broker", "cache", "event_log"]

# What a variable of the environment, and the setting of the same name, leads to.
VARIABLES: Final[dict[Store, str]] = {
    "state": "REDIS_URL",  # limits, breakers, notices, the channel layer
    "broker": "REDIS_BROKER_URL",  # Celery's queues, beat's lock
    "cache": "REDIS_CACHE_URL",  # what may be forgotten at any time
    "event_log": "REDIS_EVENT_LOG_URL",  # answers that are being written
}

# As probes and metrics call them.
STORE_NAMES: Final[dict[Store, str]] = {"state": "redis", "broker": "redis_broker", "cache": "redis_cache", "event_log": "redis_event_log"}


def store_url(store: Store) -> str:
    """Return where the store is: the URL of its own variable, or REDIS_URL's."""
    return getattr(settings, VARIABLES[store]) or settings.REDIS_URL


def own_stores() -> list[Store]:
    """Return the stores whose variables are set, "state" first: each is looked at by itself."""
    return [store for store, variable in VARIABLES.items() if getattr(settings, variable)]


def is_in_cluster(store: Store) -> bool:
    return redis_address(store_url(store)).mode == "cluster"
