"""Two writers at once, on real connections."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from artifacts.models import Artifact, Version
from artifacts.selectors import artifact_get_for_member, versions_of
from artifacts.services import NewVersion, version_create
from tenants.access import Actor
from tenants.context import tenant_tx
from tests.artifacts.support import agent_version, make_artifact
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 10


def write_together(actor: Actor, artifact: Artifact, version: Callable[[int], NewVersion]) -> tuple[list[int], list[int]]:
    """Two writers append `version(turn)` on their own connections, in step; return the numbers that each got."""
    barrier = Barrier(2)

    def write() -> list[int]:
        numbers = []
        try:
            for turn in range(ROUNDS):
                barrier.wait(timeout=60)
                with tenant_tx(actor.organization_id):
                    numbers.append(version_create(artifact=artifact, version=version(turn)).number)
        finally:
            connection.close()
        return numbers

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(write), pool.submit(write)
        return first.result(), second.result()


def test_two_writers_never_get_the_same_number(cast: Cast) -> None:
    alice = cast.actor(cast.alice)
    artifact = make_artifact(alice).artifact
    first, second = write_together(alice, artifact, lambda turn: agent_version(f"text {turn}"))
    assert sorted(first + second) == list(range(2, 2 + 2 * ROUNDS))
    with tenant_tx(alice.organization_id):
        numbers = [version.number for version in versions_of([artifact])[artifact.pk]]
        assert numbers == list(range(1, 2 + 2 * ROUNDS))
        assert artifact_get_for_member(artifact_id=artifact.pk, actor=alice).latest_number == 1 + 2 * ROUNDS


def test_two_processes_that_finish_the_same_call_store_it_once(cast: Cast) -> None:
    alice = cast.actor(cast.alice)
    artifact = make_artifact(alice).artifact
    run_id = uuid4()
    first, second = write_together(alice, artifact, lambda turn: agent_version("text", run_id=run_id, call_id=f"call-{turn}"))
    assert first == second == list(range(2, 2 + ROUNDS))
    with tenant_tx(alice.organization_id):
        assert Version.objects.count() == 1 + ROUNDS
