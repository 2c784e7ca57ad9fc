"""Checks of where files are stored: it takes and gives bytes, is the store of this database, and shows nothing to strangers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.db import DatabaseError, InterfaceError

from config.doctor.findings import Finding, error, ok, warning
from files.store.marker import mismatch_with_database

if TYPE_CHECKING:
    from files.store.s3 import S3FileStorage

MIN_FREE_BYTES = 2 * 1024**3
TRIED = b"parley"


def file_findings() -> Iterator[Finding]:
    storage = storages["files"]
    name = f"doctor-{uuid4().hex}"
    try:
        storage.save(name, ContentFile(TRIED))
        with storage.open(name) as file:
            is_same = file.read() == TRIED
        yield from _place_findings(storage, name)
        if not is_same:
            yield error("files", f"{settings.FILES_PLACE} gives other bytes than it took.", _advice(storage))
        yield from _identity_findings()
    except OSError as problem:
        yield error("files", f"{settings.FILES_PLACE} can't be used: {_reason(problem)}.", _advice(storage))
    finally:
        _forget(storage, name)


def _place_findings(storage: Storage, name: str) -> Iterator[Finding]:
    if isinstance(storage, FileSystemStorage):
        yield _disk_finding(Path(storage.location))
        return
    from files.store.s3 import S3FileStorage  # which only those import who have a bucket

    assert isinstance(storage, S3FileStorage)
    yield ok("files", f"{settings.FILES_PLACE} takes and gives files.")
    yield from _bucket_findings(storage, name)


def _disk_finding(folder: Path) -> Finding:
    free_bytes = shutil.disk_usage(folder).free
    free = f"{free_bytes / 1024**3:.1f} GB are free in {folder}."
    if free_bytes < MIN_FREE_BYTES:
        return warning("files", free, "Make room, or set FILES_DIR to a larger disk.")
    return ok("files", free)


def _bucket_findings(storage: S3FileStorage, name: str) -> Iterator[Finding]:
    if storage.is_public(name):
        yield error("files", f"{settings.FILES_PLACE} gives files to anybody who asks.", "Take public access from the bucket at once.")
    if storage.keeps_versions():
        yield warning(
            "files",
            f"{settings.FILES_PLACE} keeps former versions: what people delete stays there.",
            "Turn versioning off, or let a lifecycle rule delete noncurrent versions within days.",
        )


def _identity_findings() -> Iterator[Finding]:
    try:
        problem = mismatch_with_database()
    except (DatabaseError, InterfaceError):
        return  # the check of the database says why
    if problem:
        yield error("files", problem, "Web processes and workers do not start until it is one.")


def _forget(storage: Storage, name: str) -> None:
    with suppress(OSError):
        storage.delete(name)


def _reason(problem: OSError) -> str:
    return problem.strerror or str(problem.__cause__ or problem).rstrip(".")


def _advice(storage: Storage) -> str:
    if isinstance(storage, FileSystemStorage):
        return "Give it to the user that runs Parley, or set FILES_DIR."
    return "Look at FILES_S3_ENDPOINT, at the keys and what they may do, and at the store's own log."
