"""Responses with a file of the storage `files`: piece by piece, or a signed address of the store where the operator wants that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol, cast

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import storages
from django.http import HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase

PIECE_BYTES: Final = 256 * 1024
SIGNED_S: Final = 60  # long enough to follow a redirect; a download that has begun goes on

_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="downloads")


class SigningStorage(Protocol):
    """A storage whose objects anybody can load who has a signed address (files.store.s3)."""

    def signed_url(self, name: str, *, disposition: str, media_type: str, lifetime_s: int) -> str: ...


class StoredFileResponse(StreamingHttpResponse):
    """Sends an open file, which is never whole in memory, and closes it."""

    def __init__(self, file: File[bytes], headers: Mapping[str, str]) -> None:
        self._file = file
        super().__init__(self._pieces(), headers={**headers, "Content-Length": str(file.size)})

    async def _pieces(self) -> AsyncIterator[bytes]:
        while piece := await asyncio.get_running_loop().run_in_executor(_threads, self._file.read, PIECE_BYTES):
            yield piece

    def close(self) -> None:
        super().close()
        self._file.close()


def stored_response(stored_as: str, headers: Mapping[str, str]) -> StoredFileResponse:
    """Return a response with the file. Raises FileNotFoundError. Call it outside of transactions: the store may be slow."""
    return StoredFileResponse(storages["files"].open(stored_as), headers)


def download_response(stored_as: str, headers: Mapping[str, str]) -> HttpResponseBase:
    """Like `stored_response`, for what a browser saves and no page shows. With FILES_S3_SIGNED_DOWNLOADS it comes from the store itself.

    Whoever asks has been let in already: the address names one object, is an attachment in any case, and ends after SIGNED_S.
    """
    if not settings.FILES_SIGNED_DOWNLOADS:
        return stored_response(stored_as, headers)
    storage = cast(SigningStorage, storages["files"])
    url = storage.signed_url(stored_as, disposition=headers["Content-Disposition"], media_type=headers["Content-Type"], lifetime_s=SIGNED_S)
    return HttpResponseRedirect(url, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
