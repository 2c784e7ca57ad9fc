"""Errors in OpenAI's format, so that its client libraries raise their matching exceptions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

import structlog
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt

from agents.errors import ProviderBusy, RunError
from chat.runs.failures import UNEXPECTED_ERROR
from tenants.authentication.tokens import bearer_token
from tenants.errors import MethodNotAllowed, NotSignedIn, ParleyError, TooLarge, Unavailable
from tenants.rest.http import OrganizationRequest, organization_view

log = structlog.get_logger(__name__)

View = Callable[..., Any]
AUTHENTICATION_HINT = "Send one of your Parley API tokens as the API key (Authorization: Bearer parley_...)."

ERROR_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
# HTTP statuses of the errors of runs and model calls (agents.errors). All others are a 502.
ERROR_STATUSES = {
    "context_too_long": 400,
    "content_blocked": 400,
    "request_refused": 400,
    "key_missing": 503,
    "key_rejected": 503,
    "quota_spent": 429,
    "budget_used_up": 429,
    "limit_reached": 429,
    "provider_busy": 429,
    "provider_unavailable": 503,
    "time_limit": 504,
    "internal_error": 500,
}


RETRY_AFTER_S = 5  # where nothing better is known
# Only a person can end these, so clients should not ask every few seconds.
PERSON_RETRY_AFTER_S = 3600
_NEEDS_PERSON = frozenset({"quota_spent", "budget_used_up", "limit_reached", "key_missing", "key_rejected"})


class ApiError(ParleyError):
    """An error of this API. `param`: the invalid field of the request. `is_final`: clients should not retry by themselves."""

    def __init__(
        self, message: str, *, status: int, code: str, param: str | None = None, is_final: bool = False, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        if retry_after_s is not None:
            self.headers = {"Retry-After": str(math.ceil(retry_after_s))}
        self.status, self.code, self.param, self.is_final = status, code, param, is_final


def bad_request(message: str, *, param: str | None = None, code: str = "invalid_value") -> ApiError:
    """Return an error with status 400."""
    return ApiError(message, status=400, code=code, param=param)


def run_error(code: str, text: str, retry_after_s: float | None = None) -> ApiError:
    """Return the error of a failed run or model call. It is final: Parley has retried where that helps, so clients should not."""
    return ApiError(text, status=ERROR_STATUSES.get(code, 502), code=code, is_final=True, retry_after_s=retry_after_s)


def call_error(error: RunError) -> ApiError:
    """Return the error of a failed model call."""
    return run_error(error.code, str(error), error.retry_after_s if isinstance(error, ProviderBusy) else None)


def error_body(error: ParleyError) -> dict[str, Any]:
    """Return OpenAI's error object, with the name of the agent whose limit refused where one did."""
    kind = ERROR_TYPES.get(error.status, "invalid_request_error" if error.status < 500 else "server_error")
    agent_field = {"agent": error.agent} if error.agent else {}
    return {"error": {"message": error.message, "type": kind, "param": getattr(error, "param", None), "code": error.code, **agent_field}}


def error_response(error: ParleyError) -> JsonResponse:
    """Return the HTTP response for an error."""
    response = JsonResponse(error_body(error), status=error.status, headers=dict(error.headers))
    if error.status in (429, 503):
        response.headers.setdefault("Retry-After", str(PERSON_RETRY_AFTER_S if error.code in _NEEDS_PERSON else RETRY_AFTER_S))
    if getattr(error, "is_final", False):
        response["x-should-retry"] = "false"  # OpenAI's client libraries obey it
    return response


def public_error(error: Exception) -> ParleyError:
    """Return the error that a caller gets for an exception. Details of unexpected ones are hidden."""
    match error:
        case ParleyError():
            return error
        case RunError():
            return call_error(error)
        case OperationalError() | InterfaceError():
            log.warning("database_away", reason=type(error).__name__)
            return Unavailable()
        case RequestDataTooBig():
            return TooLarge()
        case _:
            return ApiError(UNEXPECTED_ERROR, status=500, code="internal_error")


def openai_view(*methods: str, write: bool = False) -> Callable[[View], View]:
    """Decorate an async view for API tokens with the scope "chat" (`organization_view`). Its errors are returned in OpenAI's format."""

    def decorate(view: View) -> View:
        guarded_view = organization_view(write=write, scope="chat")(view)

        @csrf_exempt  # sessions give no access here, only tokens
        @wraps(view)
        async def handle(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
            try:
                if request.method not in methods:
                    raise MethodNotAllowed
                if bearer_token(request.headers.get("Authorization")) is None:
                    raise NotSignedIn(AUTHENTICATION_HINT)
                return cast(HttpResponseBase, await guarded_view(request, **kwargs))
            except Exception as exc:
                if (error := public_error(exc)).status == 500:
                    log.exception("openai_api_failed")
                return error_response(error)

        return handle

    return decorate


@openai_view("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
async def unknown_url(request: OrganizationRequest, rest: str = "") -> HttpResponseBase:
    """Answer 404 to a URL of OpenAI's API that Parley does not support."""
    raise ApiError(gettext("Parley has no /v1/%(rest)s.") % {"rest": rest[:80]}, status=404, code="unknown_url")
