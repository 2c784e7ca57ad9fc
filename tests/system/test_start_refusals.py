"""A process that can't work with its database ends at once and says so in one line, the last one."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from tests.support.stores.database import drop_database, server
from tests.support.system.product_servers import own_database, with_database
from tests.system.test_environment import PROCESSES
from tools.embedded import postgres
from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import ROOT

# All pages are loaded, too: who keeps files in a directory pays nothing for the library of buckets, and no start pays for what few need.
ADOPT = """
import sys, django
from django.core.management import call_command
django.setup()
import config.urls
call_command("files_adopt")
assert not {"boto3", "botocore", "dns", "markdown_it"} & {*sys.modules}
"""


def last_line(process: str, **env: str) -> str:
    """What a start that has to fail says last."""
    command = [sys.executable, "-m", *PROCESSES[process]]
    result = subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, timeout=150)
    assert result.returncode == 1, result
    assert "Traceback" not in result.stderr
    line = result.stderr.splitlines()[-1]
    assert line.startswith("parley: "), result
    return line


@contextmanager
def empty_database() -> Iterator[dict[str, str]]:
    name = f"never_migrated_{uuid4().hex[:8]}"
    with server() as maintenance:
        maintenance.execute(f"create database {name}")
        try:
            yield {variable: with_database(os.environ[variable], name) for variable in DATABASE_VARIABLES}
        finally:
            drop_database(maintenance, name)


@contextmanager
def password_refused() -> Iterator[str]:
    """The address of a server that refuses every password."""

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                if client.recv(1024)[4:8] == struct.pack("!i", 80877103):  # it asks for TLS first
                    client.sendall(b"N")
                    client.recv(1024)
                fields = b"SFATAL\0C28P01\0Mpassword authentication failed for user\0\0"
                client.sendall(b"E" + struct.pack("!i", len(fields) + 4) + fields)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"postgresql://app:geheim@127.0.0.1:{listener.getsockname()[1]}/parley"
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("process", PROCESSES)
def test_an_unmigrated_database_is_refused_with_what_to_run(process: str, django_db_setup: None, tmp_path: Path) -> None:
    with empty_database() as urls:
        line = last_line(process, **urls, PARLEY_DATA_DIR=str(tmp_path), MIGRATION_WAIT_S="0")
    assert "has not all tables of this version" in line
    assert "Run: python manage.py migrate --database owner" in line


def test_a_wrong_password_is_named(django_db_setup: None) -> None:
    with own_database("password") as urls, password_refused() as url:
        line = last_line("web", DATABASE_URL=url)
        assert "DATABASE_URL cannot be used" in line
        assert "password authentication failed" in line
        assert "geheim" not in line
        assert "DATABASE_SYSTEM_URL cannot be used" in last_line("worker", **{**urls, "DATABASE_SYSTEM_URL": url})


def test_a_superuser_is_refused_as_the_app_role(django_db_setup: None) -> None:
    with own_database("superuser_start") as urls:
        url = urlsplit(urls["DATABASE_URL"])
        place = url.netloc.rpartition("@")[2]
        superuser = url._replace(netloc=f"{postgres.SUPERUSER}@{place}").geturl()
        line = last_line("worker", **{**urls, "DATABASE_URL": superuser})
    assert f"Role {postgres.SUPERUSER} is a superuser" in line


def test_secrets_whose_key_is_lost_are_counted_at_the_start(django_db_setup: None) -> None:
    """The key that replaced it has its id, as when `make run` makes a new file of keys."""
    with own_database("lost_key") as urls:
        with psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as owner:
            organization = uuid4()
            owner.execute(
                "insert into tenants_organization"
                " (id, slug, name, logo_version, accent_color, is_active, suspension_message, deletion_by_operator, policy, created_at)"
                " values (%s, 'acme', 'Acme', '', '', true, '', false, '{}', now())",
                [organization],
            )
            row = [uuid4(), organization, "v1.test.AAAAAAAAAAAAAAAAAAAAAAAA", "test", "https://llm.example:443", "abcd"]
            owner.execute(
                "insert into security_secret (id, organization_id, ciphertext, key_id, bound_origin, last_four, purpose, created_at)"
                " values (%s, %s, %s, %s, %s, %s, 'provider', now())",
                row,
            )
        result = subprocess.run(
            [sys.executable, "-c", "import gc, config.asgi; assert gc.isenabled()"],
            cwd=ROOT,
            env={**os.environ, **urls},
            capture_output=True,
            text=True,
            timeout=150,
        )
    assert result.returncode == 0, result.stderr
    [warning] = [line for line in (result.stdout + result.stderr).splitlines() if "credential_keys_lost" in line]
    for text in ("acme", "https://llm.example:443", "test"):
        assert text in warning
    assert "AAAA" not in warning


def test_a_process_with_another_directory_of_files_than_the_first_one_does_not_start(django_db_setup: None, tmp_path: Path) -> None:
    with own_database("two_directories") as urls:
        first, other = ({**urls, "FILES_DIR": str(tmp_path / name)} for name in ("first", "other"))
        command = [sys.executable, "-c", ADOPT]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **first}, check=True, capture_output=True, timeout=150)
        refusal = last_line("worker", **other)
    assert f"The directory {tmp_path / 'other'} is not where this database's files are" in refusal
    assert "python -m config files_adopt" in refusal
