"""Whether each store in Redis is of the kind that its URL says. Asked at the start of a process, and by `manage.py doctor`."""

from __future__ import annotations

import redis
from redis.exceptions import RedisClusterException, ResponseError

from tenants.redis.addresses import redis_address
from tenants.redis.stores import VARIABLES, Store, store_url
from tenants.redis.sync_clients import sync_store

TIMEOUT_S = 2.0


def mode_problem(store: Store) -> str:
    """Return what is wrong, in a sentence that names the variable; empty when the store can be used. Raises one of REDIS_ERRORS."""
    variable, mode = VARIABLES[store], redis_address(store_url(store)).mode
    try:
        with sync_store(store, timeout_s=TIMEOUT_S) as client:
            is_cluster = mode == "cluster" or _is_of_cluster(client)
    except RedisClusterException as problem:  # no node answers, or it is none
        if "Cluster mode is not enabled" in str(problem):
            return f"{variable} names a Redis that is no cluster: it {_rule('single')}"
        raise redis.ConnectionError(str(problem)) from problem
    if is_cluster and mode != "cluster":
        return f"{variable} leads to a node of a Redis Cluster: it {_rule('cluster' if store == 'event_log' else 'none')}"
    return ""


def _is_of_cluster(client: redis.Redis) -> bool:
    try:
        client.execute_command("CLUSTER INFO")  # type: ignore[no-untyped-call]
    except redis.ConnectionError:
        raise
    except ResponseError:  # "This instance has cluster support disabled", or the user may not ask
        return False
    return True


def _rule(kind: str) -> str:
    if kind == "none":
        return "can't be one, because Celery and the channel layer know none. Only REDIS_EVENT_LOG_URL can."
    return f"must begin with {'redis+cluster://' if kind == 'cluster' else 'redis://'} then."
