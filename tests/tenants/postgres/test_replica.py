"""What fails on the replica is asked of the primary, except what took too long. Here the database is its own replica."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import InterfaceError, OperationalError, connections

from tenants.context import current_alias
from tenants.postgres import replica
from tenants.postgres.replica import ReplicaWatch, read_from_replica
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> ReplicaWatch:
    monkeypatch.setattr(replica, "ALIAS", "default")
    monkeypatch.setattr(replica, "replica_lag_s", lambda connection: 0.1)
    monkeypatch.setattr(replica, "WATCH", ReplicaWatch())
    return replica.WATCH


class Read:
    """A read whose first call does something else."""

    def __init__(self, first: Callable[[], None]) -> None:
        self._first = first
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.calls == 1:
            self._first()
        return "found"


def end_connection() -> None:
    raise OperationalError("the connection is lost")


def take_too_long() -> None:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("set local statement_timeout = '10ms'")
        cursor.execute("select pg_sleep(30)")


def test_a_read_that_fails_is_asked_of_the_primary_which_answers_the_next_ones_too(cast: Cast, watch: ReplicaWatch) -> None:
    read = Read(end_connection)
    assert read_from_replica(cast.acme.id, read) == "found"
    assert (read.calls, watch.is_usable()) == (2, False)


def test_what_took_too_long_is_not_asked_again(cast: Cast, watch: ReplicaWatch) -> None:
    read = Read(take_too_long)
    with pytest.raises(OperationalError):
        read_from_replica(cast.acme.id, read)
    assert (read.calls, watch.is_usable()) == (1, True)


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_while_nobody_can_say_how_old_it_is_the_primary_answers(
    error: type[Exception], cast: Cast, watch: ReplicaWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: object) -> float:
        raise error("closed")

    monkeypatch.setattr(replica, "replica_lag_s", fail)
    assert read_from_replica(cast.acme.id, lambda: "found") == "found"
    assert not watch.is_usable()
