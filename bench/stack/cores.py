"""CPU cores of a benchmark: one is reserved for the web process, as the goals require, and everything else shares the others.

Only where the system lets a process choose its cores (Linux), and with at least two.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cores:
    """The cores of one run."""

    count: int  # how many the benchmark may use
    web: frozenset[int] | None  # reserved for the system under test; None: it shares all cores

    def __str__(self) -> str:
        return f"{self.count} cores" + (", one of them the web process's" if self.web else "")


def can_pin() -> bool:
    return hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1


@contextmanager
def running_on(cores: frozenset[int] | None) -> Iterator[None]:
    """Run children that are started in the block on these cores. None: on any core of this process."""
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
def reserved_core(*, pinned: bool) -> Iterator[Cores]:
    """Keep this process and its children off the first core, which is for the web process (see `running_on`)."""
    if not pinned or not can_pin():
        yield Cores(core_count(), None)
        return
    before = os.sched_getaffinity(0)
    first = min(before)
    os.sched_setaffinity(0, before - {first})
    try:
        yield Cores(len(before), frozenset({first}))
    finally:
        os.sched_setaffinity(0, before)


def core_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
