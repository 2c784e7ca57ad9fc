"""Redis servers beside the session's, for faults that would hit every test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_django import Settings

from tenants.redis.clients import sync_client
from tools.embedded import valkey


@contextmanager
def own_redis(place: Path, *options: str) -> Iterator[str]:
    """A server with a socket in `place`, which has to be short; gives its URL."""
    place.mkdir(parents=True, exist_ok=True)
    server_socket = place / "r.sock"
    command = [valkey.binary(), "--port", "0", "--unixsocket", str(server_socket), "--save", "", "--dir", str(place), *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        assert any("Ready to accept connections" in line for line in server.stdout)
        yield f"unix://{server_socket}"
    finally:
        server.terminate()
        server.communicate(timeout=60)


@contextmanager
def redis_away(settings: Settings) -> Iterator[None]:
    """Nothing answers at Redis' address. It is set back before the clients go: another thread may make one at any time, for all later tests."""
    shared_url, settings.REDIS_URL = settings.REDIS_URL, "redis://127.0.0.1:1"
    sync_client.cache_clear()
    try:
        yield
    finally:
        settings.REDIS_URL = shared_url
        sync_client.cache_clear()


@contextmanager
def read_only_redis(place: Path) -> Iterator[str]:
    """A replica that has lost its primary."""
    with own_redis(place, "--replicaof", "127.0.0.1", "1") as url:
        yield url
