"""The pages of sign-in with other providers."""

from __future__ import annotations

from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp
from allauth.socialaccount.providers.base import AuthProcess
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.sign_in.signals import audit_everywhere
from accounts.social.adapter import NAMES
from accounts.social.linked_accounts import LAST_WAY_IN, is_last_way_in
from accounts.sso.handshake import leave_to
from tenants.authentication.session_proof import proved_recently


@never_cache
@require_POST
def social_start(request: HttpRequest, provider: str) -> HttpResponse:
    """Go to the provider, to sign in. Nothing of the page's address goes along."""
    return _leave(request, provider, AuthProcess.LOGIN)


@never_cache
@require_POST
@login_required
def social_connect(request: HttpRequest, provider: str) -> HttpResponse:
    """Go to the provider, to link one's account there to the one that is open."""
    return _leave(request, provider, AuthProcess.CONNECT) if proved_recently(request.session) else _to_proof()


@never_cache
@require_POST
@login_required
def social_remove(request: HttpRequest, provider: str) -> HttpResponse:
    """Forget the link to the account at the provider, unless it is the only way in."""
    if not proved_recently(request.session):
        return _to_proof()
    row = SocialAccount.objects.filter(user_id=request.user.pk, provider=provider).first()
    if row is None:
        raise Http404
    assert request.user.is_authenticated  # login_required
    if is_last_way_in(request.user):
        messages.error(request, LAST_WAY_IN)
        return redirect("account_security")
    row.delete()
    audit_everywhere(request.user, "user.link_remove", provider=provider)
    get_adapter(request).send_notification_mail("socialaccount/email/account_disconnected", request.user, {"account": row})
    return redirect("account_security")


def social_entry_points() -> list[tuple[str, str]]:
    """Return the providers that are set, with their names."""
    return [(name, NAMES[name]) for name in settings.SOCIAL_LOGINS]


def social_links(user_id: int) -> list[dict[str, Any]]:
    """Return the providers that are set or linked, each with the linked address. One query."""
    accounts = {row.provider: row for row in SocialAccount.objects.filter(user_id=user_id)} if settings.SOCIAL_LOGINS else {}
    return [{"id": each, "name": name, "row": accounts.get(each)} for each, name in social_entry_points()]


def _to_proof() -> HttpResponse:
    """A form can't be sent again by itself: after the proof its button waits on the page."""
    return redirect_to_login(reverse("account_security"), settings.PROOF_URL)


def _leave(request: HttpRequest, provider: str, process: str) -> HttpResponse:
    try:
        social_provider = get_adapter(request).get_provider(request, provider)
    except SocialApp.DoesNotExist as error:
        raise Http404 from error
    response = social_provider.redirect(request, process=process, next_url=get_next_redirect_url(request))
    return leave_to(request, response["Location"], social_provider.name)
