"""HTTP bodies are counted while they come in: Django itself writes all of a body to disk before anybody looks at it."""

from __future__ import annotations

import re
from typing import Any

from files.kinds import MAX_FILE_BYTES
from tenants.errors import TooLarge
from tenants.rest.http import error_response

UPLOAD_PATH = re.compile(r"^(?:/o/[^/]+)?/api/files/$|^/o/[^/]+/admin/files/knowledgefile/add/$")
MULTIPART_OVERHEAD_BYTES = 64 * 1024  # what multipart adds
MAX_BODY_BYTES = 4 * 1024 * 1024  # of everything else; a little over Django's own limit, whose views say it in their words


class _BodyTooLarge(Exception):
    pass


class BodyLimit:
    """ASGI middleware: a request whose body is larger than its path allows gets a 413, at once when it says so itself."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        limit = MAX_FILE_BYTES + MULTIPART_OVERHEAD_BYTES if UPLOAD_PATH.match(scope["path"]) else MAX_BODY_BYTES
        if _declared_length(scope) > limit:
            await _refuse(send)
            return
        try:
            await self.application(scope, _limited(receive, limit), send)
        except _BodyTooLarge:
            await _refuse(send)


def _declared_length(scope: dict[str, Any]) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


def _limited(receive: Any, limit: int) -> Any:
    received = 0

    async def limited_receive() -> Any:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise _BodyTooLarge
        return message

    return limited_receive


async def _refuse(send: Any) -> None:
    response = error_response(TooLarge())
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
