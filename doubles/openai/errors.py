"""OpenAI's error responses (https://developers.openai.com/api/docs/guides/error-codes)."""

from __future__ import annotations

from typing import Any

from doubles.script import Fault

_TYPES = {
    401: "invalid_request_error",
    403: "invalid_request_error",
    429: "requests",
    500: "server_error",
    503: "service_unavailable_error",
}
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded", 500: "server_error", 503: "server_is_overloaded"}
_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs:"
    " https://platform.openai.com/docs/guides/error-codes/api-errors."
)
_MESSAGES = {
    403: "You are not allowed to sample from this model.",
    429: "Rate limit reached for requests per min (RPM). Please try again later.",
    500: "The server had an error while processing your request. Sorry about that!",
    503: "Our servers are currently overloaded. Please try again later.",
}


class WireError(Exception):
    """The request is refused with an HTTP error. `name`: the machine-readable code."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        name: str | None = None,
        kind: str = "invalid_request_error",
        param: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error = {"message": message, "type": kind, "param": param, "code": name}
        self.headers = {} if retry_after_s is None else {"retry-after": f"{retry_after_s:g}"}

    @property
    def body(self) -> dict[str, Any]:
        return {"error": self.error}


def invalid(message: str, param: str | None = None, name: str | None = None) -> WireError:
    return WireError(400, message, param=param, name=name)


def unknown_parameter(path: str) -> WireError:
    return invalid(f"Unknown parameter: '{path}'.", path, "unknown_parameter")


def missing_parameter(path: str) -> WireError:
    return invalid(f"Missing required parameter: '{path}'.", path, "missing_required_parameter")


def unsupported_parameter(path: str, advice: str = "") -> WireError:
    return invalid(f"Unsupported parameter: '{path}' is not supported with this model.{advice}", path, "unsupported_parameter")


def missing_key_error() -> WireError:
    return WireError(
        401,
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e."
        " Authorization: Bearer YOUR_KEY). You can obtain an API key from https://platform.openai.com/account/api-keys.",
    )


def invalid_key_error(key: str) -> WireError:
    """Return the error for a wrong key. Like the real API, it quotes the key's beginning and end."""
    excerpt = f"{key[:4]}****{key[-4:]}"
    message = f"Incorrect API key provided: {excerpt}. You can find your API key at https://platform.openai.com/account/api-keys."
    return WireError(401, message, name="invalid_api_key")


def unknown_model_error(model: str) -> WireError:
    return WireError(404, f"The model `{model}` does not exist or you do not have access to it.", name="model_not_found")


def status_error(fault: Fault) -> WireError:
    """Return the error for a scripted status. `fault.reason` is its code."""
    name = fault.reason or _CODES.get(fault.code)
    message = fault.message or (_QUOTA if name == "insufficient_quota" else _MESSAGES.get(fault.code, "Invalid request."))
    kind = name if name == "insufficient_quota" else _TYPES.get(fault.code, "invalid_request_error")
    return WireError(fault.code, message, name=name, kind=kind or "", retry_after_s=fault.retry_after_s)
