"""Anthropic's error responses. Source: https://platform.claude.com/docs/en/api/errors."""

from __future__ import annotations

import uuid
from typing import Any

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
DEFAULT_MESSAGES = {
    401: "invalid x-api-key",
    403: "Your API key does not have permission to use the specified resource.",
    413: "Request exceeds the maximum size",
    429: "This request would exceed your organization's rate limit. Please try again later.",
    500: "Internal server error",
    504: "Request timed out.",
    529: "Overloaded",
}


class WireError(Exception):
    """The request is refused with an HTTP error. `retry_after_s` becomes the Retry-After header."""

    def __init__(self, code: int, message: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after_s = retry_after_s

    @property
    def body(self) -> dict[str, Any]:
        return error_body(self.code, str(self)) | {"request_id": f"req_{uuid.uuid4().hex[:24]}"}


def error_body(code: int, message: str = "") -> dict[str, Any]:
    """Return the JSON of an error, for a response or inside a stream. An empty message is replaced by the API's usual one."""
    kind = ERROR_TYPES.get(code, "api_error" if code >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message or DEFAULT_MESSAGES.get(code, "Error")}}


def invalid(message: str) -> WireError:
    return WireError(400, message)
