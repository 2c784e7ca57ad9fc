"""pytest plugin (`-p tools.embedded.testing`): servers and environment variables for a test session.

With DATABASE_URL in the environment, the tests use the servers named there, otherwise their own in `.data-test`. Only the main process
starts servers; xdist workers inherit the variables and get their own database and Redis prefix. With `--fast`, no server is
started, and none can be reached.
"""

from __future__ import annotations

import base64
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tools.embedded import environment, orphans, run_state
from tools.embedded.children import Child
from tools.embedded.layout import ROOT, Layout
from tools.embedded.postgres import Postgres
from tools.embedded.privileges import postgres_privileges
from tools.embedded.stack import postgres_child, valkey_child
from tools.embedded.supervisor import stop_children
from tools.embedded.valkey import Valkey

DEFAULTS = {
    "SECRET_KEY": "only-for-tests-0123456789-0123456789-0123456789",
    "CREDENTIAL_KEYS": "test:" + base64.b64encode(bytes(range(32))).decode(),
    "PUBLIC_URL": "http://testserver",
    "REDIS_PREFIX": "test",
    "DEMO_PROVIDER_URL": "",
    "OPERATOR_SECOND_FACTOR": "optional",  # tests of the rule itself require it
}
NO_SERVERS = {
    **dict.fromkeys(environment.DATABASE_VARIABLES, "postgresql://nobody@/nothing?host=/nowhere"),
    "REDIS_URL": "unix:///nowhere/redis.sock",
}


class TestServers:
    """PostgreSQL without fsync and Valkey without files, ready before the first test."""

    __test__ = False

    def __init__(self) -> None:
        self.layout = Layout(Path(os.environ.get("PARLEY_TEST_DATA_DIR") or ROOT / ".data-test").resolve())
        self.layout.make()
        self.lock = self.acquire_lock()
        self.postgres = Postgres(self.layout, postgres_privileges(), fast_unsafe=True)
        self.valkey = Valkey(self.layout, in_memory=True)
        self.children: list[Child] = [valkey_child(self.valkey), postgres_child(self.postgres)]

    def acquire_lock(self) -> IO[str]:
        lock = run_state.lock(self.layout)
        if lock is None:
            raise pytest.UsageError(f"Another test run uses {self.layout.data}; wait for it, or set PARLEY_TEST_DATA_DIR.")
        return lock

    def variables(self) -> dict[str, str]:
        return {**environment.database_urls(self.postgres), "REDIS_URL": self.valkey.url}

    def start(self) -> None:
        orphans.stop_orphans(self.layout)
        self.postgres.drop_stale_locks()
        self.postgres.initialise()
        for child in self.children:
            child.launch()
        run_state.write(self.layout, url="", children=self.children)
        for child in self.children:
            child.ready()
        self.postgres.create_roles()

    def stop(self) -> None:
        stop_children(self.children)
        self.layout.remove_sockets_dir()
        self.lock.close()


_servers: list[TestServers] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="only the tests that need no server (make test-fast)")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Set the variables before pytest-django loads the settings, which happens in a later call of this hook."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        os.environ["REDIS_PREFIX"] += f"_{worker}"
        return
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    if early_config.known_args_namespace.fast:
        os.environ.update(NO_SERVERS)
    elif not environment.has_own_database():
        servers = TestServers()
        os.environ.update(servers.variables())
        _servers.append(servers)


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart() -> Iterator[None]:
    for servers in _servers:
        servers.start()
    yield


def pytest_unconfigure() -> None:
    with contextlib.suppress(IndexError):
        _servers.pop().stop()
