"""The organization of a request, and errors as answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from asgiref.sync import iscoroutinefunction
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from structlog.contextvars import bind_contextvars

from tenants.access import Actor, actor_for
from tenants.db import in_db
from tenants.errors import NotAllowed, NotSignedIn, ParleyError

View = Callable[..., Any]


class OrganizationRequest(HttpRequest):
    """What a view under `organization_view` receives."""

    actor: Actor


def organization_view(*, write: bool = False, admin: bool = False) -> Callable[[View], View]:
    """Resolve the keyword `slug` of the address to `request.actor`, for sync and async views.

    Signed out: the login page, or 401 for programs. Foreign and missing organizations: 404. `write` refuses viewers and
    `admin` all but owners and admins, both with 403. The view opens its own transactions (tenant_tx, in_db).
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def handle(request: HttpRequest, slug: str, **kwargs: Any) -> Any:
            if not request.user.is_authenticated:
                return _sign_in(request)
            _admit(request, actor_for(user_id=request.user.pk, slug=slug), write=write, admin=admin)
            return view(request, **kwargs)

        @wraps(view)
        async def handle_async(request: HttpRequest, slug: str, **kwargs: Any) -> Any:
            user = await request.auser()
            if not user.is_authenticated:
                return _sign_in(request)
            _admit(request, await in_db(actor_for, user_id=user.pk, slug=slug), write=write, admin=admin)
            return await view(request, **kwargs)

        return handle_async if iscoroutinefunction(view) else handle

    return decorate


def _admit(request: HttpRequest, actor: Actor, *, write: bool, admin: bool) -> None:
    if write and not actor.can_write:
        raise NotAllowed("You can read here, but not write.")
    if admin and not actor.can_administer:
        raise NotAllowed("Only owners and admins of the organization may do this.")
    bind_contextvars(organization_id=str(actor.organization_id))
    cast(OrganizationRequest, request).actor = actor


def _sign_in(request: HttpRequest) -> HttpResponseBase:
    if _wants_page(request):
        return redirect_to_login(request.get_full_path())
    raise NotSignedIn


def _wants_page(request: HttpRequest) -> bool:
    return request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("Accept", "")


def error_body(error: ParleyError) -> dict[str, dict[str, str]]:
    """The shape of docs/protocol.md; `action` only when the user can do something."""
    body = {"code": error.code, "message": error.message}
    return {"error": body | ({"action": error.action} if error.action else {})}


def error_response(error: ParleyError) -> JsonResponse:
    return JsonResponse(error_body(error), status=error.status)


class ParleyErrorMiddleware(MiddlewareMixin):
    """Our own errors become answers: a page for browsers, JSON for programs. Defects of ours (500) pass on and are logged."""

    def process_exception(self, request: HttpRequest, error: Exception) -> JsonResponse | None:
        if not isinstance(error, ParleyError) or error.status >= 500:
            return None
        if not _wants_page(request):
            return error_response(error)
        if error.status == 404:
            raise Http404(error.message) from error
        raise PermissionDenied(error.message) from error
