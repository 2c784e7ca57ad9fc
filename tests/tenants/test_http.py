"""The decorator of every view under /o/<slug>/, sync and async, for browsers and programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import path
from pytest_django import Settings

from tenants.errors import Conflict, NoTenantContext
from tenants.rest.http import OrganizationRequest, organization_view
from tests.support.accounts.cast import Cast

PROGRAM = {"Accept": "application/json"}
BROWSER = {"Accept": "text/html"}


@organization_view()
def sync_read(request: OrganizationRequest) -> HttpResponse:
    return HttpResponse(request.actor.role)


@organization_view()
async def async_read(request: OrganizationRequest) -> HttpResponse:
    return HttpResponse(request.actor.role)


@organization_view(write=True)
def sync_write(request: OrganizationRequest) -> HttpResponse:
    return HttpResponse(request.actor.role)


@organization_view(admin=True)
async def async_admin(request: OrganizationRequest) -> HttpResponse:
    return HttpResponse(request.actor.role)


@organization_view()
def conflict(request: OrganizationRequest) -> HttpResponse:
    raise Conflict(action="retry")


@organization_view()
def internal_error(request: OrganizationRequest) -> HttpResponse:
    raise NoTenantContext


VIEWS: list[Callable[..., Any]] = [sync_read, async_read, sync_write, async_admin, conflict, internal_error]
urlpatterns = [path(f"o/<slug:slug>/{view.__name__}/", view) for view in VIEWS]
urlpatterns.append(path("login/", sync_read, name="login"))


@pytest.fixture(autouse=True)
def _urls(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.mark.parametrize(
    ("view", "members"),
    [
        ("sync_read", {"alice", "bob", "vera"}),
        ("async_read", {"alice", "bob", "vera"}),
        ("sync_write", {"alice", "bob"}),
        ("async_admin", {"alice"}),
    ],
)
@pytest.mark.parametrize("user", ["alice", "bob", "vera", "charlie"])
def test_only_members_open_an_organizations_views(view: str, members: set[str], user: str, client: Client, cast: Cast) -> None:
    client.force_login(getattr(cast, user))
    response = client.get(f"/o/acme/{view}/", headers=PROGRAM)
    expected = 200 if user in members else 404 if user == "charlie" else 403
    assert response.status_code == expected
    if expected != 200:
        assert set(response.json()["error"]) == {"code", "message"}


@pytest.mark.parametrize("view", ["sync_read", "async_read"])
def test_foreign_and_missing_answer_alike(view: str, client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    foreign, missing = (client.get(f"/o/{slug}/{view}/", headers=PROGRAM) for slug in ("other", "missing"))
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


@pytest.mark.parametrize("view", ["sync_read", "async_read"])
def test_strangers_are_sent_to_the_login_page_and_programs_refused(view: str, client: Client, db: None) -> None:
    assert client.get(f"/o/acme/{view}/", headers=BROWSER).headers["Location"] == f"/login/?next=/o/acme/{view}/"
    refusal = client.get(f"/o/acme/{view}/", headers=PROGRAM)
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (401, "not_signed_in")
    assert client.post(f"/o/acme/{view}/", headers=BROWSER).status_code == 401


def test_an_error_is_a_page_for_browsers(client: Client, cast: Cast) -> None:
    client.force_login(cast.vera)
    forbidden = client.get("/o/acme/sync_write/", headers=BROWSER)
    assert (forbidden.status_code, "Not allowed" in forbidden.content.decode()) == (403, True)
    missing = client.get("/o/other/sync_read/", headers=BROWSER)
    assert (missing.status_code, "Page not found" in missing.content.decode()) == (404, True)


def test_an_error_carries_its_action(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    response = client.get("/o/acme/conflict/", headers=PROGRAM)
    assert response.status_code == 409
    assert response.json() == {"error": {"code": "conflict", "message": Conflict.message, "action": "retry"}}


def test_a_defect_of_ours_is_a_500_without_details(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    client.raise_request_exception = False
    response = client.get("/o/acme/internal_error/", headers=BROWSER)
    assert response.status_code == 500
    assert "tenant" not in response.content.decode().lower()
