"""Terminal output and the log files in `<data>/log`: shows progress, and only the warnings and errors of the children.

Also holds StartError, which ends a start with a sentence instead of a traceback.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

MAX_LOG_BYTES = 10_000_000
ALERT_PATTERN = re.compile(rb"(?<![%\w])(WARNING|ERROR|CRITICAL)\b|\[(warning|error|critical) *\]|\"level\": ?\"(warning|error|critical)\"")
ANSI_COLOR = re.compile(r"\x1b\[[0-9;]*m")
MAX_LINES_PER_WINDOW = 5
WINDOW_S = 10.0
MAX_LINE_CHARS = 300


class StartError(Exception):
    """Parley can't start or continue. The message is for the user at the terminal."""


def open_log(path: Path) -> IO[bytes]:
    """Open a log for appending. A large one is first renamed to `<name>.1` (checked at each start of its process).

    Without a place for it, as on a full disk, its process runs without a log.
    """
    try:
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        return path.open("ab", buffering=0)
    except OSError as error:
        say(f"There is no log {path}: {error}")
        return Path(os.devnull).open("ab", buffering=0)


def tail(path: Path, lines: int = 12) -> str:
    """Return the last lines of a log, indented; empty when there is none."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return ""
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])


def say(text: str) -> None:
    """Print a line. Errors are ignored, because a closed terminal or pipe must not prevent the children from being stopped."""
    with contextlib.suppress(OSError):
        print(text, flush=True)


def json_line(part: str, line: bytes) -> bytes:
    """Return the line as an object with `time`, `level` and `event`, as Parley's own lines are."""
    fields = {"time": datetime.now(UTC).isoformat(), "level": "info", "event": line.decode(errors="replace").rstrip(), "part": part}
    return json.dumps(fields).encode() + b"\n"


class LogForwarder:
    """Copies a child's output to its log, and its warnings and errors to the terminal, a few lines at a time."""

    def __init__(self, name: str, log: Path, *, as_json: bool = False) -> None:
        """`as_json`: a line that is no JSON object, such as one of an interpreter that can't start, becomes one."""
        self.name, self.log, self.as_json = name, log, as_json
        self.window_start, self.line_count = 0.0, 0
        self.is_dropping = False

    def follow(self, source: IO[bytes], log: IO[bytes]) -> None:
        """Copy `source` to `log` until its end, in a thread."""
        threading.Thread(target=self.copy, args=(source, log), daemon=True).start()

    def copy(self, source: IO[bytes], log: IO[bytes]) -> None:
        in_traceback = False
        with source, log:
            for line in source:
                self.write(line, log)
                if line.startswith(b"Traceback "):
                    in_traceback = True
                elif in_traceback and not line.startswith(b" ") and line.strip():
                    in_traceback = False  # the line after the frames names the exception
                    self.show(line)
                elif ALERT_PATTERN.search(line):
                    self.show(line)

    def write(self, line: bytes, log: IO[bytes]) -> None:
        """Write the line, or drop it: a child whose output nobody takes would stand still on a full disk."""
        try:
            log.write(json_line(self.name, line) if self.as_json and not line.startswith(b"{") else line)
            self.is_dropping = False
        except OSError as error:
            if not self.is_dropping:
                say(f"{self.name}: its log {self.log} takes no lines ({error}); they are dropped.")
            self.is_dropping = True

    def show(self, line: bytes) -> None:
        now = time.monotonic()
        if now - self.window_start > WINDOW_S:
            self.window_start, self.line_count = now, 0
        self.line_count += 1
        if self.line_count <= MAX_LINES_PER_WINDOW:
            text = ANSI_COLOR.sub("", line.decode(errors="replace")).strip()
            say(f"{self.name}: {text[:MAX_LINE_CHARS]}")
        elif self.line_count == MAX_LINES_PER_WINDOW + 1:
            say(f"{self.name}: more in {self.log}")
