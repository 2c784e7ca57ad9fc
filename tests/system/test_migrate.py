"""Operators migrate the database, also twice at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from tenants.postgres.migration_state import MIGRATE_LOCK
from tests.support.database import drop_database, grant_privileges, server
from tests.support.product import own_database, wait_for, with_database
from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import ROOT

TIMEOUT_S = 360  # of two that wait for each other on a busy machine
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


# As if the tables of one app, which nothing depends on, came with the next version.
FORGET_GALLERY = """
do $$ declare name text; begin
  for name in select relname from pg_class where relname like 'gallery\\_%' and relkind = 'r' loop
    execute format('drop table %I cascade', name);
  end loop;
end $$;
delete from django_migrations where app = 'gallery'
"""
WAITING = "select count(*) from pg_locks l join pg_database d on d.oid = l.database where datname = current_database() and not granted"


def test_of_two_migrates_at_once_one_waits(django_db_setup: None) -> None:
    """Both wait for a third one; then one does the work, and the other finds it done."""
    with own_database("twice_migrated") as urls, psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as third:
        third.execute(FORGET_GALLERY)
        third.execute("select pg_advisory_lock(%s)", [MIGRATE_LOCK])
        env = {**os.environ, **urls}
        both = [subprocess.Popen(MIGRATE, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
        wait_for(lambda: third.execute(WAITING).fetchone() == (2,), "both wait")
        third.execute("select pg_advisory_unlock(%s)", [MIGRATE_LOCK])
        said = [process.communicate(timeout=TIMEOUT_S)[0] for process in both]
        assert [process.returncode for process in both] == [0, 0], said
    assert sum("Another migrate is at work" in text for text in said) == 2
    assert sum("Applying gallery.0001_initial... OK" in text for text in said) == 1
    assert sum("No migrations to apply" in text for text in said) == 1
