"""Makes a backup: one snapshot of the database, and the files that its rows name."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.files.storage import storages
from django.db import connections, transaction
from django.utils import timezone
from psycopg import sql

from accounts.models import PersonalExport
from config.backup.archive import DATABASE, FILES, Archive, BackupError, Manifest
from config.backup.programs import owner_login, program_find
from files.models import File, KnowledgeFile
from security.models import AuditExport


def backup_make(directory: Path, key: bytes | None) -> Manifest:
    """Write a backup into a new directory and return its manifest. Raises BackupError, and leaves nothing then."""
    if directory.exists() and any(directory.iterdir()):
        raise BackupError(f"{directory} is not empty. Name a new directory for each backup.")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return _make(Archive(directory, key))
    except BaseException:
        shutil.rmtree(directory)
        raise


def _make(archive: Archive) -> Manifest:
    """The files come after the snapshot: they never change, and those that are deleted meanwhile are named as lost."""
    manifest, names = _dump(archive)
    file_count, lost_files = 0, []
    with archive.new_part(FILES) as target, tarfile.open(fileobj=target, mode="w|") as tar:
        for name in names:
            if _add(tar, name):
                file_count += 1
            else:
                lost_files.append(name)
    parts = {name: archive.describe(name) for name in (DATABASE, FILES)}
    complete = replace(manifest, files=file_count, lost_files=lost_files, parts=parts)
    archive.write_manifest(complete)
    return complete


def _dump(archive: Archive) -> tuple[Manifest, list[str]]:
    """Dump the database. Return the manifest without the files, and the names of the files, all as of one snapshot."""
    owner = connections["owner"]
    with transaction.atomic(using="owner"), owner.cursor() as cursor:
        cursor.execute("set transaction isolation level repeatable read, read only")
        cursor.execute("set local idle_in_transaction_session_timeout = 0")
        cursor.execute("select pg_export_snapshot(), current_setting('server_version_num')::int / 10000")
        [(snapshot, server_major)] = cursor.fetchall()
        program, major = program_find("pg_dump", server_major)
        cursor.execute("select app || '.' || name from django_migrations order by 1")
        migrations = [name for (name,) in cursor.fetchall()]
        rows = table_rows()
        with archive.new_part(DATABASE) as target:
            _run_dump(program, snapshot, target)
        names = sorted(_file_names())
    made_at = timezone.now().isoformat(timespec="seconds")
    return Manifest(made_at, major, migrations, rows, 0, [], list(settings.CREDENTIAL_KEYS)), names


def _run_dump(program: str, snapshot: str, target: BinaryIO) -> None:
    """Without --enable-row-security pg_dump refuses: the tables have row security also for their owner, who sees all rows."""
    login, environment = owner_login()
    command = [program, "--format=custom", "--enable-row-security", f"--snapshot={snapshot}", "--no-password", f"--dbname={login}"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as dump:
        assert dump.stdout is not None
        assert dump.stderr is not None
        shutil.copyfileobj(dump.stdout, target)
        stderr = dump.stderr.read().decode(errors="replace").strip()
    if dump.returncode:
        raise BackupError(f"pg_dump failed: {stderr}")


def table_rows() -> dict[str, int]:
    """Return how many rows each table has, as the owner sees them."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("select tablename from pg_tables where schemaname = 'public' order by 1")
        tables = [name for (name,) in cursor.fetchall()]
        counts = {}
        for table in tables:
            cursor.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(table)))
            [(counts[table],)] = cursor.fetchall()
    return counts


def _file_names() -> Iterator[str]:
    """The names in the storage of everything that a row refers to."""
    files = File.unscoped.using("owner").only("organization_id", "kind")
    unread = KnowledgeFile.unscoped.using("owner").filter(has_bytes=True).only("organization_id")
    exports = (model.unscoped.using("owner").exclude(stored_as="") for model in (PersonalExport, AuditExport))
    yield from {name for file in files.iterator() for name in (file.stored_as, file.shown_as)}
    yield from (file.stored_as for file in unread.iterator())
    yield from chain.from_iterable(rows.values_list("stored_as", flat=True) for rows in exports)


def _add(tar: tarfile.TarFile, name: str) -> bool:
    """Return False when the storage has no such file."""
    storage = storages["files"]
    try:
        with storage.open(name) as content:
            member = tarfile.TarInfo(name)
            member.size = content.size
            tar.addfile(member, content)
    except FileNotFoundError:
        return False
    return True
