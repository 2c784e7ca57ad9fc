"""Storages of files that fail."""

from __future__ import annotations

import errno
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

from files.errors import FileStoreUnavailable


class FullDisk(FileSystemStorage):
    """It is full in the middle of every file."""

    def save(self, name: str | None, content: IO[Any], max_length: int | None = None) -> str:
        whole = content.read()
        super().save(name, ContentFile(whole[: len(whole) // 2]), max_length)
        raise OSError(errno.ENOSPC, "No space left on device")


class UndeletableDisk(FileSystemStorage):
    """It lets nothing be removed."""

    def delete(self, name: str) -> None:
        raise OSError(errno.EROFS, "Read-only file system")


class AwayStore(FileSystemStorage):
    """It can't be reached."""

    def open(self, name: str, mode: str = "rb") -> Any:
        raise FileStoreUnavailable
