"""Errors of Django REST framework views in the shape of docs/protocol.md."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler, set_rollback

from tenants.errors import BadRequest, NotAllowed, NotFound, NotSignedIn, ParleyError
from tenants.http import error_body

OURS: dict[type[Exception], type[ParleyError]] = {
    Http404: NotFound,
    exceptions.NotFound: NotFound,
    PermissionDenied: NotAllowed,
    exceptions.PermissionDenied: NotAllowed,
    exceptions.NotAuthenticated: NotSignedIn,
    exceptions.AuthenticationFailed: NotSignedIn,
    exceptions.ValidationError: BadRequest,
    exceptions.ParseError: BadRequest,
}


def exception_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """None for defects of ours, which become a logged 500."""
    if isinstance(error, ParleyError):
        set_rollback()
        return Response(error_body(error), status=error.status) if error.status < 500 else None
    response = exception_handler(error, context)
    if response is not None:
        ours = OURS.get(type(error), BadRequest)()
        response.data = error_body(ours)
    return response
