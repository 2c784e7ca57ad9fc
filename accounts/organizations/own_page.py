"""The page at `/organizations/new/`: whoever is in no organization names one of their own, where the operator allows it."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.organizations.services import organization_create_own
from tenants.errors import BadRequest, NotAllowed
from tenants.models import User


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own_organization(request: HttpRequest) -> HttpResponse:
    """Ask for a name; a POST makes the organization and opens it."""
    assert request.user.is_authenticated  # login_required
    if not settings.USERS_MAKE_ORGANIZATIONS:
        return redirect("home")
    if request.method != "POST":
        return _page(request)
    name = request.POST.get("name", "")
    try:
        organization = organization_create_own(user=User.objects.get(pk=request.user.pk), name=name)
    except (BadRequest, NotAllowed) as error:
        return _page(request, name=name, problem=str(error))
    return redirect(f"/o/{organization.slug}/")


def _page(request: HttpRequest, *, name: str = "", problem: str = "") -> HttpResponse:
    return render(request, "accounts/own_organization.html", {"name": name, "problem": problem})
