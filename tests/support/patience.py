"""A fixture for directories whose tests meet breakers: list it in their conftest."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def patient_breakers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine is no Redis that is away."""
    monkeypatch.setattr("agents.providers.breaker.REDIS_S", 30.0)
