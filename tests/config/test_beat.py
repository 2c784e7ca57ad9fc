"""Of several beats one sends; another takes over with the times of what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from celery import Celery
from celery.beat import BeatLazyFunc, Service
from django.conf import settings
from django.utils.timezone import now

from config.beat import TICK_S, BeatThread, SharedScheduler
from tenants.redis.clients import key
from tests.support.system.product import wait_for

pytestmark = pytest.mark.redis


@pytest.fixture
def server() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        yield client
        client.delete(key("beat", "lock"), key("beat", "sent"))


@pytest.fixture
def app() -> Celery:
    app = Celery("beats", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {"hourly": {"task": "nothing", "schedule": 3600.0}}
    return app


def make_due(beat: SharedScheduler) -> None:
    beat.schedule["hourly"].last_run_at = now() - timedelta(hours=2)


def send_time(server: redis.Redis) -> bytes | None:
    return server.hget(key("beat", "sent"), "hourly")  # type: ignore[return-value]


def test_only_the_holder_sends_and_another_one_knows_what_was_sent(app: Celery, server: redis.Redis) -> None:
    first, second = SharedScheduler(app), SharedScheduler(app)
    make_due(first)
    make_due(second)
    assert first.tick() == 0
    first_send = send_time(server)
    assert first_send
    assert second.tick() > 0  # not its turn
    assert send_time(server) == first_send
    first.close()
    assert second.tick() > 0  # its turn, but the task was sent by the first
    assert send_time(server) == first_send
    make_due(second)
    second._heap = None
    assert second.tick() == 0
    assert send_time(server) != first_send


def test_a_beat_that_lost_its_lock_stops_sending(app: Celery, server: redis.Redis) -> None:
    """As after a pause of the machine that was longer than the lock lasts."""
    first, second = SharedScheduler(app), SharedScheduler(app)
    first.tick()
    server.delete(key("beat", "lock"))
    second.tick()
    first._renewed_at -= 1
    make_due(first)
    first._heap = None
    assert first.tick() > 0
    assert send_time(server) is None


def test_a_beat_that_dies_before_it_has_sent_leaves_nothing_out(app: Celery, server: redis.Redis) -> None:
    first, second = SharedScheduler(app), SharedScheduler(app)
    assert first.tick() > 0
    for beat in (first, second):
        make_due(beat)
    first.reserve(first.schedule["hourly"])  # and is killed
    server.delete(key("beat", "lock"))
    assert second.tick() == 0
    assert send_time(server)


def test_what_could_not_be_sent_stays_due(app: Celery, server: redis.Redis) -> None:
    def refuse() -> str:
        raise OSError

    app.conf.beat_schedule = {"hourly": {"task": "nothing", "schedule": 3600.0, "args": [BeatLazyFunc(refuse)]}}
    beat = SharedScheduler(app)
    beat.tick()
    make_due(beat)
    beat._heap = None
    for _ in range(2):
        assert beat.tick() == TICK_S
        assert beat.schedule["hourly"].is_due()[0]
    assert send_time(server) is None


def test_a_beat_in_a_worker_begins_anew_when_it_ends_by_itself(app: Celery, monkeypatch: pytest.MonkeyPatch) -> None:
    services = list[Service]()

    def start(service: Service) -> None:
        services.append(service)
        if len(services) == 1:
            raise RuntimeError
        if len(services) > 2:
            service._is_shutdown.wait(60)  # type: ignore[attr-defined]

    monkeypatch.setattr("config.beat.TICK_S", 0.01)
    monkeypatch.setattr(Service, "start", start)
    thread = BeatThread(app)
    thread.start()
    wait_for(lambda: len(services) == 3, "it had begun anew after an error and after an end")
    thread.close()
    assert not thread._thread.is_alive()
    assert len({*services}) == 3
