"""Errors that senders of files may read (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from files.kinds import MAX_PICTURE_PIXELS, FileKind, limit_of
from tenants.errors import BadRequest, Conflict, ParleyError

DISK_FULL = gettext_noop("The server's disk is full, so this file was not stored. Please tell whoever runs it, and try again later.")
STORE_AWAY = gettext_noop("Files can't be reached at the moment. Try again in a while.")
_TOO_LARGE: Mapping[FileKind, Promise] = {
    "image": gettext_lazy("This file is too large: images can have at most %(megabytes)d MB."),
    "pdf": gettext_lazy("This file is too large: PDF files can have at most %(megabytes)d MB."),
    "office": gettext_lazy("This file is too large: office documents can have at most %(megabytes)d MB."),
    "text": gettext_lazy("This file is too large: text files can have at most %(megabytes)d MB."),
}


class FileTooLarge(BadRequest):
    code = "file_too_large"
    status = 413

    def __init__(self, kind: FileKind) -> None:
        super().__init__(str(_TOO_LARGE[kind]) % {"megabytes": limit_of(kind).megabytes})


class FileTypeNotAllowed(BadRequest):
    code = "file_type_not_allowed"
    status = 415
    message = gettext_lazy(
        "This file type isn't supported. You can attach images (PNG, JPEG, GIF, WebP), PDF, Word, Excel and PowerPoint documents, and text or code in UTF-8, UTF-16 or Windows-1252."
    )


class PictureTooLarge(BadRequest):
    code = "picture_too_large"
    status = 413

    def __init__(self, pixels: int) -> None:
        limit = MAX_PICTURE_PIXELS // 1_000_000
        super().__init__(
            gettext("This picture has %(pixels)s megapixels; at most %(limit)s are possible. Make it smaller first.")
            % {"pixels": pixels // 1_000_000, "limit": limit}
        )


class PictureBroken(FileTypeNotAllowed):
    message = gettext_lazy(
        "This picture can't be read: it is broken, or not what it seems to be. Open it in a picture program and save it again."
    )


class FileInfected(BadRequest):
    """The malware scanner found something. `threat`: its name."""

    code = "file_infected"
    status = 415

    def __init__(self, threat: str) -> None:
        self.threat = threat
        super().__init__(gettext("This file was refused: the malware scanner found %(threat)s in it.") % {"threat": threat})


class ScannerUnavailable(ParleyError):
    code = "scanner_unavailable"
    status = 503
    message = gettext_lazy("This file was not taken, because the malware scanner can't be reached. Try again later.")
    action = "retry"


class FileEmpty(BadRequest):
    code = "file_empty"
    message = gettext_lazy("This file is empty.")


class DiskFull(ParleyError):
    code = "disk_full"
    status = 507
    message = gettext_lazy(DISK_FULL)
    action = "retry"


class FileStoreUnavailable(ParleyError, OSError):
    """The store of files can't be reached, or does not do what it is asked."""

    code = "file_store_away"
    status = 503
    message = gettext_lazy(STORE_AWAY)
    action = "retry"


class FileInUse(Conflict):
    code = "file_in_use"
    message = gettext_lazy("This file was sent already. Attach it again.")


class StorageFull(Conflict):
    """A quota is reached. The message says which, what is used and what is allowed."""

    code = "storage_full"


class TooManyFiles(Conflict):
    code = "too_many_files"


class FilesTooLarge(BadRequest):
    code = "files_too_large"
    status = 413
