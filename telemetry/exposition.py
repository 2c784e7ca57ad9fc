"""Gives the metrics of all processes behind one port to Prometheus, and answers probes.

Each process has its values in files of its own (prometheus_client's multi-process mode). Of the processes with the same METRICS_PORT on a
machine, one listens, for all; when it ends, another one takes its place. The files of a process that died are added up into one, so that
counters never fall and restarts leave no files behind.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, NamedTuple

import psutil
import structlog
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

BIND_PAUSE_S: Final = 2.0  # until the port is tried again
REQUEST_S: Final = 5.0  # for a request to come in
DEAD: Final = "0"  # stands in the place of a process id in the names of the files of the dead

log = structlog.get_logger(__name__)


class Answer(NamedTuple):
    """The answer to a probe."""

    status: int
    body: bytes
    content_type: str = "application/json"


Probe = Callable[[], Answer]


class MetricsServer:
    """The port of this process, or of all that share it. `probes`: the answer for each path besides /metrics."""

    def __init__(self, address: str, port: int, directory: Path, probes: Mapping[str, Probe]) -> None:
        self._address, self._port, self._directory = address, port, directory
        self._probes = {"/metrics": self._metrics, **probes}
        self._stopped = threading.Event()

    def start(self) -> None:
        """Serve from now on, in a thread, as soon as the port is free."""
        threading.Thread(target=self._serve_forever, name="metrics", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _serve_forever(self) -> None:
        is_logged = False
        while not self._stopped.is_set():
            try:
                server = self._bind()
            except OSError as error:
                if not is_logged and error.errno != errno.EADDRINUSE:
                    log.warning("metrics_not_served", address=self._address, port=self._port, reason=str(error))
                    is_logged = True
                self._stopped.wait(BIND_PAUSE_S)
                continue
            server.timeout = 0.5
            with server:
                while not self._stopped.is_set():
                    server.handle_request()

    def _bind(self) -> ThreadingHTTPServer:
        probes = self._probes

        class Handler(BaseHTTPRequestHandler):
            timeout = REQUEST_S
            server_version, sys_version = "Parley", ""

            def do_GET(self) -> None:
                probe = probes.get(self.path.partition("?")[0])
                answer = probe() if probe else Answer(404, b"{}")
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the standard library's name
                """Say nothing: probes come every few seconds."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = os.name == "posix"  # only past connections of this port; two that listen are refused all the same

            def handle_error(self, request: object, client_address: object) -> None:
                """Say nothing of a client that left."""
                error = sys.exception()
                if not isinstance(error, ConnectionError | TimeoutError):
                    log.error("metrics_not_answered", exc_info=error)

        return Server((self._address, self._port), Handler)

    def _metrics(self) -> Answer:
        encode, content_type = choose_encoder("")
        with _lock(self._directory):  # another answer would delete files while this one reads them
            _add_up_the_dead(self._directory)
            registry = CollectorRegistry()
            registry.register(_WrittenFiles(self._directory))
            return Answer(200, encode(registry), content_type)


class _WrittenFiles(Collector):
    """A collector of all files in the directory but those that a process has just made and not written to: the library can't read them."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def collect(self) -> Iterable[Metric]:
        metrics: Iterable[Metric] = MultiProcessCollector.merge([str(path) for path in self._directory.glob("*.db") if path.stat().st_size])
        return metrics


def forget_the_dead(directory: Path) -> None:
    """Empty the directory when no other process of it lives: then all counters may begin anew."""
    with _lock(directory):
        paths = list(directory.glob("*.db"))
        processes = {path.stem.rpartition("_")[2] for path in paths} - {DEAD, str(os.getpid())}
        if any(psutil.pid_exists(int(process)) for process in processes):
            return
        for path in paths:
            if path.stem.rpartition("_")[2] != str(os.getpid()):
                path.unlink(missing_ok=True)


def _add_up_the_dead(directory: Path) -> None:
    """Add the values of processes that have died to one file for each type, and delete their files. Gauges of the dead are gone."""
    for path in directory.glob("*.db"):
        kind, _, process = path.stem.rpartition("_")
        if process == DEAD or psutil.pid_exists(int(process)):
            continue
        if kind in ("counter", "histogram"):
            if path.stat().st_size:
                _add(path, directory / f"{kind}_{DEAD}.db")
            path.unlink(missing_ok=True)
        mark_process_dead(int(process), str(directory))


def _add(source: Path, target: Path) -> None:
    total = MmapedDict(str(target))
    try:
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(source)):
            total.write_value(key, total.read_value(key)[0] + value, 0.0)
    finally:
        total.close()


@contextmanager
def _lock(directory: Path) -> Iterator[None]:
    """One process at a time."""
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
