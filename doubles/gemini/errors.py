"""Google's error responses, as the Gemini API sends them (https://ai.google.dev/gemini-api/docs/troubleshooting)."""

from __future__ import annotations

from typing import Any

SERVICE = "generativelanguage.googleapis.com"
STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
DEFAULT_MESSAGES = {
    401: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid"
    " authentication credential.",
    403: "Your API key was reported as leaked. Please use another API key.",
    429: "You exceeded your current quota, please check your plan and billing details.",
    500: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    503: "The model is overloaded. Please try again later.",
    504: "The request timed out. Please try again.",
}


class WireError(Exception):
    """The request is refused with an HTTP error. `details` are google.rpc messages."""

    def __init__(self, code: int, message: str, details: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details or []

    @property
    def body(self) -> dict[str, Any]:
        return error_body(self.code, str(self), self.details)


def error_body(code: int, message: str = "", details: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the JSON of an error. An empty message is replaced by the API's usual one for the code."""
    error: dict[str, Any] = {
        "code": code,
        "message": message or DEFAULT_MESSAGES.get(code, "Request contains an invalid argument."),
        "status": STATUS_NAMES.get(code, "UNKNOWN"),
    }
    if details:
        error["details"] = details
    return {"error": error}


def invalid(message: str) -> WireError:
    return WireError(400, message)


def bad_field_error(path: str, message: str) -> WireError:
    """Return the error for a body that does not match the message definitions. `path` is in the API's own notation."""
    violation = {"description": message} | ({"field": path} if path else {})
    details = [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]}]
    return WireError(400, message, details)


def invalid_key_error() -> WireError:
    message = "API key not valid. Please pass a valid API key."
    return WireError(400, message, [error_info("API_KEY_INVALID"), _localized_message(message)])


def missing_key_error() -> WireError:
    return WireError(
        403,
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of"
        " API consumer identity to call this API.",
    )


def unknown_model_error(model: str, version: str) -> WireError:
    return WireError(
        404,
        f"models/{model} is not found for API version {version}, or is not supported for generateContent. Call ListModels to"
        " see the list of available models and their supported methods.",
    )


def error_info(reason: str) -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": {"service": SERVICE},
    }


def retry_info(retry_after_s: float) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_after_s:g}s"}


def _localized_message(message: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "en-US", "message": message}
