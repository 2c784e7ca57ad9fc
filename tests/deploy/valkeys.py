"""Valkeys of a test's own that listen on TCP: servers, Sentinels and nodes of a cluster, all from the bundled program."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import redis

from tests.support.product import wait_for
from tools.embedded import ports, valkey

PASSWORD = "of-the-redis"


class Server:
    """One Valkey, as server or as Sentinel."""

    def __init__(self, folder: Path, *options: str, is_sentinel: bool = False, host: str = "127.0.0.1") -> None:
        self.host, self.port = host, ports.free_port()
        self._folder = folder / str(self.port)
        self._folder.mkdir(parents=True)
        given = ["--bind", host, "--port", str(self.port), "--dir", str(self._folder), "--save", "", *options]
        if is_sentinel:  # it writes what it finds out into its file
            path = self._folder / "sentinel.conf"
            path.touch()
            given = [str(path), *given, "--sentinel"]
        self._command = [valkey.binary(), *given]
        self.process: subprocess.Popen[bytes]

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        wait_for(self.is_up, "a Valkey was up")

    def is_up(self) -> bool:
        try:
            with redis.Redis(host=self.host, port=self.port, socket_timeout=1) as client:
                return bool(client.ping())
        except redis.AuthenticationError:
            return True
        except redis.ConnectionError:
            assert self.process.poll() is None, (self._folder / "log").read_text()[-1000:]
            return False

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def client(self, **options: str) -> redis.Redis:
        return redis.Redis(host=self.host, port=self.port, socket_timeout=5, decode_responses=True, **options)  # type: ignore[arg-type]
