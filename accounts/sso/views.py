"""The pages of an organization's sign-on: the way to the provider, and back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import structlog
from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import get_next_redirect_url, perform_login
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import SignOn
from accounts.sso.entry_points import EntryPoint, entry_point_of_organization
from accounts.sso.errors import SignOnFailed
from accounts.sso.handshake import Answer, handshake_begin, handshake_finish, leave_to, state_take
from accounts.sso.people import person_enter
from accounts.sso.tokens import signed_in_at
from accounts.sso.trial import trial_finish, trial_record_failure
from security.audit import count_event
from security.egress import EgressRefused
from security.secrets.errors import SecretUnusable
from tenants.authentication.session_auth import actor_for_session
from tenants.authentication.session_proof import BY_SIGN_ON, NEVER, PROVED_AT, require_recent_proof
from tenants.errors import NotAllowed, NotFound, NotSignedIn, ParleyError
from tenants.models import Membership

log = structlog.get_logger(__name__)

PROVIDER_SESSION = "accounts.sign_on"  # in the session: what ending it at the provider needs


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_on_start(request: HttpRequest, organization_id: UUID) -> HttpResponse:
    """Show whose sign-on this is; a POST goes there. A GET does not, so that no foreign page can start a sign-in."""
    entry_point = _entry_point(organization_id)
    next_url = get_next_redirect_url(request) or f"/o/{entry_point.organization.slug}/"
    if request.method != "POST":
        return render(request, "accounts/sign_on.html", {"entry_point": entry_point, "next_url": next_url})
    try:
        hint = request.POST.get("username", "")[:254]
        is_again = request.user.is_authenticated  # asked for a proof
        address = handshake_begin(request, entry_point.sign_on, next_url=next_url, login_hint=hint, is_fresh=is_again)
        return leave_to(request, address, entry_point.organization.name)
    except (SignOnFailed, EgressRefused, SecretUnusable) as error:
        return _failure_page(request, entry_point, error)


@never_cache
@require_safe
def sign_on_callback(request: HttpRequest, organization_id: UUID) -> HttpResponse:
    """Take the provider's answer, and sign the person in whom it means."""
    entry_point, state = _entry_point(organization_id, is_test=True), {}
    try:
        state = state_take(request, organization_id)
        if not (entry_point.sign_on.is_enabled or state["test"]):
            raise Http404
        answer = handshake_finish(request, entry_point.sign_on, state)
        if answer.is_test:
            return redirect(trial_finish(request, entry_point, answer))
        provider_user = person_enter(entry_point.sign_on, answer.claims)
    except (SignOnFailed, EgressRefused, SecretUnusable) as error:
        if state.get("test"):
            return redirect(trial_record_failure(request, entry_point, error))
        return _failure_page(request, entry_point, error)
    return _sign_in(request, entry_point.sign_on, provider_user.user, answer, is_new=provider_user.is_new)


@never_cache
@require_POST
def sign_on_test(request: HttpRequest, organization_id: UUID) -> HttpResponse:
    """Begin the sign-in by which an owner tests the settings; the callback shows what came of it and signs nobody in."""
    entry_point = _entry_point(organization_id, is_test=True)
    if not request.user.is_authenticated:
        raise NotSignedIn
    actor = actor_for_session(request.session, user_id=request.user.pk, slug=entry_point.organization.slug)
    if actor.role != Membership.Role.OWNER:
        raise NotAllowed(gettext("Only an owner can change how people sign in."))
    require_recent_proof(request.session)
    try:
        return leave_to(request, handshake_begin(request, entry_point.sign_on, is_test=True), str(entry_point.sign_on))
    except (SignOnFailed, EgressRefused, SecretUnusable) as error:
        return redirect(trial_record_failure(request, entry_point, error))


def _sign_in(request: HttpRequest, sign_on: SignOn, user: Any, answer: Answer, *, is_new: bool) -> HttpResponse:
    """Sign in by the library, which asks for the account's own second factor where there is one."""
    is_same = request.user.is_authenticated and request.user.pk == user.pk  # they were asked for a proof: their session and pages go on
    if request.user.is_authenticated and not is_same:
        logout(request)
    proved_at = signed_in_at(answer.claims) or NEVER
    record_authentication(request, user, BY_SIGN_ON, provider=str(sign_on.organization_id), **{PROVED_AT: proved_at})
    provider_session = {"organization": str(sign_on.organization_id), "sid": str(answer.claims.get("sid") or "")[:200]}
    if sign_on.signs_out_at_provider and answer.metadata.end_session_endpoint:
        provider_session["id_token"] = answer.id_token
    request.session[PROVIDER_SESSION] = provider_session
    if is_same:
        return redirect(answer.next_url)
    response: HttpResponse = perform_login(request, user, email_verification="none", redirect_url=answer.next_url, signup=is_new)
    return response


def _entry_point(organization_id: UUID, *, is_test: bool = False) -> EntryPoint:
    try:
        return entry_point_of_organization(organization_id, is_test=is_test)
    except NotFound as error:
        raise Http404 from error


def _failure_page(request: HttpRequest, entry_point: EntryPoint, error: ParleyError) -> HttpResponse:
    """Say what happened and what to do; count it for the organization's log. Anybody can make this happen, so it is counted only."""
    log.info("sign_on_failed", code=error.code, organization_id=str(entry_point.organization.pk))
    count_event(
        organization_id=entry_point.organization.pk,
        actor_user_id=None,
        actor_kind="stranger",
        action="sso.refuse",
        object_kind="sso",
        object_id=error.code,
        outcome="refused",
    )
    response = render(
        request, "accounts/sign_on_failed.html", {"entry_point": entry_point, "message": error.message, "code": error.code}, status=403
    )
    response._has_been_logged = True  # type: ignore[attr-defined]  # noqa: SLF001  Django would log the whole address, with the provider's code
    return response
