"""A Redis Cluster of three primaries, each with a replica, from the bundled Valkey."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis
from redis.crc import key_slot

from tests.deploy.stores.authority import Authority
from tests.deploy.stores.valkeys import PASSWORD, Server
from tests.support.system.product import wait_for
from tools.embedded import ports

SLOTS = 16384
PRIMARIES = 3
NODE_TIMEOUT_MS = 2000  # a node that is silent for so long is down
MIGRATE_MS = 5000


class Cluster:
    """`nodes`: first those that begin as primaries, then one replica of each."""

    def __init__(self, folder: Path, authority: Authority | None = None) -> None:
        self._authority = authority
        options = ["--cluster-enabled", "yes", "--cluster-node-timeout", str(NODE_TIMEOUT_MS), "--appendonly", "yes"]
        passwords = ["--requirepass", PASSWORD, "--masterauth", PASSWORD]
        self._buses = [ports.free_port() for _ in range(2 * PRIMARIES)]  # by default 10,000 above the port, which may be too high
        self.nodes = [Server(folder, *options, *passwords, "--cluster-port", str(bus), authority=authority) for bus in self._buses]

    @property
    def url(self) -> str:
        nodes = ",".join(f"{node.host}:{node.port}" for node in self.nodes[:PRIMARIES])
        if self._authority:
            return f"rediss+cluster://:{PASSWORD}@{nodes}?ssl_ca_certs={self._authority.certificate}"
        return f"redis+cluster://:{PASSWORD}@{nodes}"

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        for node, bus in zip(self.nodes[1:], self._buses[1:], strict=True):
            self.ask(self.nodes[0], "CLUSTER MEET", node.host, node.port, bus)
        share = SLOTS // PRIMARIES + 1
        for number, node in enumerate(self.nodes[:PRIMARIES]):
            self.ask(node, "CLUSTER ADDSLOTSRANGE", number * share, min((number + 1) * share, SLOTS) - 1)
        wait_for(lambda: all(self.info(node)["cluster_known_nodes"] == str(len(self.nodes)) for node in self.nodes), "all nodes had met")
        for primary, replica in zip(self.nodes[:PRIMARIES], self.nodes[PRIMARIES:], strict=True):
            self.ask(replica, "CLUSTER REPLICATE", self.id_of(primary))
        wait_for(self._is_complete, "the cluster was up")

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()

    def ask(self, node: Server, command: str, *arguments: object) -> object:
        with node.client(password=PASSWORD) as client:
            return client.execute_command(*command.split(), *map(str, arguments))

    def info(self, node: Server) -> dict[str, str]:
        with node.client(password=PASSWORD) as client:
            info: dict[str, str] = client.execute_command("CLUSTER INFO")
        return info

    def id_of(self, node: Server) -> str:
        return str(self.ask(node, "CLUSTER MYID"))

    def owner(self, slot: int) -> Server:
        """The primary that has the slot."""
        tls: dict[str, Any] = {"ssl": True, "ssl_ca_certs": str(self._authority.certificate)} if self._authority else {}
        client = redis.RedisCluster(host=self.alive().host, port=self.alive().port, password=PASSWORD, **tls)
        try:
            port = client.nodes_manager.get_node_from_slot(slot).port
        finally:
            client.close()
        return next(node for node in self.nodes if node.port == port)

    def alive(self) -> Server:
        return next(node for node in self.nodes if node.process.poll() is None)

    def move_slot(self, tag: str) -> int:
        """Move the slot of a tag to another primary, as `valkey-cli --cluster reshard` does; return how many keys went along."""
        slot = key_slot(tag.encode())
        source = self.owner(slot)
        target = next(owner for owner in (self.owner(0), self.owner(SLOTS - 1), self.owner(SLOTS // 2)) if owner is not source)
        source_id, target_id = self.id_of(source), self.id_of(target)
        self.ask(target, "CLUSTER SETSLOT", slot, "IMPORTING", source_id)
        self.ask(source, "CLUSTER SETSLOT", slot, "MIGRATING", target_id)
        key_count = 0
        with source.client(password=PASSWORD) as client:
            while keys := client.execute_command("CLUSTER GETKEYSINSLOT", slot, 100):
                client.execute_command("MIGRATE", target.host, target.port, "", 0, MIGRATE_MS, "AUTH", PASSWORD, "KEYS", *keys)
                key_count += len(keys)
        for node in (target, source):
            self.ask(node, "CLUSTER SETSLOT", slot, "NODE", target_id)
        return key_count

    def _is_complete(self) -> bool:
        infos = [self.info(node) for node in self.nodes]
        if any((info["cluster_state"], info["cluster_size"]) != ("ok", str(PRIMARIES)) for info in infos):
            return False
        for replica in self.nodes[PRIMARIES:]:
            with replica.client(password=PASSWORD) as client:
                if client.info("replication").get("master_link_status") != "up":
                    return False
        return True


@contextmanager
def running_cluster(folder: Path, authority: Authority | None = None) -> Iterator[Cluster]:
    cluster = Cluster(folder, authority)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
