"""Upload handler that limits uploads while they arrive: a file too large for its kind is not read to its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest
from django.utils.translation import gettext

from files.errors import DiskFull, FileTooLarge
from files.kinds import FileKind, limit_of
from files.sniffing import HEAD_BYTES, kind_from_head
from files.storage import translate_full_disk
from tenants.errors import BadRequest, ParleyError

REJECTION_KEY = "parley.upload_refused"


class LimitedUploadHandler(FileUploadHandler):
    """The first upload handler of every request: accepts one file, of the size that its first bytes allow. Passes the data on unchanged."""

    chunk_size = 64 * 1024

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._files = self._size = 0
        self._kind: FileKind | None = None

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._files += 1
        if self._files > 1:
            _reject(self.request, BadRequest(gettext("Send one file at a time.")))

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if self._kind is None:
            self._kind = kind_from_head(raw_data[:HEAD_BYTES])
        self._size += len(raw_data)
        if self._size > limit_of(self._kind).size_bytes:
            _reject(self.request, FileTooLarge(self._kind))
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handlers."""


class DiskUploadHandler(TemporaryFileUploadHandler):
    """Keeps a large upload on disk while it comes in, and says so when the disk is full."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        with self._reject_full_disk():
            super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        with self._reject_full_disk():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:
        with self._reject_full_disk():
            return super().file_complete(file_size)

    @contextmanager
    def _reject_full_disk(self) -> Iterator[None]:
        try:
            with translate_full_disk():
                yield
        except DiskFull as error:
            _reject(self.request, error)


def _reject(request: HttpRequest | None, error: ParleyError) -> NoReturn:
    """Store the error for the view and stop the upload. An error raised here would become a 500, wherever the body is read first."""
    if request is not None:
        request.META[REJECTION_KEY] = error
    raise StopUpload(connection_reset=True)


def raise_if_rejected(request: HttpRequest) -> None:
    """Raise the error that ended the request's upload, if any. Call it after `request.FILES`."""
    error = request.META.get(REJECTION_KEY)
    if isinstance(error, ParleyError):
        raise error
