"""Errors that callers treat differently.

tenants.rest.http renders each as JSON in the format of docs/protocol.md, or as an HTML page.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

RETRY_HEADERS = {"Retry-After": "2"}  # seconds


class ParleyError(Exception):
    """Base of all errors that a user may read."""

    code = "error"  # for programs
    status = 500  # HTTP status
    message: StrOrPromise = gettext_lazy("Something went wrong on our side.")  # a sentence for the user
    action: str | None = None  # what the user can do, such as "retry"
    headers: Mapping[str, str] = {}
    agent = ""  # for programs: the name of the agent whose limit refused
    refused_by: tuple[str, str] | None = None  # for the audit log: id and name of the limit; None: the code names it

    def __init__(self, message: StrOrPromise | None = None, *, action: str | None = None) -> None:
        self.message = str(message or type(self).message)  # in the language of whoever is answered
        self.action = action or type(self).action
        super().__init__(self.message)


class BadRequest(ParleyError):
    code = "bad_request"
    status = 400
    message = gettext_lazy("The request could not be understood.")


class UnreadableForm(BadRequest):
    """The body is no form as its header says."""

    message = gettext_lazy("The form can't be read. Send it as multipart/form-data, with the `boundary` in the header Content-Type.")


class NotSignedIn(ParleyError):
    code = "not_signed_in"
    status = 401
    message = gettext_lazy("Please sign in.")


class NotAllowed(ParleyError):
    """The actor may see the object but not do this. Anything the actor may not see is NotFound."""

    code = "not_allowed"
    status = 403
    message = gettext_lazy("Your role does not allow this.")


class OrganizationSuspended(NotAllowed):
    """The actor is a member of an organization that the operator has suspended. Everybody else gets NotFound."""

    code = "organization_suspended"
    message = gettext_lazy("This organization is suspended.")


class SecondFactorNeeded(ParleyError):
    """The organization, or the operator's site, asks for a second factor that the session was begun without."""

    code = "second_factor_needed"
    status = 403
    message = gettext_lazy("A second factor is needed here. Set one up, or sign in again with yours.")
    action = "second_factor"


class SignOnNeeded(ParleyError):
    """The organization lets this member in by its own sign-on only, and the session was begun otherwise."""

    code = "sign_on_needed"
    status = 403
    message = gettext_lazy("Your organization asks you to sign in with its own sign-on.")
    action = "sign_on"

    def __init__(self, organization_id: UUID) -> None:
        super().__init__()
        self.organization_id = organization_id


class ProofNeeded(ParleyError):
    """A dangerous act needs a password or a factor that was given within the last 15 minutes."""

    code = "proof_needed"
    status = 403
    message = gettext_lazy("Confirm that it's you, then try again.")
    action = "prove"


class NotFound(ParleyError):
    """The object is missing or belongs to somebody else; both look the same (SECURITY 4)."""

    code = "not_found"
    status = 404
    message = gettext_lazy("This does not exist, or you have no access to it.")


class Conflict(ParleyError):
    code = "conflict"
    status = 409
    message = gettext_lazy("This was changed in the meantime. Reload and try again.")


class MethodNotAllowed(ParleyError):
    code = "method_not_allowed"
    status = 405
    message = gettext_lazy("This address does not know this method.")


class TooLarge(ParleyError):
    code = "too_large"
    status = 413
    message = gettext_lazy("The request is too large.")


class UnsupportedMedia(ParleyError):
    code = "unsupported_media"
    status = 415
    message = gettext_lazy("Send the body as JSON, with the header Content-Type: application/json.")


class IdempotencyKeyReused(ParleyError):
    code = "idempotency_key_reused"
    status = 422
    message = gettext_lazy("This Idempotency-Key came with another request before. Take a new key for a new request.")


class TooManyRequests(ParleyError):
    code = "too_many_requests"
    status = 429

    def __init__(self, reset: datetime, limit: int) -> None:
        super().__init__(
            gettext("More than %(limit)d requests in a minute. Go on at %(time)s UTC.") % {"limit": limit, "time": f"{reset:%H:%M:%S}"}
        )
        wait_s = max(1, round((reset - datetime.now(UTC)).total_seconds()))
        self.headers = {"Retry-After": str(wait_s), "X-RateLimit-Limit": str(limit), "X-RateLimit-Reset": reset.isoformat()}


class Busy(ParleyError):
    """Every database connection of this process has been in use for longer than a user waits."""

    code = "busy"
    status = 503
    message = gettext_lazy("Parley is very busy right now and could not do this. Nothing was changed; please try again in a moment.")
    action = "retry"
    headers = RETRY_HEADERS


class Unavailable(ParleyError):
    """The database is away or too slow.

    The request may or may not have been carried out. Client-made ids make it safe to repeat.
    """

    code = "unavailable"
    status = 503
    message = gettext_lazy("The database did not answer just now. Please try again in a moment; doing it twice does no harm.")
    action = "retry"
    headers = RETRY_HEADERS


class NoTenantContext(ParleyError):
    """A bug of ours: tenant data was used without, or outside, the organization's transaction."""

    code = "no_tenant"
    message = gettext_lazy("Tenant data was used outside the transaction of its organization.")
