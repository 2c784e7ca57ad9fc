"""A primary with two replicas and three Sentinels over them, from the bundled Valkey."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.deploy.stores.authority import Authority
from tests.deploy.stores.valkeys import PASSWORD, Server
from tests.support.system.product import wait_for

PRIMARY = "parley"
DOWN_AFTER_MS = 2000  # a primary that is silent for so long is down


class Sentinels:
    """`servers`: the first one begins as the primary."""

    def __init__(self, folder: Path, authority: Authority | None = None) -> None:
        self._authority = authority
        options = ["--requirepass", PASSWORD, "--masterauth", PASSWORD, "--appendonly", "yes", "--repl-diskless-sync-delay", "0"]
        first = Server(folder, *options, authority=authority)
        replicas = [Server(folder, *options, "--replicaof", "127.0.0.1", str(first.port), authority=authority) for _ in range(2)]
        self.servers = [first, *replicas]
        self.sentinels = [Server(folder, is_sentinel=True, authority=authority) for _ in range(3)]

    @property
    def url(self) -> str:
        nodes = ",".join(f"127.0.0.1:{each.port}" for each in self.sentinels)
        if self._authority:
            return f"rediss+sentinel://:{PASSWORD}@{nodes}/{PRIMARY}?ssl_ca_certs={self._authority.certificate}"
        return f"redis+sentinel://:{PASSWORD}@{nodes}/{PRIMARY}"

    def start(self) -> None:
        for server in self.servers:
            server.start()
        for sentinel in self.sentinels:
            sentinel.start()
            with sentinel.client() as client:
                client.execute_command("SENTINEL", "MONITOR", PRIMARY, "127.0.0.1", str(self.servers[0].port), "2")
                for option, value in (
                    ("auth-pass", PASSWORD),
                    ("down-after-milliseconds", str(DOWN_AFTER_MS)),
                    ("failover-timeout", "10000"),
                ):
                    client.execute_command("SENTINEL", "SET", PRIMARY, option, value)
        wait_for(self._is_complete, "the Sentinels knew each other and the replicas")

    def stop(self) -> None:
        for each in [*self.sentinels, *self.servers]:
            each.kill()

    def primary(self) -> Server:
        with self.sentinels[0].client() as client:
            _, port = client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", PRIMARY)
        [primary] = [server for server in self.servers if server.port == int(port)]
        return primary

    def _is_complete(self) -> bool:
        for sentinel in self.sentinels:
            with sentinel.client() as client:
                state = client.sentinel_master(PRIMARY)
            if (state["num-slaves"], state["num-other-sentinels"]) != (2, 2):
                return False
        with self.servers[0].client(password=PASSWORD) as client:
            replication = client.info("replication")
        return all(replication.get(f"slave{number}", {}).get("state") == "online" for number in range(2))


@contextmanager
def running_sentinels(folder: Path, authority: Authority | None = None) -> Iterator[Sentinels]:
    sentinels = Sentinels(folder, authority)
    try:
        sentinels.start()
        yield sentinels
    finally:
        sentinels.stop()
