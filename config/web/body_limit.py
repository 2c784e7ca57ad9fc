"""A size limit for HTTP request bodies, enforced while they are received.

Django itself writes the whole body to disk before any view can refuse it.
"""

from __future__ import annotations

import re
from typing import Any

from config.web.refusal import refuse
from files.errors import DiskFull
from files.kinds import MAX_FILE_BYTES
from files.storage import translate_full_disk
from tenants.errors import TooLarge

UPLOAD_PATH = re.compile(r"^(?:/o/[^/]+)?/api/(?:files|projects/[^/]+/files)/$|^/o/[^/]+/admin/files/knowledgefile/add/$")
MULTIPART_OVERHEAD_BYTES = 64 * 1024  # boundaries and headers of a multipart body
MAX_BODY_BYTES = 4 * 1024 * 1024  # of all other requests; slightly above Django's limit, so that views can answer with their own error


class _BodyTooLarge(Exception):
    """The body that is being received exceeds its limit."""


class BodyLimit:
    """ASGI middleware that answers 413 when a body is larger than its path allows, and 507 when there is no room on the disk for it.

    A request whose Content-Length is too large is refused at once; otherwise the bytes are counted as they arrive.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        limit = MAX_FILE_BYTES + MULTIPART_OVERHEAD_BYTES if UPLOAD_PATH.match(scope["path"]) else MAX_BODY_BYTES
        if _declared_length(scope) > limit:
            await refuse(send, TooLarge())
            return
        try:
            with translate_full_disk():  # Django's handler meets it before any view
                await self.application(scope, _limited_receive(receive, limit), send)
        except _BodyTooLarge:
            await refuse(send, TooLarge())
        except DiskFull as error:
            await refuse(send, error)


def _declared_length(scope: dict[str, Any]) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


def _limited_receive(receive: Any, limit: int) -> Any:
    byte_count = 0

    async def limited_receive() -> Any:
        nonlocal byte_count
        message = await receive()
        byte_count += len(message.get("body", b""))
        if byte_count > limit:
            raise _BodyTooLarge
        return message

    return limited_receive
