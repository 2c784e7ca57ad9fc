"""Leads from an address that an organization had before to its present one, for its members only."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from tenants.db import in_db
from tenants.models import FormerSlug, Membership

_PATH = re.compile(r"/o/([a-z0-9-]+)(/.*)\Z")


class FormerSlugRedirect(HttpResponseRedirect):
    """Keeps method and body. Not permanent: the organization may take the address back."""

    status_code = 307


@sync_and_async_middleware
def FormerSlugMiddleware(  # noqa: N802  named like the other entries of MIDDLEWARE
    get_response: Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]:
    """Answer a 404 below a former address with a redirect. Costs nothing on any other response."""

    async def handle_async(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await get_response(request)  # type: ignore[misc]
        if response.status_code != 404 or not _PATH.match(request.path):
            return response
        user = await request.auser()
        return (await in_db(_redirect_to_new_slug, request, user.pk, using="auth") if user.pk else None) or response

    def handle(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = get_response(request)  # type: ignore[assignment]
        if response.status_code != 404 or not _PATH.match(request.path):
            return response
        return (_redirect_to_new_slug(request, request.user.pk) if request.user.pk else None) or response

    return handle_async if iscoroutinefunction(get_response) else handle


def _redirect_to_new_slug(request: HttpRequest, user_id: int) -> HttpResponseBase | None:
    """Return the redirect, or None for unknown addresses and for people who are no members: both look the same."""
    match = _PATH.match(request.path)
    assert match is not None
    former = FormerSlug.objects.select_related("organization").filter(slug=match[1]).first()
    if former is None:
        return None
    members = Membership.objects.using("auth").filter(user_id=user_id, organization_id=former.organization_id, is_active=True)
    if not members.filter(user__is_active=True, organization__is_active=True).exists():
        return None
    query = f"?{request.META['QUERY_STRING']}" if request.META.get("QUERY_STRING") else ""
    return FormerSlugRedirect(f"/o/{former.organization.slug}{match[2]}{query}")
