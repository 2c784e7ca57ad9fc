"""Django's error handlers (400, 403, 404, 500): JSON below an api/ path, a page elsewhere.

They handle requests that reach no view, and exceptions that no view caught.
"""

from __future__ import annotations

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views import defaults

from tenants.errors import BadRequest, NotAllowed, NotFound, ParleyError
from tenants.rest.http import error_response

API_PATH = re.compile(r"^/(?:o/[^/]+/)?api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return error_response(BadRequest()) if _is_api(request) else defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return error_response(NotAllowed()) if _is_api(request) else defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return error_response(NotFound()) if _is_api(request) else defaults.page_not_found(request, exception)


def internal_error(request: HttpRequest) -> HttpResponseBase:
    return error_response(ParleyError()) if _is_api(request) else defaults.server_error(request)


def _is_api(request: HttpRequest) -> bool:
    return API_PATH.match(request.path_info) is not None
