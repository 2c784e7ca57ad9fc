"""A deployment: web processes and workers are replaced one after the other, and nobody who reads an answer notices."""

from __future__ import annotations

import pytest

from tests.support.system.product import product
from tests.system.rolling_restart import DRAIN_S, rolling_restart

STREAMS = 6  # make rolling-trial has thirty


@pytest.mark.nightly
def test_a_rolling_restart_loses_no_shown_text_and_pays_no_call_twice(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None
) -> None:
    with product(tmp_path_factory.mktemp("rolling") / "data", DRAIN_S=str(DRAIN_S)) as running:
        answer_count, problems = rolling_restart(running, STREAMS)
    assert not problems
    assert answer_count >= STREAMS
