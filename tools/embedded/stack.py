"""The stack: which children one Parley has, and how each is started and stopped."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from config.processes import web_arguments, worker_arguments
from tools.embedded import environment, orphans, ports
from tools.embedded.children import Child
from tools.embedded.layout import Layout
from tools.embedded.options import Options
from tools.embedded.postgres import Postgres
from tools.embedded.privileges import postgres_privileges
from tools.embedded.programs import Program
from tools.embedded.valkey import Valkey

# Order of stopping. The demo provider stops after web and worker, because draining runs still stream from it.
WEB, WORKER, PROVIDER, SERVERS = range(4)
DEMO_APPLICATION = "doubles.demo:application"


@dataclass(frozen=True)
class Stack:
    """Everything that is decided before the first child starts."""

    layout: Layout
    options: Options
    port: int
    demo_port: int | None  # None without the demo provider
    postgres: Postgres | None  # None when the user named a database
    valkey: Valkey | None  # None when the user named a Redis server

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.options.host in ("0.0.0.0", "::") else self.options.host  # noqa: S104 compared, not bound
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    @property
    def files_url(self) -> str:
        """The other loopback name, so that files have an origin of their own without a second listener; empty on other addresses."""
        name = {"127.0.0.1": "localhost", "::1": "localhost", "localhost": "127.0.0.1"}.get(self.options.host)
        return f"http://{name}:{self.port}" if name else ""

    def environment(self) -> dict[str, str]:
        public_url = self.url.rstrip("/")
        return environment.child_environment(
            self.layout,
            postgres=self.postgres,
            valkey=self.valkey,
            public_url=public_url,
            files_url=self.files_url if (os.environ.get("PUBLIC_URL") or public_url) == public_url else "",
            demo_port=self.demo_port,
        )

    def servers(self) -> list[Child]:
        children = []
        if self.valkey:
            children.append(valkey_child(self.valkey))
        if self.postgres:
            children.append(postgres_child(self.postgres))
        return children

    def programs(self, env: dict[str, str]) -> list[Child]:
        """Return web and worker, which need migrated tables."""
        return [
            self.program(
                "web",
                web_arguments("--host", self.options.host, "--port", str(self.port)),
                env,
                stop_rank=WEB,
                grace_s=25,
                address=(self.listening_host, self.port),
            ),
            self.program("worker", worker_arguments(), env, stop_rank=WORKER, grace_s=15),
        ]

    def demo_provider(self, env: dict[str, str]) -> list[Child]:
        """Return the demo provider, if any. It needs no database, so it starts with the servers."""
        if self.demo_port is None:
            return []
        arguments = ["-m", "uvicorn", DEMO_APPLICATION, "--host", "127.0.0.1", "--port", str(self.demo_port), "--log-level", "warning"]
        return [self.program("demo-provider", arguments, env, stop_rank=PROVIDER, grace_s=5, address=("127.0.0.1", self.demo_port))]

    @property
    def listening_host(self) -> str:
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.options.host, self.options.host)  # noqa: S104 compared, not bound

    def program(
        self,
        name: str,
        arguments: list[str],
        env: dict[str, str],
        *,
        stop_rank: int,
        grace_s: float,
        address: tuple[str, int] | None = None,
    ) -> Child:
        program = Program(name, arguments, env, self.layout.logs, address)
        return Child(name, program.start, program.wait_ready, program.log, stop_rank=stop_rank, grace_s=grace_s)


def build_stack(layout: Layout, options: Options) -> Stack:
    """Decide from the environment, free ports and privileges. Raises StartError before anything is started."""
    own_demo = bool(os.environ.get("DEMO_PROVIDER_URL"))
    return Stack(
        layout=layout,
        options=options,
        port=ports.web_port(options.host, options.port),
        demo_port=ports.persistent_port(layout.demo_port) if options.demo and not own_demo else None,
        postgres=None if environment.has_own_database() else Postgres(layout, postgres_privileges()),
        valkey=None if environment.has_own_redis() else Valkey(layout),
    )


def valkey_child(valkey: Valkey) -> Child:
    return Child("valkey", valkey.start, valkey.wait_ready, valkey.layout.logs / "valkey.log", stop_rank=SERVERS, grace_s=10)


def postgres_child(postgres: Postgres) -> Child:
    def clean_up() -> None:
        orphans.wait_for_backends(postgres.layout)
        postgres.drop_stale_locks()

    return Child(
        "postgres",
        postgres.start,
        postgres.wait_ready,
        postgres.layout.logs / "postgres.log",
        stop_rank=SERVERS,
        grace_s=15,
        stop_signal=signal.SIGINT,  # "fast" shutdown: open transactions are rolled back
        kill_signal=signal.SIGQUIT,
        clean_up=clean_up,
    )
