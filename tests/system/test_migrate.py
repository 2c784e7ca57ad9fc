"""Operators migrate the database, also twice at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE, STDOUT

import psycopg

from tenants.postgres.migration_state import MIGRATE_LOCK
from tests.support.stores.database import drop_database, grant_privileges, server
from tests.support.system.product import wait_for
from tests.support.system.product_servers import own_database, with_database
from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import ROOT

TIMEOUT_S = 120  # of two that wait for each other on a busy machine
WAITING = """
select count(*) from pg_locks
where locktype = 'advisory' and objid = %s and not granted and database = (select oid from pg_database where datname = current_database())"""
MIGRATE = [sys.executable, "manage.py", "migrate", "--database", "owner", "--no-input"]


@contextmanager
def empty_database(name: str) -> Iterator[dict[str, str]]:
    with server() as maintenance:
        maintenance.execute(f"create database {name}")
        urls = {variable: with_database(os.environ[variable], name) for variable in DATABASE_VARIABLES}
        try:
            with psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as owner:
                grant_privileges(owner)
            yield urls
        finally:
            drop_database(maintenance, name)


def test_of_two_migrates_at_once_one_waits(django_db_setup: None) -> None:
    """One table of a migrated database is left for them: to migrate an empty one is what each test run does anyway."""
    with own_database("twice_migrated") as urls, psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as owner:
        owner.execute("drop table retention_retentionrule; delete from django_migrations where app = 'retention'")
        owner.execute("select pg_advisory_lock(%s)", [MIGRATE_LOCK])  # so that neither is done before the other begins
        both = [subprocess.Popen(MIGRATE, cwd=ROOT, env={**os.environ, **urls}, stdout=PIPE, stderr=STDOUT, text=True) for _ in range(2)]
        wait_for(lambda: owner.execute(WAITING, [MIGRATE_LOCK]).fetchone() == (2,), "both waited", timeout_s=TIMEOUT_S)
        owner.execute("select pg_advisory_unlock_all()")
        outputs = [process.communicate(timeout=TIMEOUT_S)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert all("Another migrate is at work" in text for text in outputs)
    assert sorted("No migrations to apply" in text for text in outputs) == [False, True]
    assert sorted("Applying retention.0001_initial... OK" in text for text in outputs) == [False, True]
