"""Removing a second factor: the last one stays for those who need one, until there is another."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.views import deactivate_totp
from allauth.mfa.webauthn.views import RemoveWebAuthnView
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext

from tenants.authentication.session_proof import SecondFactorRule
from tenants.models import Membership, User

View = Callable[..., HttpResponseBase]


def why_factor_stays(user: Any) -> str:
    """Return why this person's only second factor can't be removed; '' if it can, or if there are others. At most three queries."""
    factors = Authenticator.objects.filter(user_id=user.pk).exclude(type=Authenticator.Type.RECOVERY_CODES)
    if factors.count() != 1:
        return ""
    if user.is_superuser and settings.OPERATOR_SECOND_FACTOR:
        return gettext("The operator's site needs it. Add another one first.")
    name = _organization_that_asks(user.pk)
    return gettext("%(name)s asks for a second factor, and this is your only one. Add another one first.") % {"name": name} if name else ""


def _organization_that_asks(user_id: int) -> str:
    rows = (
        Membership.objects.using("auth")
        .filter(user_id=user_id, is_active=True, organization__is_active=True)
        .order_by("organization__name")
    )
    for role, joined_at, name, policy in rows.values_list(
        "role", "created_at", "organization__name", "organization__policy__second_factor"
    ):
        rule = SecondFactorRule.from_policy(policy)
        if rule is not None and rule.deadline(role=role, joined_at=joined_at) is not None:
            return str(name)
    return ""


def keeps_required_factor(view: View) -> View:
    """Wrap a view that removes a factor: the last one that is needed stays, and the page of factors says why."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return view(request, *args, **kwargs)
        with transaction.atomic(using="auth"):
            user = User.objects.select_for_update(no_key=True).get(pk=request.user.pk)  # two removals at once would each see the other's
            if reason := why_factor_stays(user):
                return _refusal(request, reason)
            return view(request, *args, **kwargs)

    return guarded


def _refusal(request: HttpRequest, reason: str) -> HttpResponse:
    messages.error(request, reason)
    return redirect("account_security")


remove_app = keeps_required_factor(deactivate_totp)
remove_passkey = keeps_required_factor(RemoveWebAuthnView.as_view())
