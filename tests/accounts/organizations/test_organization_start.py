"""How organizations begin and members leave: people make their own, and the operator invites a first owner."""

from __future__ import annotations

from pytest_django import Settings

from accounts.models import OutgoingMail
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User
from tests.admin_config.conftest import SignedIn
from tests.support.accounts.cast import PASSWORD, Cast


def test_people_make_organizations_where_the_operator_allows_it(seeded_cast: Cast, signed_in: SignedIn, settings: Settings) -> None:
    bob = signed_in(seeded_cast.bob)
    path = "/o/acme/api/organizations/"
    assert bob.post(path, {"name": "Bob's"}, content_type="application/json").status_code == 403
    settings.USERS_MAKE_ORGANIZATIONS = True
    organizations = [bob.post(path, {"name": " Acme  "}, content_type="application/json").json() for _ in range(2)]
    assert organizations == [{"slug": "acme-2", "name": "Acme"}, {"slug": "acme-3", "name": "Acme"}]
    organization = Organization.objects.get(slug="acme-2")
    assert Membership.objects.get(organization=organization).role == "owner"
    with tenant_tx(organization.pk):
        assert live_release(organization_id=organization.pk).number == 1


def test_a_member_leaves(seeded_cast: Cast, signed_in: SignedIn) -> None:
    bob, alice = signed_in(seeded_cast.bob), signed_in(seeded_cast.alice)
    response = alice.delete("/o/acme/api/membership/")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "last_owner")
    assert bob.delete("/o/acme/api/membership/").status_code == 204
    assert bob.get("/o/acme/api/me/").status_code == 404


def test_the_operator_invites_the_first_owner(cast: Cast, signed_in: SignedIn) -> None:
    operator = signed_in(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    form = {"name": "New Ltd", "slug": "new", "is_active": "on", "owner_email": "Nina@example.org"}
    assert operator.post("/operator/tenants/organization/add/", form).status_code == 302
    path = OutgoingMail.objects.get(recipient="nina@example.org").text.split("/invitation/")[1].split("/")[0]
    nina = signed_in(User.objects.create_user("nina@example.org", PASSWORD))
    assert nina.post(f"/invitation/{path}/").headers["Location"] == "/o/new/"
    assert Membership.objects.get(organization__slug="new").role == "owner"


def test_an_operator_keeps_their_own_rights(cast: Cast, signed_in: SignedIn) -> None:
    rita = User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita")
    page = f"/operator/tenants/user/{rita.pk}/change/"
    answer = signed_in(rita).post(page, {"email": rita.email, "name": "Rita", "is_active": "on"})
    assert "You can&#x27;t take this from yourself." in answer.content.decode()
    rita.refresh_from_db()
    assert (rita.is_superuser, rita.is_active) == (True, True)


def test_a_blank_password_means_another_thing_for_a_new_user(cast: Cast, signed_in: SignedIn) -> None:
    rita = signed_in(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    add_hint, change_hint = "Blank: the user can't sign in with a password.", "Blank: the password stays as it is."
    for page, hint in (
        ("add", add_hint),
        (f"{cast.bob.pk}/change", change_hint),
    ):  # in this order: what one says must not stay for the other
        html = rita.get(f"/operator/tenants/user/{page}/").content.decode()
        assert [text in html for text in (add_hint, change_hint)] == [hint == add_hint, hint == change_hint]


def test_the_switch_operator_opens_the_operators_site(cast: Cast, signed_in: SignedIn) -> None:
    rita = signed_in(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    rita.post(f"/operator/tenants/user/{cast.bob.pk}/change/", {"email": cast.bob.email, "is_active": "on", "is_superuser": "on"})
    assert signed_in(User.objects.get(pk=cast.bob.pk)).get("/operator/").status_code == 200
