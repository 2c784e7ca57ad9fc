"""Restores a backup into an empty database and the files' storage."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.core.files.base import File as StoredFile
from django.core.files.storage import storages
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from config.backup.archive import DATABASE, FILES, Archive, BackupError, Manifest, archive_open, archive_verify
from config.backup.making import table_rows
from config.backup.programs import owner_login, program_find
from files.store.marker import store_adopt

FILE_NAME = re.compile(r"[0-9A-Za-z_-]+(/[0-9A-Za-z_-][0-9A-Za-z_.-]*)+")


def backup_restore(directory: Path, key: bytes | None, *, allow_lost_keys: bool = False) -> Manifest:
    """Check the whole backup, then restore it; a refusal has changed nothing. Raises BackupError.

    The files come first: until rows name them they do nothing, and one that is there already is replaced. The database comes whole or not
    at all. `allow_lost_keys`: also without the credential keys that the backup names.
    """
    archive = archive_open(directory, key)
    manifest = archive_verify(archive)
    _require_code(manifest)
    if not allow_lost_keys:
        _require_keys(manifest)
    program = _require_empty(manifest)
    _restore_files(archive)
    _restore_database(archive, program)
    _compare(manifest.rows, table_rows())
    store_adopt("owner")
    call_command("migrate", database="owner", verbosity=0, interactive=False)  # gives the working roles their rights
    return manifest


def _require_code(manifest: Manifest) -> None:
    migrations = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if unknown := sorted({*manifest.migrations} - migrations):
        raise BackupError(
            f"A newer Parley made this backup: this one does not know {', '.join(unknown)}. Install that version, then restore."
        )


def _require_keys(manifest: Manifest) -> None:
    if missing_ids := [key_id for key_id in manifest.credential_keys if key_id not in settings.CREDENTIAL_KEYS]:
        raise BackupError(
            f"CREDENTIAL_KEYS lacks {', '.join(missing_ids)}, and what these keys seal could not be opened. Put them back; if they are lost for good, "
            "restore with --without-keys, and admins enter their provider keys again."
        )


def _require_empty(manifest: Manifest) -> str:
    """Return the pg_restore for this backup and this server."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("select current_setting('server_version_num')::int / 10000")
        [(server_major,)] = cursor.fetchall()
    if tables := len(table_rows()):
        raise BackupError(f"The database of DATABASE_OWNER_URL has {tables} tables. Restore into a new one (docs/operations.md).")
    return program_find("pg_restore", max(server_major, manifest.postgres_major))[0]


def _restore_files(archive: Archive) -> None:
    storage = storages["files"]
    with archive.reader(FILES) as source, tarfile.open(fileobj=source, mode="r|") as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content is None or not FILE_NAME.fullmatch(member.name):
                raise BackupError(f"{archive.path(FILES)} has an entry that is no file of Parley: {member.name!r}.")
            with tempfile.TemporaryFile() as file:  # a store reads it more than once, and the archive's stream goes only forward
                shutil.copyfileobj(content, file)
                file.seek(0)
                storage.delete(member.name)
                storage.save(member.name, StoredFile(file))


def _restore_database(archive: Archive, program: str) -> None:
    login, environment = owner_login()
    connections["owner"].close()
    command = [program, "--no-comments", "--exit-on-error", "--single-transaction", "--no-password", f"--dbname={login}"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as restore:
        assert restore.stdin is not None
        assert restore.stderr is not None
        try:
            with archive.reader(DATABASE) as source:
                shutil.copyfileobj(source, restore.stdin)
            restore.stdin.close()
        except BrokenPipeError:
            pass  # it has ended, and says why
        stderr = restore.stderr.read().decode(errors="replace").strip()
    if restore.returncode:
        raise BackupError(f"pg_restore failed, and the database is still empty: {stderr}")


def _compare(expected: Mapping[str, int], actual: Mapping[str, int]) -> None:
    if mismatches := sorted(table for table in {*expected, *actual} if expected.get(table) != actual.get(table)):
        raise BackupError(f"The restored database has other numbers of rows than the manifest: {', '.join(mismatches)}. Do not use it.")
