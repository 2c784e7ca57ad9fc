"""Starting processes that own runs and may be killed, from a test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from tests.support.system.product_servers import with_database
from tests.system.crash.points import Crash, Point
from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerTask:
    """What one process does: ask `text`, or take the run `run_id` over; and where it dies. `letters`: the effect tool's file."""

    user_id: int
    slug: str
    chat_id: str
    text: str
    letters: str
    run_id: str = ""
    crash: Crash | None = None

    def to_json(self) -> bytes:
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: bytes) -> OwnerTask:
        values = orjson.loads(line)
        if crash := values["crash"]:
            values["crash"] = Crash(**{**crash, "point": Point(crash["point"])})
        return cls(**values)


class OwnerProcesses:
    """Starts owners one after the other, by the process tests.system.crash.owner; what they log is in the file `log`."""

    def __init__(self, database: str, provider_url: str, log: Path) -> None:
        urls = {variable: with_database(os.environ[variable], database) for variable in DATABASE_VARIABLES}
        self.log = log
        with log.open("wb") as errors:
            self._forker = subprocess.Popen(
                [sys.executable, "-m", "tests.system.crash.owner"],
                env={**os.environ, **urls, "EGRESS_ALLOW": urlsplit(provider_url).netloc, "DJANGO_SETTINGS_MODULE": "config.settings"},
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )

    def run(self, task: OwnerTask) -> int:
        """The exit code of the process that carried the order out; negative: the signal that ended it."""
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.write(task.to_json() + b"\n")
        self._forker.stdin.flush()
        return int(self._forker.stdout.readline())

    def close(self) -> None:
        self._forker.communicate()


@contextmanager
def owner_processes(database: str, provider_url: str, log: Path) -> Iterator[OwnerProcesses]:
    """`database`: the name of the migrated one; `provider_url`: where the organization's model is."""
    owners = OwnerProcesses(database, provider_url, log)
    try:
        yield owners
    finally:
        owners.close()
