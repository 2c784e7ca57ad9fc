"""RestView, the base of every REST view: authentication, permissions, bodies, queries and errors (docs/rest.md)."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar, cast

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext
from pydantic import BaseModel, ValidationError
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, set_rollback
from structlog.contextvars import bind_contextvars

from tenants.access import Actor
from tenants.authentication.session_proof import require_recent_proof
from tenants.authentication.tokens import TokenActor
from tenants.errors import (
    BadRequest,
    MethodNotAllowed,
    NotAllowed,
    NotFound,
    NotSignedIn,
    ParleyError,
    TooLarge,
    UnreadableForm,
    UnsupportedMedia,
)
from tenants.rest.field_errors import validation_error
from tenants.rest.http import CSRF_FAILED, OrganizationRequest, RequiredScope, error_detail, request_actor
from tenants.rest.idempotency import IdempotencyClaim, StoredAnswer, answer_claim, answer_release, answer_store, key_check, request_hash
from tenants.rest.schemas import Error, operation_of
from tenants.rest.throttles import RateThrottle, RequestKind

log = structlog.get_logger(__name__)

Schema = TypeVar("Schema", bound=BaseModel)

ERROR_TYPES: dict[type[Exception], type[ParleyError]] = {
    Http404: NotFound,
    PermissionDenied: NotAllowed,
    RequestDataTooBig: TooLarge,
    MultiPartParserError: UnreadableForm,
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
    """The request that the methods of a RestView receive."""

    actor: Actor
    token: TokenActor | None  # the API token that the request was made with; None for a browser session


class NotModified(Exception):
    """The client has this response already; answered with 304."""


class IdempotentReplay(Exception):
    """The call was answered before; its stored answer is sent again."""

    def __init__(self, answer: StoredAnswer) -> None:
        super().__init__()
        self.answer = answer


class RestView(APIView):
    """Base of a REST view under /o/<slug>/api/, with JSON in and out.

    Methods get an ActorRequest, return the schema of their `operation` (or a Response) and open their own transactions (tenant_tx). Signed out: 401. Foreign and missing organizations: 404. A
    session needs the CSRF token, except for reading.
    """

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    throttle_classes = [RateThrottle]
    write = False  # refuses viewers with 403
    admin = False  # refuses all but owners and admins with 403
    takes_files = False  # its POST is a form with a file, which any other view refuses with 415
    scope: RequiredScope | None = None  # what an API token needs (tenants.rest.http.request_actor)
    rate: RequestKind = "write"  # what unsafe methods are counted as (RateThrottle)

    http: HttpRequest
    slug: str | None
    _claim: IdempotencyClaim | None = None
    _etag = ""

    def dispatch(self, request: HttpRequest, *args: Any, slug: str | None = None, **kwargs: Any) -> HttpResponseBase:
        self.http, self.slug = request, slug
        response = super().dispatch(request, *args, **kwargs)
        return self._with_etag(response) if request.method in {"GET", "HEAD"} and self._operation_fact("etag") else response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self._operation_fact("proof") and cast(ActorRequest, request).token is None:
            require_recent_proof(self.http.session)  # before a key is claimed: the call is repeated under the same one
        if request.method == "POST" and self._operation_fact("idempotent") and (key := request.headers.get("Idempotency-Key")) is not None:
            self._claim_key(cast(ActorRequest, request).actor, key_check(key))

    def perform_authentication(self, request: Request) -> None:
        actor = request_actor(self.http, self.slug, self.scope)
        mine, token = cast(ActorRequest, request), cast(OrganizationRequest, self.http).token
        mine.actor, mine.token = actor, token
        self._raise_if_form()
        if token is None:
            csrf_check(self.http)
        bind_contextvars(organization_id=str(actor.organization_id))

    def check_permissions(self, request: Request) -> None:
        actor = cast(ActorRequest, request).actor
        if self.write and not actor.can_write:
            raise NotAllowed(gettext("View only: your role doesn't allow changes."))
        if self.admin and not actor.can_administer:
            raise NotAllowed(gettext("Only owners and admins of the organization may do this."))

    def body(self, shape: type[Schema], hint: str = "") -> Schema:
        """Parse the JSON body; none is an empty object. Raises UnsupportedMedia, and BadRequest with `hint`, or with the first error when there is no hint."""
        is_json = (self.http.content_type or "").lower() == "application/json"
        if not is_json and self.http.body:
            raise UnsupportedMedia
        try:
            return shape.model_validate_json(self.http.body or b"{}")
        except ValidationError as exc:
            # Without the cause, which quotes the request.
            raise (BadRequest(hint) if hint else validation_error(exc)) from None

    def query(self, shape: type[Schema]) -> Schema:
        """Parse the query parameters. Raises BadRequest."""
        try:
            return shape.model_validate_strings(self.http.GET.dict())
        except ValidationError as exc:
            raise validation_error(exc) from None

    def etag_check(self, *facts: object) -> None:
        """Set the response's ETag from the facts that the response depends on.

        Raises NotModified when the client has this response already, before it is made again.
        """
        self._etag = weak_etag("|".join(map(str, facts)).encode())
        if get_conditional_response(self.http, etag=self._etag) is not None:
            raise NotModified

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, NotModified):
            return Response(status=304)
        if isinstance(exc, IdempotentReplay):
            return Response(exc.answer.content, status=exc.answer.status, headers={"Idempotent-Replayed": "true"})
        try:
            return super().handle_exception(exc)
        except Exception:
            self._settle_claim(None)
            raise

    def finalize_response(self, request: Request, response: Response | BaseModel, *args: Any, **kwargs: Any) -> Response:
        answer = Response(response, status=self._operation_fact("status", 200)) if isinstance(response, BaseModel) else response
        self._settle_claim(answer)
        return super().finalize_response(request, answer, *args, **kwargs)

    def _operation_fact(self, name: str, default: Any = False) -> Any:
        """Return what the called method's `operation` says."""
        return getattr(operation_of(getattr(self, (self.http.method or "").lower(), None)), name, default)

    def _raise_if_form(self) -> None:
        """Refuse forms before the CSRF check, which would read the form: its body could then not be read again."""
        if self.http.method == "POST" and self.http.content_type == "multipart/form-data" and not self.takes_files:
            raise UnsupportedMedia

    def _claim_key(self, actor: Actor, key: str) -> None:
        path = self.http.path
        claim = answer_claim(actor=actor, path=path, key=key, digest=request_hash(str(self.http.method), path, self.http.body))
        if isinstance(claim, StoredAnswer):
            raise IdempotentReplay(claim)
        self._claim = claim

    def _settle_claim(self, response: Response | None) -> None:
        claim, self._claim = self._claim, None
        if claim is None:
            return
        try:
            if response is not None and response.status_code < 500 and response.status_code != 429:
                answer_store(claim, status=response.status_code, content=response.data)
            else:
                answer_release(claim)
        except (DatabaseError, InterfaceError, ParleyError) as exc:
            # The work is done, so its response is sent. The key stays claimed until it expires.
            log.warning("answer_not_kept", reason=type(exc).__name__, path=self.http.path)

    def _with_etag(self, response: HttpResponseBase) -> HttpResponseBase:
        """Set the ETag of `etag_check`, or one made from the content, and answer 304 if the client has it."""
        if response.status_code not in {200, 304} or not isinstance(response, Response):
            return response
        response["ETag"] = self._etag or weak_etag(response.render().content)
        return get_conditional_response(self.http, etag=response["ETag"], response=response) or response


def weak_etag(content: bytes) -> str:
    return f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'


def csrf_check(request: HttpRequest) -> None:
    """Raise NotAllowed when the CSRF check fails. DRF exempts its views from the middleware, which would refuse with an HTML page."""
    check = CsrfViewMiddleware(_csrf_success)
    check.process_request(request)
    if check.process_view(request, _csrf_success, (), {}):
        raise NotAllowed(CSRF_FAILED)


def _csrf_success(*_: Any) -> HttpResponse:
    return HttpResponse()


def exception_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the error response of docs/protocol.md, or None for bugs of ours, which become a logged 500."""
    ours = error if isinstance(error, ParleyError) else _translate_error(error)
    if ours is None or ours.status >= 500:
        return None
    set_rollback()
    headers = {"Allow": ", ".join(context["view"].allowed_methods)} if isinstance(ours, MethodNotAllowed) else dict(ours.headers)
    return Response(Error(error=error_detail(ours)), status=ours.status, headers=headers)


def _translate_error(error: Exception) -> ParleyError | None:
    error_type = ERROR_TYPES.get(type(error))
    if error_type is None and isinstance(error, exceptions.APIException) and error.status_code < 500:
        error_type = BadRequest
    return error_type() if error_type else None
