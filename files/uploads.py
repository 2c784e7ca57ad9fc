"""Upload handler that limits uploads while they arrive: a file too large for its kind is not read to its end."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest

from files.errors import FileTooLarge
from files.kinds import FileKind, limit_of
from files.sniffing import HEAD_BYTES, kind_from_head
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
            self._reject(BadRequest("Send one file at a time."))

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if self._kind is None:
            self._kind = kind_from_head(raw_data[:HEAD_BYTES])
        self._size += len(raw_data)
        if self._size > limit_of(self._kind).size_bytes:
            self._reject(FileTooLarge(self._kind))
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handlers."""

    def _reject(self, error: ParleyError) -> None:
        """Store the error for the view and stop the upload. An error raised here would become a 500, wherever the body is read first."""
        if self.request is not None:
            self.request.META[REJECTION_KEY] = error
        raise StopUpload(connection_reset=True)


def raise_if_rejected(request: HttpRequest) -> None:
    """Raise the error that ended the request's upload, if any. Call it after `request.FILES`."""
    error = request.META.get(REJECTION_KEY)
    if isinstance(error, ParleyError):
        raise error
