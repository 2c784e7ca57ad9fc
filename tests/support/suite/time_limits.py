"""Limits of time on a machine that has more to do than it can, and a fixture for directories whose tests meet breakers."""

from __future__ import annotations

import os
import time

import pytest

WORK_S = 0.00075  # of the machine on which the limits were set


def scaled_to_load(seconds: float) -> float:
    """The limit of something that an idle machine does within `seconds`; longer by as much as this one is slower and has to do besides.

    Twice at least: the load of the last minute says little about this second.
    """
    return seconds * slowness() * max(2.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


def slowness() -> float:
    """How many times longer than `WORK_S` this machine needs for the same work, at least 1. A neighbour slows down not all of the tries."""
    return max(1.0, min(_work_s() for _ in range(3)) / WORK_S)


def _work_s() -> float:
    started = time.thread_time()
    sum(number * number for number in range(20_000))
    return time.thread_time() - started


@pytest.fixture(autouse=True)
def long_breaker_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine is no Redis that is away."""
    monkeypatch.setattr("agents.providers.circuit_breaker.REDIS_TIMEOUT_S", 30.0)
    monkeypatch.setattr("limits.counters.QUESTION_TIMEOUT_S", 30.0)
