"""Putting tasks into a queue whose broker does not answer."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from threading import Barrier

import pytest
from celery import current_app

from chat.runs.task_queue import ENQUEUE_TIMEOUT_S, _threads, enqueue
from tests.support.suite.time_limits import scaled_to_load

pytestmark = pytest.mark.redis


@pytest.fixture
def silent_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The broker takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(current_app.conf, "broker_write_url", f"redis://127.0.0.1:{server.getsockname()[1]}/0")
        monkeypatch.setitem(current_app.conf.broker_transport_options, "max_retries", 1)
        monkeypatch.setattr(current_app.amqp, "_producer_pool", None)
        yield
    free = Barrier(2)  # who still waits has lost the connection
    list(_threads.map(lambda _: free.wait(), range(2)))


@pytest.mark.usefixtures("silent_broker")
async def test_sending_a_task_does_not_block_while_the_broker_hangs() -> None:
    async with asyncio.timeout(scaled_to_load(ENQUEUE_TIMEOUT_S + 1)):
        await asyncio.gather(*(enqueue("chat.tasks.run_take_over", "an id", expires_s=1) for _ in range(4)))
