"""What a start that cannot work says: one line that names the cause and the way out."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.embedded.running import start_to_end
from tests.support.stores.redis_servers import read_only_redis


def refusal(data: Path, *arguments: str, **env: str) -> str:
    """The one line of a refused start."""
    result = start_to_end(data, *arguments, **env)
    line = result.stderr.strip()
    assert result.returncode == 1, result
    assert line.startswith("parley: "), result
    assert "\n" not in line
    return line


def test_an_explicit_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"Port {port} on 127.0.0.1 is taken" in refusal(tmp_path, "--port", str(port))


def test_a_read_only_redis_is_refused(tmp_path: Path) -> None:
    with read_only_redis(tmp_path) as url:
        line = refusal(tmp_path / "data", REDIS_URL=url)
    assert "REDIS_URL" in line
    assert "read-only" in line
    assert "unset REDIS_URL" in line


def test_a_missing_redis_is_refused(tmp_path: Path) -> None:
    line = refusal(tmp_path, REDIS_URL="redis://user:geheim@127.0.0.1:1/0")
    assert "REDIS_URL (redis://127.0.0.1:1/0) cannot be reached" in line
    assert "geheim" not in line


def test_one_database_url_without_the_other_three_is_refused(tmp_path: Path) -> None:
    line = refusal(tmp_path, DATABASE_URL="postgresql://app@127.0.0.1:1/parley")
    assert "missing: DATABASE_AUTH_URL, DATABASE_OWNER_URL, DATABASE_SYSTEM_URL" in line


def test_a_missing_database_is_refused(tmp_path: Path) -> None:
    address = "postgresql://app:geheim@127.0.0.1:1/parley"
    line = refusal(tmp_path, DATABASE_URL=address, DATABASE_AUTH_URL=address, DATABASE_OWNER_URL=address, DATABASE_SYSTEM_URL=address)
    assert "DATABASE_URL (postgresql://127.0.0.1:1/parley) cannot be used" in line
    assert "geheim" not in line


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_data_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, -1)
    assert "belongs to another user" in refusal(tmp_path)
