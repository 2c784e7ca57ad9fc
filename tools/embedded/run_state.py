"""One Parley per data directory: the lock, and a note of what runs for the next start."""

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
    """`children`: name to (pid, creation time in seconds); the time guards against a reused pid."""

    pid: int = 0
    url: str = ""
    children: dict[str, tuple[int, float]] = field(default_factory=dict)


def lock(layout: Layout) -> IO[str] | None:
    """The held lock, or None when another Parley runs here. The kernel drops it with the process, even at kill -9."""
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
    """The note of the last start; an empty one when it is missing or damaged."""
    try:
        return RunState(**json.loads(layout.state.read_text()))
    except (OSError, ValueError, TypeError):
        return RunState()


def write(layout: Layout, *, url: str, children: Iterable[Child]) -> None:
    running = {}
    for child in children:
        if child.process and child.is_alive:
            try:
                running[child.name] = (child.process.pid, psutil.Process(child.process.pid).create_time())
            except psutil.NoSuchProcess:
                continue
    temporary = layout.state.with_suffix(".tmp")
    temporary.write_text(json.dumps(asdict(RunState(os.getpid(), url, running))))
    temporary.replace(layout.state)
