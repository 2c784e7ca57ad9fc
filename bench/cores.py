"""The cores of a benchmark: one is the web process's own, as the goals ask; everything else shares the others.

Only where the system lets a process choose (Linux), and with two cores or more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cores:
    """`count`: that the benchmark may use. `web`: the system under test's own; None: it shares them all."""

    count: int
    web: frozenset[int] | None

    def __str__(self) -> str:
        return f"{self.count} cores" + (", one of them the web process's" if self.web else "")


def can_pin() -> bool:
    return hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1


@contextmanager
def running_on(cores: frozenset[int] | None) -> Iterator[None]:
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
def reserved_core(*, pinned: bool) -> Iterator[Cores]:
    """Keep this process, and children that are not `running_on`, off the first core, which is the web process's."""
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
