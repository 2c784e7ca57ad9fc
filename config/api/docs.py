"""Views of the OpenAPI schema and of the page that shows it (Swagger UI, served from our own origin)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views.decorators.http import require_safe

from security.csp import ADMIN_POLICY, POLICY_HEADER
from tenants.rest.http import OrganizationRequest, organization_view


@require_safe
@organization_view()
def schema(request: OrganizationRequest) -> JsonResponse:
    """Return the schema of what a member's browser session or an API token may call under /o/<slug>/."""
    return JsonResponse(_schema(server=f"/o/{request.actor.organization_slug}", is_session=True))


@require_safe
def root_schema(request: HttpRequest) -> JsonResponse:
    """Return the schema of what an API token may call. Public."""
    return JsonResponse(_schema(server="/", is_session=False))


@require_safe
@organization_view(scope="session")
def docs(request: OrganizationRequest) -> HttpResponse:
    """Return the documentation page of an organization, for members who are signed in."""
    return _page(request, csrf_token=get_token(request))


@require_safe
def root_docs(request: HttpRequest) -> HttpResponse:
    """Return the public documentation page."""
    return _page(request, csrf_token="")


def _schema(*, server: str, is_session: bool) -> dict[str, Any]:
    from config.api.schema import api_schema  # imported here: it takes 5 MB, and most processes never need it

    return api_schema(server=server, is_session=is_session)


def _page(request: HttpRequest, *, csrf_token: str) -> HttpResponse:
    response = render(request, "api_docs.html", {"settings": {"schema": "../schema/", "csrfToken": csrf_token}})
    # Swagger UI assigns innerHTML, which Trusted Types forbid.
    response.headers[POLICY_HEADER] = ADMIN_POLICY.format(nonce=request.csp_nonce, files="")  # type: ignore[attr-defined]
    return response
