"""Two beats: one sends, and when it is killed the other takes over within ten seconds."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import cast

import redis

from config.processes import beat_arguments
from tests.deploy.probing import is_up
from tests.support.system.product import Product, product, wait_for
from tests.support.system.product_servers import end
from tools.embedded import ports
from tools.embedded.stack import WORKER

TAKEOVER_S = 10


def holder(running: Product) -> bytes | None:
    """Whose lock it is: each beat has a token of its own."""
    with redis.Redis.from_url(running.env["REDIS_URL"]) as client:
        return cast(bytes | None, client.get(f"{running.env['REDIS_PREFIX']}:beat:lock"))


def test_another_beat_takes_over_from_a_killed_one(django_db_setup: None, tmp_path: Path) -> None:
    """The first is the worker's thread, the second a process."""
    with product(tmp_path / "data") as running:
        first = wait_for(lambda: holder(running), "a beat had the lock")
        port = ports.free_port()
        env = {**running.env, "METRICS_PORT": str(port), "TMPDIR": str(tmp_path)}
        second = running.stack.program("beat-2", beat_arguments(), env, stop_rank=WORKER, grace_s=10)
        second.launch()
        wait_for(lambda: is_up(f"http://127.0.0.1:{port}/startedz"), "the second one had started")
        assert holder(running) == first
        end(running.worker, signal.SIGKILL)
        began = time.monotonic()
        wait_for(lambda: holder(running) not in {None, first}, "the second one had the lock")
        took_s = time.monotonic() - began
        end(second, signal.SIGTERM)
        assert took_s < TAKEOVER_S
        assert holder(running) is None  # one that ends gives it back
