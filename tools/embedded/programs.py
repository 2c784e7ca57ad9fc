"""Parley's own processes: started as `python -m x`, with output to a log file and only warnings and errors to the terminal."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.embedded.layout import ROOT
from tools.embedded.output import LogForwarder, StartError, open_log, tail
from tools.embedded.privileges import wrap_command

READY_TIMEOUT_S = 60


@dataclass(frozen=True)
class Program:
    """One Python program with its environment."""

    name: str
    arguments: list[str]
    env: Mapping[str, str]
    logs: Path
    address: tuple[str, int] | None = None  # where it serves; None when it has no port
    code: Path = ROOT

    @property
    def log(self) -> Path:
        return self.logs / f"{self.name}.log"

    def start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            wrap_command([sys.executable, *self.arguments], signal.SIGTERM),
            cwd=self.code,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # otherwise Ctrl-C would reach it before the supervisor stops everything in order
        )
        if process.stdout:
            LogForwarder(self.name, self.log, as_json=self.env.get("LOG_FORMAT") == "json").follow(process.stdout, open_log(self.log))
        return process

    def run(self) -> None:
        """Run to the end. Raises StartError with the end of the log when it fails."""
        with open_log(self.log) as log:
            command = wrap_command([sys.executable, *self.arguments], signal.SIGTERM)
            code = subprocess.run(
                command, cwd=self.code, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            ).returncode
        if code:
            raise StartError(f"{self.name} failed; the end of {self.log}:\n{tail(self.log)}")

    def wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        if self.address is None:
            return
        end = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < end:
            if process.poll() is not None:
                raise StartError(f"{self.name} stopped with {process.returncode}; the end of {self.log}:\n{tail(self.log)}")
            if listening(self.address):
                return
            time.sleep(0.02)
        raise StartError(f"{self.name} was not listening within {READY_TIMEOUT_S} s; the end of {self.log}:\n{tail(self.log)}")


def listening(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=0.5).close()
    except OSError:
        return False
    return True
