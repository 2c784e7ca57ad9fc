"""The view of `/`, which belongs to no organization."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.invitations.session import invitation_page_of_session
from tenants.members import organizations_of_user, suspended_of_user


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Redirect to the invitation that brought the user here, else to their first organization by name.

    Who has none names one, where the operator allows it; else the page says that there is none.
    """
    assert request.user.is_authenticated  # login_required
    if invitation := invitation_page_of_session(request):
        return redirect(invitation)
    organization = organizations_of_user(user_id=request.user.pk).first()
    if organization is None and (suspended_organization := suspended_of_user(user_id=request.user.pk).first()) is not None:
        return redirect(f"/o/{suspended_organization.slug}/")  # whose page says so
    if organization is None and settings.USERS_MAKE_ORGANIZATIONS:
        return redirect("own_organization")
    if organization is None:
        return render(request, "registration/no_organization.html")
    return redirect(f"/o/{organization.slug}/")
