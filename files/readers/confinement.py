"""Limits that our child processes set on themselves before they read untrusted data."""

from __future__ import annotations

import resource
import sys


def confine(memory_bytes: int, cpu_s: int) -> None:
    """Limit this process: no new files, sockets or processes, no writes to disk, bounded memory and CPU time.

    With no free file descriptor, neither a file nor a socket can be opened.
    """
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        if limit != resource.RLIMIT_AS or sys.platform != "darwin":  # macOS accepts no memory limit; the time limit works there
            resource.setrlimit(limit, (value, value))
