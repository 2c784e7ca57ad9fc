"""The base of every REST view: who asks, in which organization, with which rights; bodies, queries and errors (docs/rest.md)."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from pydantic import BaseModel, ValidationError
from rest_framework import exceptions
from rest_framework.authentication import CSRFCheck
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, set_rollback
from structlog.contextvars import bind_contextvars

from tenants.access import Actor, actor_for
from tenants.errors import (
    BadRequest,
    MethodNotAllowed,
    NotAllowed,
    NotFound,
    NotSignedIn,
    ParleyError,
    TooLarge,
    UnsupportedMedia,
)
from tenants.http import error_body

Shape = TypeVar("Shape", bound=BaseModel)
SAFE_METHODS = frozenset({"GET", "HEAD"})

OURS: dict[type[Exception], type[ParleyError]] = {
    Http404: NotFound,
    PermissionDenied: NotAllowed,
    RequestDataTooBig: TooLarge,
    exceptions.NotFound: NotFound,
    exceptions.PermissionDenied: NotAllowed,
    exceptions.NotAuthenticated: NotSignedIn,
    exceptions.AuthenticationFailed: NotSignedIn,
    exceptions.MethodNotAllowed: MethodNotAllowed,
    exceptions.UnsupportedMediaType: UnsupportedMedia,
    exceptions.ValidationError: BadRequest,
    exceptions.ParseError: BadRequest,
}


class ActorRequest(Request):
    """What the methods of a RestView receive."""

    actor: Actor


class RestView(APIView):
    """A call under /o/<slug>/api/, JSON in and out. Methods get an ActorRequest and open their own transactions (tenant_tx).

    Signed out: 401. Foreign and missing organizations: 404. `write` refuses viewers and `admin` all but owners and admins, both
    with 403. A session needs the CSRF token for everything but reading.
    """

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    write = False
    admin = False
    http: HttpRequest
    slug: str | None

    def dispatch(self, request: HttpRequest, *args: Any, slug: str | None = None, **kwargs: Any) -> HttpResponseBase:
        self.http, self.slug = request, slug
        return super().dispatch(request, *args, **kwargs)

    def perform_authentication(self, request: Request) -> None:
        actor = self.actor_of(request)
        cast(ActorRequest, request).actor = actor
        bind_contextvars(organization_id=str(actor.organization_id))

    def actor_of(self, request: Request) -> Actor:
        """Who asks. Raises NotSignedIn, NotFound, NotAllowed (no CSRF token)."""
        user = self.http.user
        if self.slug is None or not user.is_authenticated:
            raise NotSignedIn
        csrf_check(self.http)
        return actor_for(user_id=user.pk, slug=self.slug)

    def check_permissions(self, request: Request) -> None:
        actor = cast(ActorRequest, request).actor
        if self.write and not actor.can_write:
            raise NotAllowed("You can read here, but not write.")
        if self.admin and not actor.can_administer:
            raise NotAllowed("Only owners and admins of the organization may do this.")

    def body(self, shape: type[Shape], hint: str = "") -> Shape:
        """The JSON of the request. Raises BadRequest with `hint` instead of the first thing that does not fit."""
        if (self.http.content_type or "").lower() != "application/json":
            raise UnsupportedMedia
        try:
            return shape.model_validate_json(self.http.body)
        except ValidationError as exc:
            # Without its cause, which quotes what was sent.
            raise (BadRequest(hint) if hint else unreadable(exc)) from None

    def query(self, shape: type[Shape]) -> Shape:
        """The parameters behind the question mark. Raises BadRequest."""
        try:
            return shape.model_validate_strings(self.request.query_params.dict())
        except ValidationError as exc:
            raise unreadable(exc) from None


def csrf_check(request: HttpRequest) -> None:
    """Raises NotAllowed. DRF exempts its views from the middleware, whose refusal is a page."""
    check = CSRFCheck(lambda _: HttpResponse())
    check.process_request(request)
    if check.process_view(request, None, (), {}):
        raise NotAllowed("The request lacks its CSRF token. Reload the page and try again.")


def unreadable(exc: ValidationError) -> BadRequest:
    """The first thing that does not fit, by name; what was sent is not repeated."""
    first = exc.errors(include_url=False, include_input=False)[0]
    return BadRequest(f"The request could not be read: {'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}.")


def exception_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer of docs/protocol.md; None for defects of ours, which become a logged 500."""
    ours = error if isinstance(error, ParleyError) else _ours(error)
    if ours is None or ours.status >= 500:
        return None
    set_rollback()
    headers = {"Allow": ", ".join(context["view"].allowed_methods)} if isinstance(ours, MethodNotAllowed) else None
    return Response(error_body(ours), status=ours.status, headers=headers)


def _ours(error: Exception) -> ParleyError | None:
    known = OURS.get(type(error))
    if known is None and isinstance(error, exceptions.APIException) and error.status_code < 500:
        known = BadRequest
    return known() if known else None
