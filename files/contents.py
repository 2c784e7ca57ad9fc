"""The bytes of a file in the storage: as they came, and for a picture the clean copy that everyone but its owner's download gets."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Final
from uuid import UUID

from django.db import transaction

from files.models import File
from files.pictures.process import picture_redraw
from files.storage import content_discard, content_remove, content_write, file_storage

SUFFIXES: Final = ("", ".shown")  # of what one file may have in the storage


def contents_write(file: File, content: bytes) -> None:
    """Write the bytes, and a picture's clean copy, whose size is set on the file.

    Raises PictureTooLarge, PictureBroken, DiskFull; then nothing is stored.
    """
    clean_copy = picture_redraw(content, file.media_type) if file.kind == "image" else b""
    file.shown_size_bytes = len(clean_copy)
    try:
        content_write(file.stored_as, content)
        if clean_copy:
            content_write(file.shown_as, clean_copy)
    except BaseException:
        contents_discard(file)
        raise


def contents_remove(file: File) -> None:
    """Delete the bytes. Repeating it changes nothing."""
    for name in {file.stored_as, file.shown_as}:
        content_remove(name)


def contents_discard(file: File) -> None:
    """Delete bytes that no row refers to, after another failure. An error of this is only logged."""
    for name in {file.stored_as, file.shown_as}:
        content_discard(name)


def contents_remove_on_commit(file: File) -> None:
    """Delete the bytes after the commit. Bytes that can't be deleted are logged and left."""
    transaction.on_commit(lambda: contents_remove(file), robust=True)


def bytes_delete(organization_id: UUID, file_ids: Collection[UUID]) -> None:
    """Delete the bytes of files whose rows are about to be deleted. Raises OSError when the storage does not let them go."""
    for name in (f"{organization_id}/{file_id}{suffix}" for file_id in file_ids for suffix in SUFFIXES):
        with suppress(FileNotFoundError):
            content_remove(name)


def organization_bytes_sweep(organization_id: UUID) -> dict[str, int]:
    """Delete all that is left in an organization's folder of the storage; return how many files that were."""
    try:
        names = file_storage().listdir(str(organization_id))[1]
    except FileNotFoundError:
        return {}
    for name in names:
        content_remove(f"{organization_id}/{name}")
    with suppress(OSError, NotADirectoryError):  # an object store has no folders
        content_remove(str(organization_id))
    return {"files without a row": len(names)}
