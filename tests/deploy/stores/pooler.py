"""The distribution's PgBouncer with the sample of deploy/, in front of the test session's PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.support.system.product import wait_for
from tools.embedded import ports
from tools.embedded.layout import ROOT
from tools.embedded.privileges import postgres_privileges, wrap_command
from tools.embedded.programs import listening

PROGRAM = "/usr/sbin/pgbouncer"
POOLED_VARIABLES = ("DATABASE_URL", "DATABASE_AUTH_URL", "DATABASE_SYSTEM_URL")
PASSWORD = "of-the-pooler"


class Pooler:
    """A running PgBouncer."""

    def __init__(self, port: int, pooled: tuple[str, ...]) -> None:
        self.port, self.pooled = port, pooled

    def urls(self, direct: dict[str, str]) -> dict[str, str]:
        """The variables with the addresses of the pooled roles through the pooler."""
        return {**direct, **{name: self._url(direct[name]) for name in self.pooled}, "DB_PREPARE": "0"}

    def _url(self, direct: str) -> str:
        url = urlsplit(direct)
        return f"postgresql://{url.username}:{PASSWORD}@127.0.0.1:{self.port}{url.path}"


@contextmanager
def running_pooler(
    folder: Path, *, pool_size: int, mode: str = "transaction", variables: tuple[str, ...] = POOLED_VARIABLES
) -> Iterator[Pooler]:
    """PgBouncer as the user that PostgreSQL runs as, since neither may be root. `mode`: `session` is a mere way to PostgreSQL by TCP."""
    pooler = Pooler(ports.free_port(), variables)
    command = [PROGRAM, str(_configuration(folder, pooler, pool_size, mode))]
    with (folder / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen(wrap_command(command, signal.SIGTERM, postgres_privileges()), stderr=log)
    try:
        wait_for(lambda: listening(("127.0.0.1", pooler.port)), "PgBouncer was listening")
        yield pooler
    finally:
        process.terminate()
        process.wait(30)


def _configuration(folder: Path, pooler: Pooler, pool_size: int, mode: str) -> Path:
    """The sample with the addresses of this machine and few connections, so that they change hands all the time."""
    sample = ConfigParser(inline_comment_prefixes=None)
    sample.read(ROOT / "deploy" / "pgbouncer.ini")
    sockets = parse_qs(urlsplit(os.environ["DATABASE_URL"]).query)["host"][0]
    users = folder / "userlist.txt"
    users.write_text("".join(f'"{urlsplit(os.environ[name]).username}" "{PASSWORD}"\n' for name in pooler.pooled))
    sample["databases"] = {"*": f"host={sockets}"}
    sample["pgbouncer"].update(listen_port=str(pooler.port), auth_file=str(users), default_pool_size=str(pool_size), pool_mode=mode)
    path = folder / "pgbouncer.ini"
    with path.open("w") as file:
        sample.write(file)
    return path
