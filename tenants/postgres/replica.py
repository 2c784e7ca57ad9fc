"""A standby server to read from (DATABASE_REPLICA_URL). What it shows may be some seconds old.

Reads go to the primary as a rule. Search, reports and further pages can bear old rows and read the replica: the list is in
docs/decisions/0089-a-replica-to-read-from.md. Without a replica, and while it is away or behind, all read the primary.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeVar
from uuid import UUID

import structlog
from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.errors import QueryCanceled

from tenants.context import tenant_tx

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

ALIAS: Final = "replica"
MAX_LAG_S: Final = 10.0
CHECK_EVERY_S: Final = 2.0
CHECK_AGAIN_S: Final = 15.0  # when it was not usable: a machine that is gone makes a request wait for each check
# While anybody chats, leases are renewed each second, so the last change that a replica has made is as old as the replica is behind.
# A standby that was promoted stops there: it shows an ever older past.
_LAG: Final = "select extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8"


class ReplicaWatch:
    """Says whether the replica can be read now.

    One thread at a time checks it, and the others use the last result. Before the first check it can't be read.
    """

    def __init__(self) -> None:
        self._looking = Lock()
        self._is_usable = False
        self._look_at_s = 0.0

    def is_usable(self) -> bool:
        if ALIAS not in settings.DATABASES:
            return False
        if time.monotonic() >= self._look_at_s and self._looking.acquire(blocking=False):
            try:
                self._note(_problem())
            finally:
                self._looking.release()
        return self._is_usable

    def fail(self, error: Exception) -> None:
        """Note that a read failed because the replica is away, or took back what was read."""
        self._note(type(error.__cause__ or error).__name__)

    def _note(self, problem: str) -> None:
        if problem and (self._is_usable or not self._look_at_s):
            log.warning("replica_not_read", reason=problem)
        elif not problem and not self._is_usable:
            log.info("replica_read")
        self._is_usable = not problem
        self._look_at_s = time.monotonic() + (CHECK_AGAIN_S if problem else CHECK_EVERY_S)


WATCH = ReplicaWatch()


def read_from_replica(organization_id: UUID, read: Callable[[], Result]) -> Result:
    """Return what `read` returns in a transaction of the organization on the replica; on the primary where that can't be read.

    `read` must return what it has read, not querysets that read later, and may run twice. A read that takes too long is not repeated on the primary.
    """
    if WATCH.is_usable():
        try:
            with tenant_tx(organization_id, using=ALIAS):
                return read()
        except (OperationalError, InterfaceError) as error:
            if isinstance(error.__cause__, QueryCanceled):  # by the time limit of statements, which the primary has, too
                raise
            WATCH.fail(error)
    with tenant_tx(organization_id):
        return read()


def _problem() -> str:
    try:
        lag_s = replica_lag_s(connections[ALIAS])
    except Error as error:
        return type(error.__cause__ or error).__name__
    if lag_s is None:
        return "it has replayed nothing yet"
    return f"its last change is {lag_s:.0f} s old" if lag_s > MAX_LAG_S else ""


def replica_lag_s(connection: BaseDatabaseWrapper) -> float | None:
    """Return how many seconds ago the replica's last change was made; None when it has replayed none. Raises django.db.Error."""
    with connection.cursor() as cursor:
        cursor.execute(_LAG)
        [lag_s] = cursor.fetchone()
    return None if lag_s is None else float(lag_s)
