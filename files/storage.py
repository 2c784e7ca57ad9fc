"""Storage of file contents: Django's storage `files`, and threads for async code, so that a slow disk never blocks the event loop."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import structlog
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from files.errors import DiskFull

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # the disk, the user's share of it, or the largest file that may be

_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="files")
_intake_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="files-in")


def file_storage() -> Storage:
    return storages["files"]


def content_write(stored_as: str, content: bytes) -> None:
    """Write the bytes. A partial file is removed when writing fails. Raises DiskFull."""
    try:
        with translate_full_disk():
            name = file_storage().save(stored_as, ContentFile(content))
    except BaseException:
        content_discard(stored_as)
        raise
    assert name == stored_as, "names are random: no other file can have this one"


@contextmanager
def translate_full_disk() -> Iterator[None]:
    """Turn the operating system's error of a full disk into DiskFull."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        log.error("disk_full", reason=error.strerror)
        raise DiskFull from error


def content_read(stored_as: str) -> bytes:
    """Return the bytes. Raises FileNotFoundError."""
    with file_storage().open(stored_as) as file:
        content: bytes = file.read()
    return content


def content_remove(stored_as: str) -> None:
    file_storage().delete(stored_as)


def content_discard(stored_as: str) -> None:
    """Delete bytes that no row refers to. An error of this is only logged."""
    try:
        content_remove(stored_as)
    except Exception:
        log.exception("content_left", stored_as=stored_as)


def contents_read(names: Mapping[str, str]) -> dict[str, bytes]:
    """Return the bytes by the keys of `names` (key to name in the storage). Lost files are left out."""
    contents: dict[str, bytes] = {}
    for key, stored_as in names.items():
        try:
            contents[key] = content_read(stored_as)
        except FileNotFoundError:
            continue
    return contents


async def contents_read_async(names: Mapping[str, str]) -> dict[str, bytes]:
    return await in_file_thread(contents_read, names)


async def in_file_thread(fn: Callable[..., Result], *args: object, **kwargs: object) -> Result:
    """Run `fn(*args, **kwargs)` in a thread for disk access and return its result. Not for database work (see in_db)."""
    return await asyncio.get_running_loop().run_in_executor(_threads, partial(fn, *args, **kwargs))


async def in_intake_thread(fn: Callable[..., Result], *args: object, **kwargs: object) -> Result:
    """Like `in_file_thread`, for new files: a picture that is being drawn anew delays no file that is read."""
    return await asyncio.get_running_loop().run_in_executor(_intake_threads, partial(fn, *args, **kwargs))
