"""The lean relay as a process, with a database of its own on the PostgreSQL of the stack."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
import psycopg
from psycopg import sql

from bench.stack.cores import running_on
from bench.stack.seed import PASSWORD, email_of
from tools.embedded import ports
from tools.embedded.children import Child
from tools.embedded.programs import Program
from tools.embedded.stack import WEB
from tools.embedded.supervisor import stop_children

SESSION_COOKIE = "sessionid"
SERVER = ("-m", "uvicorn", "bench.lean_relay.application:application", "--host", "127.0.0.1", "--log-level", "warning", "--no-access-log")


@dataclass(frozen=True, slots=True)
class RunningLeanRelay:
    """The process, its URL without a trailing slash, and the Cookie header of its one user."""

    url: str
    cookie: str
    process: psutil.Process

    @property
    def socket_url(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/chat/"


@contextmanager
def running_lean_relay(
    owner_url: str, model_url: str, logs: Path, *, database: str, cores: frozenset[int] | None
) -> Iterator[RunningLeanRelay]:
    """Make the database, start the relay on `cores` (None: on any) and sign in; stop it at the end. Raises StartError.

    `owner_url`: another database of the same server, with a role that may create databases. The new one is left.
    """
    port = ports.free_port()
    url = f"http://127.0.0.1:{port}"
    env = {
        **os.environ,
        **_make_database(owner_url, database),
        "DJANGO_SETTINGS_MODULE": "bench.lean_relay.settings",
        "MODEL_URL": model_url,
    }
    Program("lean-relay-seed", ["-m", "bench.lean_relay.seed", email_of(0), PASSWORD], env, logs).run()
    program = Program("lean-relay", [*SERVER, "--port", str(port)], env, logs, ("127.0.0.1", port))
    child = Child(program.name, program.start, program.wait_ready, program.log, stop_rank=WEB, grace_s=5)
    try:
        with running_on(cores):
            child.launch()
        child.ready()
        assert child.process, "it was launched"
        yield RunningLeanRelay(url, _sign_in(url), psutil.Process(child.process.pid))
    finally:
        stop_children([child])


def _make_database(owner_url: str, name: str) -> dict[str, str]:
    """Return libpq's variables of the new database."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        at = owner.info
        return {"PGHOST": at.host, "PGPORT": str(at.port), "PGUSER": at.user, "PGPASSWORD": at.password, "PGDATABASE": name}


def _sign_in(url: str) -> str:
    form = {"username": email_of(0), "password": PASSWORD}
    answer = httpx2.post(f"{url}/login/", data=form, trust_env=False, timeout=60).raise_for_status()
    return f"{SESSION_COOKIE}={answer.cookies[SESSION_COOKIE]}"
