"""Liveness and readiness as a load balancer asks for them."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.db import connections
from django.test import AsyncClient
from pytest_django import Settings

from chat.runs.recovery import sweep_key
from config import start_checks
from config.pages import health
from config.web.migration_gate import MigrationGate
from files.store import marker
from tenants.postgres import migration_state
from tenants.redis.clients import redis_client
from tests.support.stores.database import connect
from tests.support.stores.redis_servers import read_only_redis
from tests.support.suite.time_limits import scaled_to_load


async def test_health_answers_and_readiness_asks_the_services(async_client: AsyncClient, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marker, "_expected", None)  # another test may have started the application in this process
    await redis_client().set(sweep_key(), 1)  # as a worker does
    assert (await async_client.get("/livez")).status_code == 200
    ready = await async_client.get("/readyz")
    assert ready.json() == {
        "status": "ok",
        "database": True,
        "migrations": True,
        "redis": True,
        "files": True,
        "recovery": True,
        "process": True,
    }


async def test_readiness_is_refused_while_a_migration_is_missing(
    async_client: AsyncClient, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = (*migration_state.newest_migrations(), ("chat", "9999_of_the_next_version"))
    monkeypatch.setattr(migration_state, "newest_migrations", lambda: newer)
    ready = await async_client.get("/readyz")
    assert (ready.status_code, ready.json()["database"], ready.json()["migrations"]) == (503, True, False)


async def test_readiness_is_refused_while_redis_takes_no_write(
    async_client: AsyncClient, db: None, settings: Settings, tmp_path: Path
) -> None:
    with read_only_redis(tmp_path) as url:
        settings.REDIS_URL = url
        ready = await async_client.get("/readyz")
    assert (ready.status_code, ready.json()["redis"]) == (503, False)


@pytest.mark.django_db(transaction=True)
async def test_readiness_answers_in_time_whatever_hangs(async_client: AsyncClient, settings: Settings) -> None:
    """A server that takes connections and says nothing, and tables that a migration has locked."""
    with socket.create_server(("127.0.0.1", 0)) as silent, connect(connections["default"].settings_dict["NAME"]) as owner:
        settings.REDIS_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        with owner.transaction():
            owner.execute("lock table django_migrations in access exclusive mode")
            began = time.monotonic()
            ready = await async_client.get("/readyz")
            took_s = time.monotonic() - began
    assert (ready.status_code, ready.json()["redis"], ready.json()["database"]) == (503, False, False)
    assert took_s < scaled_to_load(5)


async def test_readiness_is_refused_without_redis(async_client: AsyncClient, db: None, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    ready = await async_client.get("/readyz")
    assert (ready.status_code, ready.json()["redis"]) == (503, False)


async def test_a_process_that_waits_for_its_tables_answers_probes_alone() -> None:
    messages: list[dict[str, Any]] = []

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "passed"})

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    async def ask(kind: str, path: str) -> tuple[str, object]:
        messages.clear()
        await gate({"type": kind, "path": path}, receive, send)
        last = next(message for message in messages if message["type"] != "websocket.accept")
        return last["type"], last.get("status", last.get("code"))

    gate = MigrationGate(application)
    assert await ask("http", "/readyz") == ("passed", None)
    assert await ask("http", "/o/demo/") == ("http.response.start", 503)
    assert await ask("websocket", "/o/demo/ws/chat/") == ("websocket.close", 1013)
    gate.open()
    assert await ask("http", "/o/demo/") == ("passed", None)


async def test_probes_share_one_look_at_a_store_that_is_silent(
    async_client: AsyncClient, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, speaks = list[str](), Event()

    def look() -> str:
        looks.append("look")
        speaks.wait(60)
        return "same"

    monkeypatch.setattr(health, "store_state", look)
    monkeypatch.setattr(health, "CHECK_S", 0.2)
    try:
        file_states = [(await async_client.get("/readyz")).json()["files"] for _ in range(3)]
    finally:
        speaks.set()
    assert file_states == [True] * 3
    assert looks == ["look"]


async def test_a_process_that_lets_nobody_in_is_not_ready_though_its_tables_are_there(
    async_client: AsyncClient, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Event()
    waiting.set()
    monkeypatch.setattr(start_checks, "_is_waiting", waiting)
    ready = await async_client.get("/readyz")
    assert (ready.status_code, ready.json()["migrations"], ready.json()["process"]) == (503, True, False)


def test_a_worker_whose_checks_break_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery goes on after any other exception than SystemExit."""

    def break_off() -> None:
        raise RuntimeError

    monkeypatch.setattr(start_checks, "_close", lambda alias: None)
    monkeypatch.setattr(start_checks, "_check_surroundings", break_off)
    with pytest.raises(SystemExit):
        start_checks.check_start()


def test_a_process_whose_wait_breaks_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(code: int) -> None:
        raise SystemExit(code)

    def break_off() -> None:
        raise RuntimeError

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(start_checks, "_close", lambda alias: None)
    monkeypatch.setattr(start_checks, "_wait_for_tables", break_off)
    gate = MigrationGate(None)
    with pytest.raises(SystemExit):
        start_checks._open_when_migrated(gate.open)
    assert not gate._is_open
