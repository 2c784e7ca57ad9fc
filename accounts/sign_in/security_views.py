"""The pages of one's own account: password, factors, addresses and devices."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from allauth.account.utils import get_next_redirect_url
from allauth.account.views import EmailView, ReauthenticateView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.sessions.session_list import session_end, sessions_end_others, sessions_of
from accounts.sign_in.addresses import address_ensure
from accounts.sign_in.factor_removal import why_factor_stays
from accounts.sign_in.factors import factors_of, passkeys_work
from accounts.social.linked_accounts import sign_on_link_forget, sign_on_links
from accounts.social.views import social_links
from accounts.sso.entry_points import entry_point_of_address
from accounts.sso.views import PROVIDER_SESSION
from tenants.authentication.session_proof import has_second_factor, proved_recently
from tenants.authentication.sessions import session_hash, sessions_use_note
from tenants.errors import BadRequest, NotFound

NEXT_URL_KEY = "accounts.wanted_page"  # in the session


@login_required
@never_cache
def security(request: HttpRequest) -> HttpResponse:
    """Show how the person signs in: password and factors. `next` is the page that asked for a second factor and waits for one."""
    assert request.user.is_authenticated  # login_required
    factors = factors_of(request.user.pk)
    next_url = get_next_redirect_url(request) or request.session.get(NEXT_URL_KEY)
    if next_url and next_url != request.session.get(NEXT_URL_KEY):
        request.session[NEXT_URL_KEY] = next_url
    is_proved = has_second_factor(request.session)
    if is_proved:
        request.session.pop(NEXT_URL_KEY, None)
    if next_url and is_proved and "next" in request.GET:
        return redirect(next_url)
    context = {
        "wanted": next_url,
        "is_proved": is_proved,
        "authenticator_app": factors.authenticator_app,
        "passkeys": factors.passkeys,
        "has_factor": bool(factors.authenticator_app or factors.passkeys),
        "stays": why_factor_stays(request.user),
        "codes_left": factors.codes_left,
        "passkeys_work": passkeys_work(request),
        "social_links": social_links(request.user.pk),
        "sign_on_links": sign_on_links(request.user),
    }
    return render(request, "account/security.html", context)


@never_cache
@require_POST
@login_required
def sign_on_forget(request: HttpRequest, organization_id: UUID) -> HttpResponse:
    """Forget who the person is at an organization's sign-on."""
    assert request.user.is_authenticated  # login_required
    if not proved_recently(request.session):
        return redirect_to_login(reverse("account_security"), settings.PROOF_URL)
    try:
        sign_on_link_forget(user=request.user, organization_id=organization_id)
    except NotFound as error:
        raise Http404 from error
    except BadRequest as error:
        messages.error(request, error.message)
    return redirect("account_security")


@login_required
@never_cache
def sessions(request: HttpRequest) -> HttpResponse:
    """Show where the person is signed in; POST ends one session, or all others."""
    assert request.user.is_authenticated  # login_required
    current = request.session.session_key
    sessions_use_note([session_hash(current)])
    if request.method == "POST":
        if request.POST.get("action") == "others":
            sessions_end_others(user_id=request.user.pk, session_key=current)
        else:
            session_end(user_id=request.user.pk, session_id=request.POST.get("session", ""))
        return redirect("account_sessions")
    return render(request, "account/sessions.html", {"sessions": sessions_of(user_id=request.user.pk, current=current)})


class ProofView(ReauthenticateView):  # type: ignore[misc]  # the library has no types
    """Asks for a proof before a dangerous act: whoever has neither password nor factor gives it where they came in."""

    def _check_reauthentication_method_available(self, request: HttpRequest) -> HttpResponse | None:
        try:
            answer: HttpResponse | None = super()._check_reauthentication_method_available(request)
            return answer
        except PermissionDenied:
            next_url = get_next_redirect_url(request) or reverse("account_security")
            provider_session = request.session.get(PROVIDER_SESSION) or {}
            if organization_id := provider_session.get("organization"):
                return redirect(f"{reverse('sign_on_start', args=[organization_id])}?{urlencode({'next': next_url})}")
            assert request.user.is_authenticated  # the library's view asks for it
            links = [link for link in social_links(request.user.pk) if link["row"]]
            return render(request, "account/proof_elsewhere.html", {"links": links, "next_url": next_url})


proof = never_cache(login_required(ProofView.as_view()))


class AddressesView(EmailView):  # type: ignore[misc]  # the library has no types
    """The person's addresses."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            address_ensure(request.user)
            entry_point = entry_point_of_address(request.user.email) if {"action_primary", "action_remove"} & {*request.POST} else None
            # With another address the password would open the organization again.
            if entry_point is not None and entry_point.sign_on.is_required:
                messages.error(
                    request,
                    gettext("%(organization)s asks for its own sign-on, so this stays your primary address.")
                    % {"organization": entry_point.organization.name},
                )
                return redirect("account_email")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response


addresses = AddressesView.as_view()
