"""Counts what is refused over HTTP for the audit log: limits that were hit, and rights that were missing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from rest_framework.response import Response

from security.audit.event_counts import count_event
from tenants.access import Actor
from tenants.errors import NotAllowed, ParleyError
from tenants.request_context import current_request
from tenants.rest.http import ParleyErrorMiddleware
from tenants.rest.views import exception_response as rest_exception_response

TOO_MANY = 429


class AuditedErrorMiddleware(ParleyErrorMiddleware):
    """ParleyErrorMiddleware that counts refusals."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        refusal_count(error, getattr(request, "actor", None))
        return super().process_exception(request, error)


def exception_response(error: Exception, context: Any) -> Response | None:
    """DRF's exception handler: counts the refusal and renders it as before."""
    refusal_count(error, getattr(context["request"], "actor", None))
    return rest_exception_response(error, context)


def refusal_count(error: Exception, actor: Actor | None = None, *, organization_id: UUID | None = None) -> None:
    """Count a limit that was hit or a right that was missing, of somebody who is known. Other errors are no refusals.

    `organization_id`: in work that no request began.
    """
    request = current_request()
    organization_id = actor.organization_id if actor else organization_id or request.organization_id
    if not isinstance(error, ParleyError) or organization_id is None:
        return
    if error.status == TOO_MANY:
        action, kind = "limit.hit", "limit"
    elif isinstance(error, NotAllowed):
        action, kind = "right.refuse", "right"
    else:
        return
    limit, label = error.refused_by or (error.code, error.code.replace("_", " "))
    count_event(
        organization_id=organization_id,
        actor_user_id=actor.user_id if actor else request.actor_user_id,
        action=action,
        object_kind=kind,
        object_id=limit,
        object_label=label,
        outcome="refused",
        detail={"token": request.token_id} if request.token_id else {},
    )
