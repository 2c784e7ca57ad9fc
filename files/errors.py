"""Errors that senders of files may read (docs/protocol.md)."""

from __future__ import annotations

from files.kinds import MAX_PICTURE_PIXELS, FileKind, limit_of
from tenants.errors import BadRequest, Conflict, ParleyError

ALLOWED_TYPES = "images (PNG, JPEG, GIF, WebP), PDF, Word, Excel and PowerPoint documents, and text or code in UTF-8"


class FileTooLarge(BadRequest):
    code = "file_too_large"
    status = 413

    def __init__(self, kind: FileKind) -> None:
        limit = limit_of(kind)
        super().__init__(f"This file is too large: {limit.plural} can have at most {limit.megabytes} MB.")


class FileTypeNotAllowed(BadRequest):
    code = "file_type_not_allowed"
    status = 415
    message = f"This file type isn't supported. You can attach {ALLOWED_TYPES}."


class PictureTooLarge(BadRequest):
    code = "picture_too_large"
    status = 413

    def __init__(self, pixels: int) -> None:
        limit = MAX_PICTURE_PIXELS // 1_000_000
        super().__init__(f"This picture has {pixels // 1_000_000} megapixels; at most {limit} are possible. Make it smaller first.")


class PictureBroken(FileTypeNotAllowed):
    message = "This picture can't be read: it is broken, or not what it seems to be. Open it in a picture program and save it again."


class FileInfected(BadRequest):
    """The malware scanner found something. `threat`: its name."""

    code = "file_infected"
    status = 415

    def __init__(self, threat: str) -> None:
        self.threat = threat
        super().__init__(f"This file was refused: the malware scanner found {threat} in it.")


class ScannerUnavailable(ParleyError):
    code = "scanner_unavailable"
    status = 503
    message = "This file was not taken, because the malware scanner can't be reached. Try again later."
    action = "retry"


class FileEmpty(BadRequest):
    code = "file_empty"
    message = "This file is empty."


class DiskFull(ParleyError):
    code = "disk_full"
    status = 507
    message = "The server's disk is full, so this file was not stored. Please tell whoever runs it, and try again later."
    action = "retry"


class FileInUse(Conflict):
    code = "file_in_use"
    message = "This file was sent already. Attach it again."


class StorageFull(Conflict):
    """A quota is reached. The message says which, what is used and what is allowed."""

    code = "storage_full"


class TooManyFiles(Conflict):
    code = "too_many_files"


class FilesTooLarge(BadRequest):
    code = "files_too_large"
    status = 413
