"""The ACL that docs/operations.md gives to operators, on a real server: Parley works with it, and reaches nothing else."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis
from redis.exceptions import AuthenticationError, NoPermissionError

from tests.support.stores.redis_servers import own_redis
from tests.support.system.product import wait_for
from tests.support.system.product_servers import own_database
from tests.system.test_broker_faults import WORKER, send_task
from tools.embedded.layout import ROOT

FORBIDDEN = ["FLUSHALL", "KEYS *", "CONFIG GET *", "ACL LIST", "SHUTDOWN", "GET other:key", "LPUSH celery x", "PUBLISH other:channel x"]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A server on which the operator has run the documented commands; with the URL of its user."""
    text = (ROOT / "docs/operations.md").read_text()
    commands = [line for line in text.splitlines() if line.startswith("ACL SETUSER")]
    with own_redis(tmp_path) as server, redis.Redis.from_url(server) as operator:
        for command in commands:
            operator.execute_command(*shlex.split(command))
        yield f"unix://parley:a-long-random-password@{urlsplit(server).path}"


@pytest.mark.parametrize("command", FORBIDDEN)
def test_its_user_reaches_nothing_else(command: str, url: str) -> None:
    with redis.Redis.from_url(url) as client:
        client.set("parley:key", "x")
        with pytest.raises(NoPermissionError):
            client.execute_command(*command.split())


def test_nobody_else_reaches_anything(url: str) -> None:
    with redis.Redis.from_url(f"unix://{urlsplit(url).path}") as stranger, pytest.raises(AuthenticationError):
        stranger.get("parley:key")


def test_a_worker_works_with_it(url: str, django_db_setup: None) -> None:
    with own_database("redis_acl") as urls, redis.Redis.from_url(url) as client:
        env = {**os.environ, **urls, "REDIS_URL": url, "REDIS_PREFIX": "parley"}
        worker = subprocess.Popen(WORKER, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: client.exists("parley:recovery:swept"), "the worker began")
            send_task(url, "parley")
            wait_for(lambda: not client.llen("parley:celery:upkeep"), "the worker took a task")
            assert worker.poll() is None
        finally:
            worker.kill()
            worker.wait()
