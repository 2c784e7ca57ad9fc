"""The client for a Redis Cluster, which only the event log may be on: Celery and the channel layer know none."""

from __future__ import annotations

from typing import Any

from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.connection import parse_url

from tenants.redis.addresses import RedisAddress
from tenants.redis.connections import KEEPALIVE, TcpConnection, TlsConnection

MAX_OF_NODE = 256  # connections to one node; one more is refused as if the node were away


def cluster_client(address: RedisAddress, **options: Any) -> RedisCluster:
    """Return a client whose connections fail like all others. `options`: of each connection.

    It follows slots that move and primaries that change by itself. A command that fails in between raises one of REDIS_ERRORS.
    """
    connection_options: dict[str, Any] = {**KEEPALIVE, **parse_url(address.url), **options}
    for given_by_nodes in ("host", "port", "connection_class"):
        connection_options.pop(given_by_nodes, None)
    nodes = [ClusterNode(*node) for node in address.nodes]
    # reinitialize_steps: a slot that moved is noted. To read the map anew costs a reply of 200 KB and all connections.
    client = RedisCluster(startup_nodes=nodes, max_connections=MAX_OF_NODE, reinitialize_steps=0, ssl=address.is_tls, **connection_options)
    # It offers no argument for the class. Its nodes, also those that it finds later, are made with these.
    connections = client.nodes_manager.connection_kwargs
    connections["connection_class"] = TlsConnection if address.is_tls else TcpConnection
    client.nodes_manager.startup_nodes = {node.name: ClusterNode(node.host, node.port, **connections) for node in nodes}
    return client
