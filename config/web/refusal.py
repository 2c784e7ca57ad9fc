"""An error that is answered before Django sees the request."""

from __future__ import annotations

from typing import Any

from tenants.errors import ParleyError
from tenants.rest.http import error_response


async def refuse(send: Any, error: ParleyError) -> None:
    """Answer with the error's JSON and close the connection, because nobody reads the body."""
    response = error_response(error)
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
