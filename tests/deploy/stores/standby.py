"""A standby of the embedded PostgreSQL: a copy that follows it by streaming replication."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.support.system.product_servers import end, restart, with_database
from tools.embedded.children import Child
from tools.embedded.layout import Layout
from tools.embedded.postgres import APP, DATABASE, SUPERUSER, Postgres, binary
from tools.embedded.privileges import postgres_privileges, wrap_command
from tools.embedded.stack import postgres_child


@dataclass(frozen=True)
class Standby:
    child: Child
    server: Postgres

    @property
    def url(self) -> str:
        return self.server.url(APP)

    def run(self, statement: str) -> int:
        """Run a statement as the superuser, in another database; return the number that it gives, or 0."""
        elsewhere = with_database(self.server.url(SUPERUSER), "postgres")
        with psycopg.connect(elsewhere, autocommit=True) as connection:
            [value] = connection.execute(statement).fetchone() or [0]
        return int(value or 0)

    def transactions(self) -> int:
        """How many transactions of the product the standby has answered, as far as it has counted them."""
        return self.run(f"select xact_commit from pg_stat_database where datname = '{DATABASE}'")


@contextmanager
def running_standby(data: Path, primary_url: str) -> Iterator[Standby]:
    layout = Layout(data)
    layout.make()
    server = Postgres(layout, postgres_privileges())
    if server.runs_as_nobody:
        server.chown_to_nobody(layout.pgdata)
    sockets = parse_qs(urlsplit(primary_url).query)["host"][0]
    command = [str(binary("pg_basebackup")), "-D", str(layout.pgdata), "-h", sockets, "-U", SUPERUSER, "-R", "-X", "stream", "-c", "fast"]
    subprocess.run(wrap_command(command, signal.SIGTERM, server.privileges), check=True, env={**os.environ, "LC_ALL": "C"})
    child = postgres_child(server)
    try:
        restart(child)
        yield Standby(child, server)
    finally:
        child.send(signal.SIGCONT)
        end(child, child.stop_signal)
        layout.remove_sockets_dir()
