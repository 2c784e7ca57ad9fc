"""Valkeys of a test's own that listen on TCP: servers, Sentinels and nodes of a cluster, all from the bundled program."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import redis

from tests.deploy.stores.authority import Authority
from tests.support.system.product import wait_for
from tools.embedded import ports, valkey

PASSWORD = "of-the-redis"


class Server:
    """One Valkey, as server or as Sentinel."""

    def __init__(
        self, folder: Path, *options: str, is_sentinel: bool = False, host: str = "127.0.0.1", authority: Authority | None = None
    ) -> None:
        self.host, self.port = host, ports.free_port()
        self._tls: dict[str, Any] = {"ssl": True, "ssl_ca_certs": str(authority.certificate)} if authority else {}
        self._folder = folder / str(self.port)
        self._folder.mkdir(parents=True)
        listener = authority.listener(self.port) if authority else ["--port", str(self.port)]
        arguments = ["--bind", host, *listener, "--dir", str(self._folder), "--save", "", *options]
        if is_sentinel:  # it writes what it finds out into its file
            path = self._folder / "sentinel.conf"
            path.touch()
            arguments = [str(path), *arguments, "--sentinel"]
        # The bundled Valkey has no TLS, and Debian 12 has Redis 7.0 alone.
        self._command = [shutil.which("redis-server") or "redis-server" if authority else valkey.binary(), *arguments]
        self.process: subprocess.Popen[bytes]

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        wait_for(self.is_up, "a Valkey was up")

    def is_up(self) -> bool:
        try:
            with redis.Redis(host=self.host, port=self.port, socket_timeout=1, **self._tls) as client:
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
        return redis.Redis(host=self.host, port=self.port, socket_timeout=5, decode_responses=True, **self._tls, **options)  # type: ignore[arg-type]
