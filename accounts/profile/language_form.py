"""The choice of a language in the menu of the admin's pages: a plain form, which leads back to where it was sent from."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from accounts.profile.services import profile_change


@require_POST
@login_required
def language_choose(request: HttpRequest) -> HttpResponse:
    """Change the language of the profile. `next`: a path of this site, else the home page."""
    assert request.user.pk is not None
    with transaction.atomic(using="auth"):
        profile_change(user_id=request.user.pk, language=request.POST.get("language", ""))
    back = request.POST.get("next", "")
    is_own = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return redirect(back if is_own else "/")
