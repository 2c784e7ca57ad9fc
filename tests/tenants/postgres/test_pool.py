"""The pool of database connections while PostgreSQL is away, and after it ended some."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from django.db import OperationalError, connections
from psycopg_pool import PoolTimeout

from tests.support.system.product import wait_for


class LoadedRows:
    """What a caller has loaded when it asks for a connection."""


def ask_in_vain(connection: Any) -> ref[LoadedRows]:
    rows = LoadedRows()
    with pytest.raises(OperationalError) as caught:
        connection.ensure_connection()
    assert isinstance(caught.value.__cause__, PoolTimeout)
    return ref(rows)


def test_who_asked_for_a_connection_in_vain_is_forgotten_and_the_pool_comes_back(db: None, tmp_path: Path) -> None:
    connection: Any = connections["default"].copy(alias="away")
    connection.settings_dict["OPTIONS"]["pool"] = {"min_size": 0, "max_size": 2, "timeout": 0.02, "reconnect_timeout": 0.1}
    try:
        reach = connection.pool.kwargs
        there, reach["host"] = reach["host"], str(tmp_path)
        references = [ask_in_vain(connection) for _ in range(20)]
        gc.collect()
        assert not any(reference() for reference in references)
        assert connection.pool.get_stats()["requests_waiting"] == 0

        reach["host"] = there
        wait_for(lambda: is_connected(connection), "the pool connected again")
    finally:
        connection.close()
        connection.close_pool()


def is_connected(connection: Any) -> bool:
    try:
        connection.ensure_connection()
    except OperationalError:
        return False
    return True


def test_a_connection_that_the_server_has_ended_is_not_handed_out(db: None) -> None:
    connection, other = (pooled(alias) for alias in ("ended", "other"))
    try:
        old_pid = backend_of(connection)
        connection.close()  # gives it back
        with other.cursor() as cursor:
            cursor.execute("SET ROLE NONE")
            cursor.execute("SELECT pg_terminate_backend(%s, 60000)", [old_pid])
            assert cursor.fetchone() == (True,)
        assert backend_of(connection) != old_pid
    finally:
        for each in (connection, other):
            each.close()
            each.close_pool()


def pooled(alias: str) -> Any:
    connection: Any = connections["default"].copy(alias=alias)
    connection.settings_dict["OPTIONS"]["pool"] = {"min_size": 0, "max_size": 2, "timeout": 60}
    return connection


def backend_of(connection: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid: int = cursor.fetchone()[0]
    return pid
