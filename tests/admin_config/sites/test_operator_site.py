"""The platform operator's site at /operator/."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from admin_config.services.selectors import live_release
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import header_trail, save
from tests.support.accounts.cast import Cast

SITE = "/operator/"


@pytest.mark.parametrize("page", ["", "tenants/organization/", "tenants/user/", "tenants/membership/", "tenants/membership/add/"])
def test_only_superusers_find_anything(operator: Client, cast: Cast, signed_in: SignedIn, page: str) -> None:
    assert operator.get(SITE + page).status_code == 200
    assert signed_in(cast.alice).get(SITE + page).status_code == 404
    assert Client().get(SITE + page).headers["Location"] == f"/login/?next={SITE}{page}"


def test_each_page_of_the_sidebar_has_one_name(operator: Client) -> None:
    groups = operator.get(SITE).context["sidebar_navigation"]
    for item in (item for group in groups for item in group["items"]):
        page = operator.get(item["link"], follow=True).content.decode()
        [window] = re.findall(r"<title>\s*([^|<]+?) \|", page)
        assert (header_trail(page)[0][0], window) == (item["title"], item["title"])


@pytest.mark.parametrize("lookup", ["sessions__session_key__startswith", "sessions__session_data__contains", "password__startswith"])
def test_no_list_of_users_tells_what_opens_a_session(operator: Client, lookup: str) -> None:
    assert operator.get(f"{SITE}tenants/user/", {lookup: "x"}).status_code in {302, 400}


def test_the_list_of_users_says_who_is_an_operator(operator: Client, cast: Cast) -> None:
    users = operator.get(f"{SITE}tenants/user/").context["cl"].result_list
    page = operator.get(f"{SITE}tenants/user/").content.decode()
    assert len(re.findall(r"field-is_operator[^>]*>\s*Yes\s*<", page)) == len([user for user in users if user.is_superuser])
    assert "close_small" not in page, "not being one is no error"


def test_a_new_organization_can_chat_at_once(operator: Client) -> None:
    response = save(operator, f"{SITE}tenants/organization/add/", name="New Ltd", slug="new", is_active="on")
    assert response.headers["Location"] == f"{SITE}tenants/organization/"
    organization = Organization.objects.get(slug="new")
    with tenant_tx(organization.id):
        assert live_release(organization_id=organization.id).number == 1


def test_changes_are_in_the_organizations_audit_log(operator: Client, cast: Cast) -> None:
    membership = cast.bob.memberships.get()
    assert save(operator, f"{SITE}tenants/membership/{membership.id}/change/", role="viewer").status_code == 302
    with tenant_tx(cast.acme.id):
        assert AuditEvent.objects.get(action="membership.operator.change").object_id == str(membership.id)


def test_a_user_is_made_with_a_password_that_is_never_shown(operator: Client) -> None:
    added = {"email": "New@Example.org", "name": "New", "new_password": "a long enough phrase", "is_active": "on"}
    assert save(operator, f"{SITE}tenants/user/add/", **added).status_code == 302
    user = User.objects.get(email="new@example.org")
    assert user.check_password("a long enough phrase")
    page = operator.get(f"{SITE}tenants/user/{user.pk}/change/").content.decode()
    assert user.password not in page
    save(operator, f"{SITE}tenants/user/{user.pk}/change/", name="Newer")
    user.refresh_from_db()
    assert (user.name, user.check_password("a long enough phrase")) == ("Newer", True)


def test_a_weak_password_is_refused(operator: Client) -> None:
    response = save(operator, f"{SITE}tenants/user/add/", email="new@example.org", new_password="short", is_active="on")
    assert response.status_code == 200
    assert not User.objects.filter(email="new@example.org").exists()


def test_a_membership_is_added(operator: Client, cast: Cast) -> None:
    added = {"user": str(cast.charlie.pk), "organization": str(cast.acme.id), "role": "viewer"}
    assert operator.post(f"{SITE}tenants/membership/add/", added).status_code == 302
    assert Membership.objects.filter(user=cast.charlie, organization=cast.acme, role="viewer").exists()


def test_a_membership_is_neither_deleted_nor_moved(operator: Client, cast: Cast) -> None:
    membership = cast.bob.memberships.get()
    page = f"{SITE}tenants/membership/{membership.id}/"
    assert operator.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    form = {"user": str(cast.charlie.pk), "organization": str(cast.other.id), "role": "viewer"}
    assert operator.post(f"{page}change/", form).status_code == 302
    membership.refresh_from_db()
    assert (membership.user, membership.organization, membership.role) == (cast.bob, cast.acme, "viewer")
