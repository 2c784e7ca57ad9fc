"""Run state: the lock that allows one Parley per data directory, and a record of what runs, for the next start."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import IO

import psutil

from tools.embedded.children import Child
from tools.embedded.layout import Layout
from tools.embedded.output import StartError


@dataclass(frozen=True)
class RunState:
    """What the last start recorded."""

    pid: int = 0
    url: str = ""
    # name to (pid, creation time in seconds); the time guards against a reused pid
    children: dict[str, tuple[int, float]] = field(default_factory=dict)


def lock(layout: Layout) -> IO[str] | None:
    """Return the held lock, or None when another Parley uses this directory.

    The kernel releases it with the process, even after kill -9. Raises StartError when the directory belongs to somebody else.
    """
    try:
        handle = layout.lock.open("a+")
    except PermissionError as error:
        raise StartError(f"The data directory {layout.data} belongs to another user. Name another one with --data-dir.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        return None
    return handle


def read(layout: Layout) -> RunState:
    """Return the record of the last start; an empty one when it is missing or damaged."""
    try:
        return RunState(**json.loads(layout.state.read_text()))
    except (OSError, ValueError, TypeError):
        return RunState()


def write(layout: Layout, *, url: str, children: Iterable[Child]) -> None:
    processes = {}
    for child in children:
        if child.process and child.is_alive:
            try:
                processes[child.name] = (child.process.pid, psutil.Process(child.process.pid).create_time())
            except psutil.NoSuchProcess:
                continue
    temporary = layout.state.with_suffix(".tmp")
    temporary.write_text(json.dumps(asdict(RunState(os.getpid(), url, processes))))
    temporary.replace(layout.state)
