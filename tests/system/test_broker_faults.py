"""Workers outlive a Redis that takes no writes, and web processes say that they leave before they close their listener."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
import redis
from celery import Celery
from django.conf import settings

from config.settings.celery import broker_url
from tests.support.stores.redis_servers import own_redis
from tests.support.system.product import Product, wait_for
from tests.support.system.product_servers import own_database
from tools.embedded.layout import ROOT

PREFIX = "broker_faults"
WORKER = [sys.executable, "-m", "celery", "-A", "config", "worker", "-P", "threads", "-c", "2", "--without-gossip", "--without-mingle"]
FAULT_S = 4.0

Change = Callable[[redis.Redis], object]
FAULTS: dict[str, tuple[Change, Change]] = {
    "read-only": (lambda server: server.replicaof("127.0.0.1", 1), lambda server: server.replicaof("NO", "ONE")),
    "full": (lambda server: server.config_set("maxmemory", 1), lambda server: server.config_set("maxmemory", 0)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_worker_outlives_a_redis_that_takes_no_writes(fault: str, django_db_setup: None, tmp_path: Path) -> None:
    begin, end = FAULTS[fault]
    with own_redis(tmp_path) as url, own_database("broker_faults") as urls, redis.Redis.from_url(url) as server:
        env = {**os.environ, **urls, "REDIS_URL": url, "REDIS_PREFIX": PREFIX}
        worker = subprocess.Popen(WORKER, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: server.exists(f"{PREFIX}:recovery:swept"), "the worker began")
            begin(server)
            time.sleep(FAULT_S)
            assert worker.poll() is None
            end(server)
            send_task(url)
            wait_for(lambda: not server.llen(f"{PREFIX}:celery:upkeep"), "the worker took a task again")
        finally:
            worker.kill()
            worker.wait()


def test_a_lost_connection_can_be_closed_twice(tmp_path: Path) -> None:
    """As Celery does when Redis dies under a worker whose channels wait for more, one of them with a job that it has not finished."""
    with own_redis(tmp_path) as url, Celery(broker=broker_url(url), set_as_current=False) as app, app.connection_for_read() as connection:
        jobs, notices = connection.SimpleQueue("upkeep"), connection.SimpleQueue("files", channel=connection.channel())
        jobs.put("a job")
        jobs.get(timeout=60)
        with pytest.raises(notices.Empty):
            notices.get(timeout=0.1)
        with redis.Redis.from_url(url) as server:
            server.shutdown(nosave=True)
        connection.collect()
        connection.close()


WHOLE = {"body": "W1tdLCB7fSwge31d", "content-type": "application/json", "content-encoding": "utf-8", "headers": {}}
PROPERTIES = {"delivery_tag": "1", "delivery_info": {"exchange": "", "routing_key": "upkeep"}, "body_encoding": "base64"}
BROKEN_MESSAGES: list[bytes] = [
    *(b"", b"garbage", b"\xff\xfe\x00", b"null", b"1", b'"text"', b"[]", b"{}", b"[" * 500, b'{"body": 1}', b"{" + b'"a":' * 3),
    *(
        json.dumps(entry).encode()
        for entry in (
            {**WHOLE, "properties": {}},
            {**WHOLE, "properties": []},
            {**WHOLE, "properties": None},
            {**WHOLE, "properties": {**PROPERTIES, "delivery_info": None}},
            {**WHOLE, "properties": {**PROPERTIES, "delivery_tag": ["1"]}},
            {**WHOLE, "properties": PROPERTIES, "body": "no base64!"},
            {**WHOLE, "properties": PROPERTIES, "body": 5},
            {**WHOLE, "properties": PROPERTIES, "body": "gA==", "content-type": "application/x-python-serialize"},
            {**WHOLE, "properties": PROPERTIES, "content-type": "text/yaml"},
            {**WHOLE, "properties": PROPERTIES, "content-encoding": "rot13"},
            {**WHOLE, "properties": PROPERTIES, "headers": None},
            {**WHOLE, "properties": PROPERTIES, "headers": {"task": "os.system", "id": "1"}},
            {**WHOLE, "properties": PROPERTIES, "headers": {"task": "tenants.tasks.sessions_clear", "id": "1", "eta": "never"}},
            {**WHOLE, "properties": PROPERTIES, "headers": {"task": "tenants.tasks.sessions_clear", "id": "1", "expires": "soon"}},
            {**WHOLE, "properties": PROPERTIES, "headers": {"task": "tenants.tasks.sessions_clear", "id": [], "timelimit": 7}},
            {**WHOLE, "properties": PROPERTIES, "headers": {"task": "tenants.tasks.sessions_clear", "id": "2"}, "body": "MQ=="},
        )
    ),
]


def test_a_worker_outlives_broken_entries(django_db_setup: None, tmp_path: Path) -> None:
    queue = f"{PREFIX}:celery:upkeep"
    with own_redis(tmp_path) as url, own_database("broken_entries") as urls, redis.Redis.from_url(url) as server:
        env = {**os.environ, **urls, "REDIS_URL": url, "REDIS_PREFIX": PREFIX}
        worker = subprocess.Popen(WORKER, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: server.exists(f"{PREFIX}:recovery:swept"), "the worker began")
            server.lpush(queue, *BROKEN_MESSAGES)
            wait_for(lambda: worker.poll() is not None or not server.llen(queue), "the worker has taken all of them")
            assert worker.poll() is None
            server.set(queue, "no list at all")
            time.sleep(FAULT_S)
            assert worker.poll() is None
            server.delete(queue)
            send_task(url)
            wait_for(lambda: not server.llen(queue), "the worker took a task again")
            assert worker.poll() is None
        finally:
            worker.kill()
            worker.wait()


def send_task(url: str, prefix: str = PREFIX) -> None:
    with Celery(broker=broker_url(url), set_as_current=False) as sender:
        sender.conf.broker_transport_options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "global_keyprefix": f"{prefix}:celery:"}
        sender.send_task("tenants.tasks.sessions_clear", ignore_result=True, queue="upkeep")


def test_readiness_turns_before_the_listener_closes(product: Product) -> None:
    web = product.start_web(DRAIN_NOTICE_S="10")
    with httpx2.Client(base_url=web.url, trust_env=False, timeout=60) as probe:
        wait_for(lambda: probe.get("/readyz").json()["process"], "it is ready")
        web.child.send(signal.SIGTERM)
        wait_for(lambda: not probe.get("/readyz").json()["process"], "it says that it leaves")
        assert httpx2.get(f"{web.url}/livez", trust_env=False, timeout=60).status_code == 200  # over a new connection
    assert web.child.process
    assert web.child.process.wait(60) in {0, -signal.SIGTERM}
