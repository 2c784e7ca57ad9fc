"""Find the actor of a request (API token or session) and turn errors into responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Literal, cast

import structlog
from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, RawPostDataException
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import CsrfViewMiddleware
from django.template import loader
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext, gettext_lazy
from structlog.contextvars import bind_contextvars

from tenants.access import Actor
from tenants.authentication.session_auth import actor_for_session, session_member, session_member_async
from tenants.authentication.tokens import Scope, TokenActor, bearer_token, token_actor, token_organization
from tenants.db import in_db
from tenants.errors import (
    NotAllowed,
    NotFound,
    NotSignedIn,
    OrganizationSuspended,
    ParleyError,
    SecondFactorNeeded,
    SignOnNeeded,
    TooLarge,
    Unavailable,
    UnreadableForm,
    UnsupportedMedia,
)
from tenants.input.networks import network_allows
from tenants.localization.language import language_use
from tenants.models import User
from tenants.request_context import note_actor
from tenants.rest.schemas import Error, ErrorDetail

log = structlog.get_logger(__name__)

# Errors on reading the body: it is too long, or a form that the CSRF check has already read or could not read.
BODY_ERRORS: Mapping[type[Exception], type[ParleyError]] = {
    RequestDataTooBig: TooLarge,
    RawPostDataException: UnsupportedMedia,
    MultiPartParserError: UnreadableForm,
}

CSRF_FAILED = gettext_lazy("The request lacks its CSRF token. Reload the page and try again.")

View = Callable[..., Any]
RequiredScope = Scope | Literal["session"]


class OrganizationRequest(HttpRequest):
    """The request that a view under `organization_view` receives."""

    actor: Actor
    token: TokenActor | None  # the API token that the request was made with; None for a browser session


class CsrfMiddleware(CsrfViewMiddleware):
    """CSRF middleware that exempts requests with an API token: no foreign page can make a browser send that header.

    The exemption applies only to views that then authenticate by the token alone (`request_actor`), whatever cookies are sent. Programs
    that are refused there get JSON: 401 without a session, else 403.
    """

    def process_view(self, request: HttpRequest, callback: Any, *args: Any) -> Any:
        takes_tokens = getattr(callback, "takes_tokens", False)
        if takes_tokens and _token_text(request):
            return None
        refusal = super().process_view(request, callback, *args)
        if refusal is None or not takes_tokens:
            return refusal
        has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
        return error_response(NotAllowed(CSRF_FAILED) if has_session else NotSignedIn())


def organization_view(*, write: bool = False, admin: bool = False, scope: RequiredScope | None = None) -> Callable[[View], View]:
    """Decorate a sync or async view so that `request.actor` is set from the URL keyword `slug` or the API token (see `request_actor`).

    Signed out: redirects browsers to the login page, 401 for programs. Foreign and missing organizations: 404. `write` refuses viewers and
    `admin` refuses all but owners and admins, both with 403. The view opens its own transactions (tenant_tx, in_db).
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def handle(request: HttpRequest, slug: str | None = None, **kwargs: Any) -> Any:
            try:
                actor = request_actor(request, slug, scope)
            except (NotSignedIn, SecondFactorNeeded, SignOnNeeded) as refusal:
                if _can_sign_in(request):
                    return redirect_to_proof(request, refusal)
                raise
            _authorize(request, actor, write=write, admin=admin)
            return view(request, **kwargs)

        @wraps(view)
        async def handle_async(request: HttpRequest, slug: str | None = None, **kwargs: Any) -> Any:
            try:
                actor = await request_actor_async(request, slug, scope)
            except (NotSignedIn, SecondFactorNeeded, SignOnNeeded) as refusal:
                if _can_sign_in(request):
                    return redirect_to_proof(request, refusal)
                raise
            _authorize(request, actor, write=write, admin=admin)
            return await view(request, **kwargs)

        handler: Any = handle_async if iscoroutinefunction(view) else handle
        handler.takes_tokens = True
        return cast(View, handler)

    return decorate


def request_actor(request: HttpRequest, slug: str | None, scope: RequiredScope | None = None) -> Actor:
    """Return who makes this request: the member whose API token it carries, or else the signed-in user in the organization `slug`.

    A request with both is authenticated by its token. Sets `request.token`.

    - `slug`: None for URLs without an organization, where only a token can name it.
    - `scope`: what a token needs. None means "read" for safe methods and "write" for others; "session" refuses all tokens.

    Raises NotSignedIn, NotAllowed (scope), and NotFound alike for foreign and missing organizations. For a session, the caller checks CSRF:
    CsrfMiddleware does so for views with the attribute `takes_tokens`.
    """
    if _token_text(request):
        return _resolve_actor(request, None, slug, scope)
    return _use_session_user(request, session_member(request.session, slug)) or _resolve_actor(request, request.user.pk, slug, scope)


