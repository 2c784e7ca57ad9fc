"""Settings of glibc's memory allocator, so that freed memory goes back to the operating system.

By default glibc keeps freed memory, in one arena per thread.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

# Numbers of mallopt(3).
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8

MMAP_THRESHOLD_BYTES: Final = 1024 * 1024  # larger blocks go back as soon as they are freed
TRIM_THRESHOLD_BYTES: Final = 4 * MMAP_THRESHOLD_BYTES  # free memory kept at the top of the heap, so that it does not keep resizing
MAX_ARENAS: Final = 2  # because of the GIL, threads rarely allocate at the same time


def configure_allocator() -> None:
    """Set glibc's thresholds and its number of arenas. Do nothing on a C library without mallopt(3).

    glibc raises its mmap threshold by itself when a large block is freed. Checking a password takes 16 MB (scrypt): after the first
    check, every thread that checks one would keep its 16 MB.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return
    for option, value in ((_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES), (_TRIM_THRESHOLD, TRIM_THRESHOLD_BYTES), (_ARENA_MAX, MAX_ARENAS)):
        mallopt(option, value)
