"""What Prometheus reads is whole at any moment in the life of a process that writes to it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client.mmap_dict import MmapedDict

from telemetry.exposition import MetricsServer
from tests.support.system.product import wait_for
from tools.embedded import ports

NAME = "parley_lighthouses_total"
KEY = json.dumps([NAME, NAME, {}, "Lighthouses."])
NO_PROCESS = 2**22  # the largest id on Linux is one less


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    port = ports.free_port()
    server = MetricsServer("127.0.0.1", port, tmp_path, {})
    server.start()
    yield port
    server.stop()


def write(path: Path, value: float) -> None:
    values = MmapedDict(str(path))  # type: ignore[no-untyped-call]  # the library has no types
    values.write_value(KEY, value, 0.0)  # type: ignore[no-untyped-call]
    values.close()  # type: ignore[no-untyped-call]


def metrics(port: int) -> str:
    answers: list[str] = []

    def is_answered() -> bool:
        try:
            answers.append(httpx2.get(f"http://127.0.0.1:{port}/metrics", trust_env=False, timeout=30).text)
        except httpx2.ConnectError:  # it does not listen yet
            return False
        return True

    wait_for(is_answered, "the port answers")
    return answers[-1]


@pytest.mark.parametrize("starting", [os.getpid(), NO_PROCESS], ids=["it lives", "it died"])
def test_a_process_that_has_just_made_its_file_hides_no_others_values(port: int, tmp_path: Path, starting: int) -> None:
    write(tmp_path / f"counter_{os.getppid()}.db", 2)
    write(tmp_path / f"counter_{NO_PROCESS + 1}.db", 3)
    (tmp_path / f"histogram_{starting}.db").touch()
    for _ in range(2):
        assert f"{NAME} 5.0" in metrics(port)
