"""What operators do with the database: migrate it, also twice at once, back it up and restore it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.support.database import grant_privileges, server
from tests.support.product import own_database, with_database
from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import ROOT
from tools.embedded.postgres import binary

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
            maintenance.execute(f"drop database {name} with (force)")


def table_rows(url: str) -> dict[str, int]:
    with psycopg.connect(url) as connection:
        names = [name for (name,) in connection.execute("select tablename from pg_tables where schemaname = 'public'")]
        return {name: connection.execute(f"select count(*) from {name}").fetchall()[0][0] for name in names}


def test_of_two_migrates_at_once_one_waits(django_db_setup: None) -> None:
    with empty_database("twice_migrated") as urls:
        env = {**os.environ, **urls}
        both = [subprocess.Popen(MIGRATE, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
        said = [process.communicate(timeout=TIMEOUT_S)[0] for process in both]
        assert [process.returncode for process in both] == [0, 0], said
    assert sum("Another migrate is at work" in text for text in said) == 1
    assert sum("No migrations to apply" in text for text in said) == 1


def test_a_dump_as_documented_has_every_row_and_its_copy_is_safe(django_db_setup: None, tmp_path: Path) -> None:
    dump = str(tmp_path / "parley.dump")
    with own_database("dumped") as source, empty_database("restored") as target:
        seeded = subprocess.run(
            [sys.executable, "manage.py", "demo_seed"],
            cwd=ROOT,
            env={**os.environ, **source, "DEMO_PROVIDER_URL": "http://127.0.0.1:9"},
            capture_output=True,
            timeout=TIMEOUT_S,
        )
        assert seeded.returncode == 0, seeded.stderr
        options = ["--enable-row-security", "--format=custom", "--file", dump]
        run_tool("pg_dump", *options, source["DATABASE_OWNER_URL"])
        run_tool("pg_restore", "--no-comments", "--exit-on-error", "--dbname", target["DATABASE_OWNER_URL"], dump)
        before, after = (table_rows(urls["DATABASE_OWNER_URL"]) for urls in (source, target))
        assert before == after
        assert before["tenants_membership"]
        assert sum(before.values()) > 200
        subprocess.run(MIGRATE, cwd=ROOT, env={**os.environ, **target}, check=True, capture_output=True, timeout=TIMEOUT_S)
        started = [sys.executable, "-c", "import config.asgi"]
        subprocess.run(started, cwd=ROOT, env={**os.environ, **target}, check=True, capture_output=True, timeout=TIMEOUT_S)


def run_tool(name: str, *arguments: str) -> None:
    tool = binary(name)
    if not tool.exists():
        pytest.skip(f"there is no {name} beside the server")
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
