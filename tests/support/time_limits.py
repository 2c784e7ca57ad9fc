"""Limits of time on a machine that has more to do than it can, and a fixture for directories whose tests meet breakers."""

from __future__ import annotations

import os

import pytest


def scaled_to_load(seconds: float) -> float:
    """The limit of something that an idle machine does within `seconds`; longer by as much as this one has to do besides.

    Twice at least: the load of the last minute says little about this second.
    """
    return seconds * max(2.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.fixture(autouse=True)
def long_breaker_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine is no Redis that is away."""
    monkeypatch.setattr("agents.providers.circuit_breaker.REDIS_TIMEOUT_S", 30.0)
    monkeypatch.setattr("limits.counters.QUESTION_TIMEOUT_S", 30.0)
