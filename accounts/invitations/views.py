"""The page of an invitation, at `/invitation/<token>/`: whoever has the link sees it, and joins when signed in with the right address."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.invitations.acceptance import InvitationDetails, accepts, disallowed_text, invitation_accept, invitation_find
from accounts.invitations.session import SESSION_KEY
from accounts.invitations.verified_addresses import verified_addresses
from accounts.sign_in.sign_up_policy import INVITED_EMAIL
from tenants.access import actor_for
from tenants.errors import NotAllowed, NotFound, OrganizationSuspended
from tenants.models import User

REASONS = {
    "expired": gettext_lazy("This invitation has expired."),
    "used": gettext_lazy("This invitation has already been used."),
    "revoked": gettext_lazy("This invitation was withdrawn."),
    "unknown": gettext_lazy("This link isn't valid, or a newer invitation replaced it. Use the newest mail, or ask for a new one."),
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show the invitation; a POST joins, or signs out to join with another account."""
    try:
        details = invitation_find(token)
    except NotFound:
        return _page(request, {"reason": REASONS["unknown"]}, status=404)
    user = request.user if request.user.is_authenticated else None
    if request.method == "POST":
        return _post(request, token, details, user)
    if user is not None and _slug_of_member(user, details):
        return redirect(f"/o/{details.organization.slug}/")
    if details.state != "open":
        return _page(request, {"found": details, "reason": _reason(details), "asks_inviter": True}, status=410)
    request.session[SESSION_KEY] = token
    if details.row.email:
        request.session[INVITED_EMAIL] = details.row.email
    return _page(request, {"found": details, "user": user, **_choices(request, token, details, user)})


def _post(request: HttpRequest, token: str, details: InvitationDetails, user: User | None) -> HttpResponse:
    if user is None:
        return redirect_to_login(request.path)
    if request.POST.get("action") == "other-account":
        logout(request)
        return redirect(request.path)
    try:
        invitation_accept(user=user, text=token, addresses=verified_addresses(user))
    except NotAllowed as error:
        return _page(request, {"found": details, "reason": error.message}, status=403)
    request.session.pop(SESSION_KEY, None)
    return redirect(f"/o/{details.organization.slug}/")


def _reason(details: InvitationDetails) -> str:
    """Return why the invitation doesn't work."""
    return disallowed_text(details.row) if details.state == "disallowed" else str(REASONS[details.state])


def _slug_of_member(user: User, details: InvitationDetails) -> bool:
    try:
        return actor_for(user_id=user.pk, slug=details.organization.slug) is not None
    except (NotFound, OrganizationSuspended):
        return False


def _choices(request: HttpRequest, token: str, details: InvitationDetails, user: User | None) -> dict[str, Any]:
    """Return what the visitor can do: join, sign out of the wrong account, or sign in and sign up."""
    if user is not None:
        return {"is_right_account": accepts(details.row, verified_addresses(user))}
    here = urlencode({"next": request.path})
    sign_up_url = "" if settings.SIGN_UP == "closed" else f"{reverse('account_signup')}?{here}"
    return {"sign_in_url": f"{resolve_url(settings.LOGIN_URL)}?{here}", "sign_up_url": sign_up_url}


def _page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    return render(request, "accounts/invitation.html", context, status=status)