async def request_actor_async(request: HttpRequest, slug: str | None, scope: RequiredScope | None = None) -> Actor:
    """Async version of `request_actor`."""
    text = _token_text(request)
    if text:
        return await in_db(_resolve_actor, request, None, slug, scope, organization_id=token_organization(text))
    actor = _use_session_user(request, await session_member_async(request.session, slug))
    if actor is not None:
        return actor
    return await in_db(_resolve_actor, request, (await request.auser()).pk, slug, scope, using="auth")


def _use_session_user(request: HttpRequest, actor_and_user: tuple[Actor, User] | None) -> Actor | None:
    """Return the member found with the session, and set `request.user` so that Django need not query it again."""
    if actor_and_user is None:
        return None
    actor, user = actor_and_user
    language_use(user)

    async def auser() -> User:
        return user

    request.user, request.auser = user, auser
    cast(OrganizationRequest, request).token = None
    note_actor(actor.organization_id, actor.user_id)
    return actor


def _resolve_actor(request: HttpRequest, user_id: int | None, slug: str | None, scope: RequiredScope | None) -> Actor:
    token = _checked_token(request, slug, scope) if _token_text(request) else None
    cast(OrganizationRequest, request).token = token
    if token is not None:
        return token.actor
    if user_id is None or slug is None:
        raise NotSignedIn
    actor = actor_for_session(request.session, user_id=user_id, slug=slug)
    note_actor(actor.organization_id, actor.user_id)
    return actor


def _checked_token(request: HttpRequest, slug: str | None, scope: RequiredScope | None) -> TokenActor:
    token = token_actor(request.headers["Authorization"])
    if not network_allows(token.networks, request.META.get("REMOTE_ADDR", "")):
        raise NotAllowed(gettext("This API token does not work from your network."))
    note_actor(token.actor.organization_id, token.actor.user_id, token.token_id)
    if slug is not None and slug != token.actor.organization_slug:
        raise NotFound
    required_scope = scope or ("read" if request.method in {"GET", "HEAD", "OPTIONS"} else "write")
    if required_scope == "session":
        raise NotAllowed(gettext("No API token can do this. Sign in and do it in the browser."))
    if required_scope not in token.scopes:
        raise NotAllowed(gettext('This API token lacks the scope "%(needed)s".') % {"needed": required_scope})
    return token


def _token_text(request: HttpRequest) -> str | None:
    return bearer_token(request.headers.get("Authorization"))


def _authorize(request: HttpRequest, actor: Actor, *, write: bool, admin: bool) -> None:
    if write and not actor.can_write:
        raise NotAllowed(gettext("View only: your role doesn't allow changes."))
    if admin and not actor.can_administer:
        raise NotAllowed(gettext("Only owners and admins of the organization may do this."))
    bind_contextvars(organization_id=str(actor.organization_id))
    cast(OrganizationRequest, request).actor = actor


def redirect_to_proof(request: HttpRequest, refusal: ParleyError) -> HttpResponse:
    """Send a browser where it can sign in, or where it can set up what is missing; it comes back afterwards."""
    match refusal:
        case SecondFactorNeeded():
            url: str | None = settings.SECOND_FACTOR_URL
        case SignOnNeeded(organization_id=organization_id):
            url = reverse(settings.SIGN_ON_URL, args=[organization_id])
        case _:
            url = None
    return redirect_to_login(request.get_full_path(), url)


def _can_sign_in(request: HttpRequest) -> bool:
    """Return whether the request comes from a browser that can be sent to the login page."""
    return _accepts_html(request) and not _token_text(request)


def _accepts_html(request: HttpRequest) -> bool:
    return request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("Accept", "")


def error_detail(error: ParleyError) -> ErrorDetail:
    """Return the error for the client. `action` is included only when the user can do something, `agent` only when its limit refused."""
    more = {name: value for name, value in (("action", error.action), ("agent", error.agent)) if value}
    return ErrorDetail(code=error.code, message=error.message, **more)


def error_response(error: ParleyError) -> JsonResponse:
    body = Error(error=error_detail(error))
    return JsonResponse(body.model_dump(exclude_unset=True), status=error.status, headers=dict(error.headers))


WAIT_STATUSES = {503, 507}  # faults of the place, which pass


class ParleyErrorMiddleware(MiddlewareMixin):
    """Turn our own errors into responses: a page for browsers, JSON for programs.

    Other exceptions and our errors from 500 on, but those that pass, are bugs: they pass through and are logged.
    """

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, OperationalError | InterfaceError):
            log.warning("database_away", reason=type(error).__name__, path=request.path)
            error = Unavailable()
        error = BODY_ERRORS[type(error)]() if type(error) in BODY_ERRORS else error
        if not isinstance(error, ParleyError) or (error.status >= 500 and error.status not in WAIT_STATUSES):
            return None
        if not _accepts_html(request):
            return error_response(error)
        if error.status in WAIT_STATUSES:
            page = loader.get_template("503.html").render({"message": error.message})
            return HttpResponse(page, status=error.status, headers=dict(error.headers))
        if isinstance(error, OrganizationSuspended):
            return HttpResponse(loader.get_template("suspended.html").render({"message": error.message}, request), status=error.status)
        if error.status == 404:
            raise Http404(error.message) from error
        raise PermissionDenied(error.message) from error
