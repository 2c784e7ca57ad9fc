"""The cores of a benchmark: one is the web process's own, as the goals ask; everything else shares the others.

Only where the system lets a process choose (Linux), and with two cores or more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


def can_pin() -> bool:
    return hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1


@contextmanager
def apart(cores: frozenset[int] | None) -> Iterator[None]:
    """Children that are started inside run on these cores; None: wherever this process may."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def measuring(*, pinned: bool) -> Iterator[frozenset[int] | None]:
    """Keep this process, and children that are not `apart`, off the first core, which is given; None when nothing is pinned."""
    if not pinned or not can_pin():
        yield None
        return
    before = os.sched_getaffinity(0)
    first = min(before)
    os.sched_setaffinity(0, before - {first})
    try:
        yield frozenset({first})
    finally:
        os.sched_setaffinity(0, before)
