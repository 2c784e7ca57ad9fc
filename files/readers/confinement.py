"""What a child process of ours gives up before it looks at anything foreign."""

from __future__ import annotations

import resource
import sys


def confine(memory_bytes: int, cpu_s: int) -> None:
    """From here on: no new file and no socket (there is no number left for one), no bytes on disk, no new process, bounded memory."""
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        if limit != resource.RLIMIT_AS or sys.platform != "darwin":  # macOS takes no limit of memory; time holds there, too
            resource.setrlimit(limit, (value, value))
