"""The one error that ends a start with a sentence instead of a traceback.

The log files of the children, in `<data>/log`.

What the person at the terminal sees: progress, the final block, and only the alarming lines of the children.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from pathlib import Path
from typing import IO


class StartError(Exception):
    """Parley cannot start or go on; the text is what the person at the terminal reads."""


MAX_LOG_BYTES = 10_000_000


def open_log(path: Path) -> IO[bytes]:
    """Open a log for appending; a large one becomes `<name>.1` first (checked at each start of its process)."""
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    return path.open("ab")


def tail(path: Path, lines: int = 12) -> str:
    """The last lines of a log, indented; empty when there is none."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return ""
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])


ALERT_PATTERN = re.compile(rb"(?<![%\w])(WARNING|ERROR|CRITICAL)\b|\[(warning|error|critical) *\]|\"level\": ?\"(warning|error|critical)\"")
ANSI_COLOR = re.compile(r"\x1b\[[0-9;]*m")
MAX_LINES_PER_WINDOW = 5
WINDOW_S = 10.0
MAX_LINE_LENGTH = 300


def say(text: str) -> None:
    """Print a line; a closed terminal or pipe must not keep us from stopping the children."""
    with contextlib.suppress(OSError):
        print(text, flush=True)


class LogForwarder:
    """Copies a child's output to its log and only warnings and errors to the terminal, a few lines at a time."""

    def __init__(self, name: str, log: Path) -> None:
        self.name, self.log = name, log
        self.window_start, self.shown = 0.0, 0

    def follow(self, source: IO[bytes], log: IO[bytes]) -> None:
        """Copy `source` to `log` until its end, in a thread of its own."""
        threading.Thread(target=self.copy, args=(source, log), daemon=True).start()

    def copy(self, source: IO[bytes], log: IO[bytes]) -> None:
        in_traceback = False
        with source, log:
            for line in source:
                log.write(line)
                log.flush()
                if line.startswith(b"Traceback "):
                    in_traceback = True
                elif in_traceback and not line.startswith(b" ") and line.strip():
                    in_traceback = False  # the line after the frames names the exception
                    self.show(line)
                elif ALERT_PATTERN.search(line):
                    self.show(line)

    def show(self, line: bytes) -> None:
        now = time.monotonic()
        if now - self.window_start > WINDOW_S:
            self.window_start, self.shown = now, 0
        self.shown += 1
        if self.shown <= MAX_LINES_PER_WINDOW:
            text = ANSI_COLOR.sub("", line.decode(errors="replace")).strip()
            say(f"{self.name}: {text[:MAX_LINE_LENGTH]}")
        elif self.shown == MAX_LINES_PER_WINDOW + 1:
            say(f"{self.name}: more in {self.log}")
