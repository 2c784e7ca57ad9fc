"""The log files of the children, in `<data>/log`."""

from __future__ import annotations

from pathlib import Path
from typing import IO

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
