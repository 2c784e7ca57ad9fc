"""Starts `python -m tools.embedded run` as a user would, in a data directory of its own."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import httpx2
import psutil

from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import ROOT

SET_BY_THE_TEST_SESSION = (
    *DATABASE_VARIABLES,
    "REDIS_URL",
    "SECRET_KEY",
    "CREDENTIAL_KEYS",
    "PUBLIC_URL",
    "REDIS_PREFIX",
    "DEMO_PROVIDER_URL",
)
START_TIMEOUT_S = 600  # ends what hangs: an idle machine starts within 20 s
STOP_TIMEOUT_S = 300


def command(data: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "tools.embedded", "run", "--data-dir", str(data), *arguments]


def user_environment(**extra: str) -> dict[str, str]:
    environment = {
        name: value for name, value in os.environ.items() if name not in SET_BY_THE_TEST_SESSION and not name.startswith("PYTEST")
    }
    return {**environment, **extra}


def start_to_end(data: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A start that is expected to end by itself."""
    return subprocess.run(
        command(data, *arguments), cwd=ROOT, env=user_environment(**env), capture_output=True, text=True, timeout=START_TIMEOUT_S
    )


class Parley:
    """A running Parley. `output` grows as lines are read."""

    def __init__(self, data: Path, *arguments: str, **env: str) -> None:
        self.data = data
        self.output = ""
        self.process = subprocess.Popen(
            command(data, *arguments),
            cwd=ROOT,
            env=user_environment(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            self.wait_for("Ctrl-C stops everything")
        except AssertionError:
            self.stop()  # or the next start in this directory would find it
            raise

    @property
    def url(self) -> str:
        match = re.search(r"Parley is ready: (\S+)", self.output)
        assert match, self.output
        return match[1]

    def wait_for(self, text: str) -> None:
        """Read the output until `text` comes; fails with all output when the process ends or stays silent first."""
        assert self.process.stdout
        end = time.monotonic() + START_TIMEOUT_S
        while text not in self.output:
            readable, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65536) if readable else b""
            assert piece, f"{text!r} did not come:\n{self.output}"
            self.output += piece.decode()

    def child(self, name: str) -> psutil.Process:
        """Wait for it: while it starts again, the record of what runs does not name it."""
        from tools.embedded import run_state
        from tools.embedded.layout import Layout

        end = time.monotonic() + START_TIMEOUT_S
        while name not in (children := run_state.read(Layout(self.data)).children):
            assert time.monotonic() < end, children
            time.sleep(0.05)
        return psutil.Process(children[name][0])

    def descendants(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def press_ctrl_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def wait_stopped(self) -> int:
        assert self.process.stdout
        self.output += self.process.stdout.read().decode()
        return self.process.wait(STOP_TIMEOUT_S)

    def stop(self) -> int:
        if self.process.poll() is None:
            self.press_ctrl_c()
        return self.wait_stopped()


def can_sign_in(url: str, email: str, password: str) -> bool:
    with httpx2.Client(base_url=url, trust_env=False) as browser:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get("/login/").text)
        assert token
        form = {"username": email, "password": password, "csrfmiddlewaretoken": token[1]}
        answer = browser.post("/login/", data=form, headers={"Origin": url.rstrip("/")})
        assert answer.status_code in {200, 302}, answer.text
        return answer.status_code == 302


def answers(url: str) -> bool:
    with urlopen(url, timeout=60) as response:  # our own address
        return bool(response.status == 200)
