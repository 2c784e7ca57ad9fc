"""How the process's allocator gives memory back: glibc keeps what it was once asked for, in each thread's own arena."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

# Numbers of mallopt(3).
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8

MMAP_THRESHOLD_BYTES: Final = 1024 * 1024  # larger blocks go back as soon as they are freed
TRIM_THRESHOLD_BYTES: Final = 4 * MMAP_THRESHOLD_BYTES  # at the end of the heap, so that it does not shrink and grow all the time
MAX_ARENAS: Final = 2  # the GIL lets hardly more than one thread ask at a time


def configure_allocator() -> None:
    """Without this the first password that is checked (16 MB for scrypt) raises glibc's threshold, and each thread keeps the 16 MB of the next.

    Nothing on a C library without mallopt.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return
    for option, value in ((_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES), (_TRIM_THRESHOLD, TRIM_THRESHOLD_BYTES), (_ARENA_MAX, MAX_ARENAS)):
        mallopt(option, value)
