"""Pages that change members and organizations, on connections like production's: a role waits for no lock of the other, and sees its rows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.members.errors import RightsTooHigh
from accounts.members.purging import removed_members_purge
from accounts.members.sign_on import sign_on_join, sign_on_role_set
from accounts.models import OutgoingMail
from accounts.sso.domains import domain_prove_by_operator
from artifacts.models import Artifact
from chat.models import Conversation
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.models import ApiToken, Membership, Organization, User
from tests.accounts.organizations.organizations import LOOKS, PAGE, acme, own_things, png
from tests.accounts.organizations.test_invitations import invited, link
from tests.accounts.people import groups_of, make_group, member_of, membership_of
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, save
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.mailbox import code_in, newest_mail

pytestmark = pytest.mark.django_db(transaction=True)

MEMBERS = f"{ACME}tenants/membership/"


def page_of(user: User, cast: Cast, page: str = "change") -> str:
    return f"{MEMBERS}{membership_of(user, cast.acme).pk}/{page}/"


def test_an_owner_changes_roles_and_groups(alice: Client, seeded_cast: Cast) -> None:
    group = make_group(seeded_cast.acme, "Sales")
    assert save(alice, page_of(seeded_cast.bob, seeded_cast), role="admin", groups=[str(group.pk)]).status_code == 302
    assert membership_of(seeded_cast.bob, seeded_cast.acme).role == "admin"
    assert groups_of(membership_of(seeded_cast.bob, seeded_cast.acme)) == ["Sales"]
    form = {"name": "Board", "description": "", "members": [str(membership_of(seeded_cast.vera, seeded_cast.acme).pk)]}
    assert alice.post(f"{ACME}tenants/membergroup/add/", form).status_code == 302
    assert groups_of(membership_of(seeded_cast.vera, seeded_cast.acme)) == ["Board"]


def test_a_removal_hands_over_revokes_and_clears(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    conversation, dora = own_things(seeded_cast, seeded_cast.bob), member_of(seeded_cast.acme, "Dora", "member")
    bob = signed_in(seeded_cast.bob)
    assert bob.post("/o/acme/api/tokens/", {"name": "x", "scopes": ["read"], "days": 1}, content_type="application/json").status_code == 201
    form = {"action": "remove", "conversations": f"to:{dora.pk}"}
    assert alice.post(page_of(seeded_cast.bob, seeded_cast, "remove"), form).status_code == 302
    member = membership_of(seeded_cast.bob, seeded_cast.acme)
    with tenant_tx(seeded_cast.acme.pk):
        assert {Conversation.objects.get(pk=conversation.pk).owner_id, Artifact.objects.get().owner_id} == {dora.pk}
        assert not ApiToken.objects.filter(revoked_at=None).exists()
    assert bob.get("/o/acme/api/me/").status_code == 404
    Membership.objects.filter(pk=member.pk).update(removed_at=timezone.now() - timedelta(days=31))
    assert (removed_members_purge(), removed_members_purge()) == (1, 0)
    assert alice.post(page_of(seeded_cast.bob, seeded_cast, "remove"), {"action": "activate"}).status_code == 302
    assert bob.get("/o/acme/api/me/").status_code == 200


def test_people_join_by_mail_and_by_link_as_far_as_their_inviter_may(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    group = make_group(seeded_cast.acme, "Sales")
    [by_mail] = invited(alice, "nina@example.org", role="auditor", groups=[str(group.pk)])
    [late] = invited(alice, "paul@example.org", role="admin")
    by_link = link(alice)
    nina, otto, paul = (User.objects.create_user(f"{name}@example.org", PASSWORD, name=name) for name in ("nina", "otto", "paul"))
    assert signed_in(nina).post(by_mail).headers["Location"] == "/o/acme/"
    assert signed_in(otto).post(by_link).headers["Location"] == "/o/acme/"
    assert (membership_of(nina, seeded_cast.acme).role, groups_of(membership_of(nina, seeded_cast.acme))) == ("auditor", ["Sales"])
    assert membership_of(otto, seeded_cast.acme).role == "member"
    Membership.objects.filter(user=seeded_cast.alice).update(role="member")
    assert signed_in(paul).post(late).status_code == 403
    assert not Membership.objects.filter(user=paul).exists()


def test_a_service_account_is_made_whole(alice: Client, seeded_cast: Cast) -> None:
    group = make_group(seeded_cast.acme, "Sales")
    form = {"name": "nightly", "role": "member", "scopes": ["read"], "days": "30", "groups": [str(group.pk)]}
    text = alice.post(f"{MEMBERS}service-account/", form).context["token"]
    for _ in range(2):
        assert Client().get("/api/me/", headers={"Authorization": f"Bearer {text}"}).status_code == 200
    assert groups_of(Membership.objects.get(user__is_service_account=True)) == ["Sales"]
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(policy={"token_max_days": 7})
    assert "token" not in alice.post(f"{MEMBERS}service-account/", {**form, "name": "weekly"}).context
    assert User.objects.filter(is_service_account=True).count() == 1


def test_an_organization_moves_gets_a_logo_a_policy_and_another_owner(alice: Client, seeded_cast: Cast) -> None:
    looks = {**LOOKS, "name": "Acme Ltd", "slug": "acme-ltd", "logo": SimpleUploadedFile("l.png", png(), "image/png")}
    assert alice.post(PAGE, looks).status_code == 302
    new_page = PAGE.replace("acme", "acme-ltd")
    assert alice.get(PAGE).headers["Location"] == new_page
    assert alice.get("/o/acme-ltd/api/organization/logo/").status_code == 200
    form = {"part": "policy", "email_domains": "", "invitation_days": "3", "removed_days": "5", "token_max_days": ""}
    assert alice.post(new_page, form).status_code == 302
    audit_page = "/o/acme-ltd/admin/security/auditevent/settings/"
    assert alice.post(audit_page, {"days": "90", "addresses": "full"}).status_code == 302
    assert {**acme(seeded_cast).policy, "audit_days": 90, "invitation_days": 3} == acme(seeded_cast).policy
    alice.post(new_page, {"part": "delete", "typed_name": "Acme Ltd"})
    assert OutgoingMail.objects.get().recipient == "alice@example.org"
    alice.post(new_page, {"part": "keep"})
    bob = membership_of(seeded_cast.bob, seeded_cast.acme)
    assert alice.post(new_page, {"part": "transfer", "member": str(bob.pk)}).status_code == 302
    roles = (membership_of(person, seeded_cast.acme).role for person in (seeded_cast.alice, seeded_cast.bob))
    assert (*roles, acme(seeded_cast).deletion_due_at) == ("admin", "owner", None)
    with tenant_tx(seeded_cast.acme.pk):
        logged = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"organization.change", "organization.logo", "organization.policy", "audit.policy", "membership.change"} <= logged


def test_people_join_by_signing_up_with_an_address_of_a_proven_domain(alice: Client, seeded_cast: Cast, settings: Settings) -> None:
    settings.SIGN_UP = "domain"
    domain_prove_by_operator(organization_id=seeded_cast.acme.pk, domain="acme.example", by_user_id=None)
    form = {"part": "policy", "invitation_days": "7", "removed_days": "30", "sign_up_domains": ["acme.example"]}
    assert alice.post(PAGE, form).status_code == 302
    browser, email = Client(), "dana@acme.example"
    browser.post("/accounts/sign-up/", {"name": "Dana", "email": email, "password1": "seven green umbrellas"})
    browser.post("/accounts/verify/", {"code": code_in(newest_mail(email))})
    dana = Membership.objects.get(user__email=email)
    assert (dana.organization, dana.role) == (seeded_cast.acme, "member")


def test_people_make_organizations(seeded_cast: Cast, signed_in: SignedIn, settings: Settings) -> None:
    settings.USERS_MAKE_ORGANIZATIONS = True
    bob = signed_in(seeded_cast.bob)
    organization = bob.post("/o/acme/api/organizations/", {"name": "Bob Ltd"}, content_type="application/json").json()
    assert bob.get(f"/o/{organization['slug']}/admin/").status_code == 200
    assert bob.get("/o/acme/api/organizations/unread/").json() == {"slugs": []}


def test_the_operator_makes_organizations_moves_them_and_invites_owners(seeded_cast: Cast, signed_in: SignedIn) -> None:
    rita = User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita")
    operator = signed_in(rita)
    form = {"name": "New Ltd", "slug": "new", "is_active": "on", "owner_email": "nina@example.org"}
    assert operator.post("/operator/tenants/organization/add/", form).status_code == 302
    other = {"name": "Other Ltd", "slug": "elsewhere", "is_active": "on", "owner_email": "nina@example.org"}
    assert operator.post(f"/operator/tenants/organization/{seeded_cast.other.pk}/change/", other).status_code == 302
    nina = User.objects.create_user("nina@example.org", PASSWORD)
    browser = signed_in(nina)
    for mail in OutgoingMail.objects.all():
        assert browser.post("/invitation/" + mail.text.split("/invitation/")[1].split("/")[0] + "/").status_code == 302
    assert {*Membership.objects.filter(user=nina).values_list("organization__slug", "role")} == {("new", "owner"), ("elsewhere", "owner")}
    assert browser.get("/o/new/admin/").status_code == browser.get("/o/other/admin/", follow=True).status_code == 200


def test_an_invitation_of_somebody_who_is_no_operator_any_more_makes_no_owner(seeded_cast: Cast, signed_in: SignedIn) -> None:
    rita = User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita")
    other = {"name": "Other Ltd", "slug": "other", "is_active": "on", "owner_email": "nina@example.org"}
    signed_in(rita).post(f"/operator/tenants/organization/{seeded_cast.other.pk}/change/", other)
    User.objects.filter(pk=rita.pk).update(is_superuser=False)
    nina = User.objects.create_user("nina@example.org", PASSWORD)
    answer = signed_in(nina).post("/invitation/" + OutgoingMail.objects.get().text.split("/invitation/")[1].split("/")[0] + "/")
    assert (answer.status_code, "does not work any more" in answer.content.decode()) == (403, True)
    assert not Membership.objects.filter(user=nina).exists()


def test_a_sign_on_lets_people_in_and_gives_roles_but_never_an_owners(seeded_cast: Cast, signed_in: SignedIn) -> None:
    acme, bob = seeded_cast.acme.pk, membership_of(seeded_cast.bob, seeded_cast.acme)
    sign_on_role_set(organization_id=acme, membership_id=bob.pk, role="admin")
    new_membership = sign_on_join(organization_id=acme, user=seeded_cast.charlie, role="auditor")
    sign_on_role_set(organization_id=acme, membership_id=membership_of(seeded_cast.alice, seeded_cast.acme).pk, role="viewer")
    roles = {*Membership.objects.filter(organization=acme).values_list("user__name", "role")}
    assert {("Alice", "owner"), ("Bob", "admin"), ("Charlie", "auditor")} <= roles
    assert signed_in(seeded_cast.bob).get(f"{ACME}tenants/membership/").status_code == 200
    with tenant_tx(acme):
        events = AuditEvent.objects.filter(detail__by="sign_on").values_list("actor_kind", "action", "object_id", "before", "after")
        assert {(kind, action, pk, *before.values(), *after.values()) for kind, action, pk, before, after in events} == {
            ("system", "membership.change", str(bob.pk), "member", "admin"),
            ("system", "membership.create", str(new_membership.pk), "auditor"),
        }


@pytest.mark.parametrize("role", ["owner", "superuser", ""])
def test_a_sign_on_gives_no_role_of_owners_and_none_that_does_not_exist(role: str, seeded_cast: Cast) -> None:
    bob = membership_of(seeded_cast.bob, seeded_cast.acme)
    with pytest.raises(RightsTooHigh):
        sign_on_role_set(organization_id=seeded_cast.acme.pk, membership_id=bob.pk, role=role)
    with pytest.raises(RightsTooHigh):
        sign_on_join(organization_id=seeded_cast.acme.pk, user=seeded_cast.charlie, role=role)


def test_a_sign_on_reaches_neither_another_organization_nor_an_access_that_ended(seeded_cast: Cast) -> None:
    bob, charlie = membership_of(seeded_cast.bob, seeded_cast.acme), membership_of(seeded_cast.charlie, seeded_cast.other)
    with pytest.raises(NotFound):
        sign_on_role_set(organization_id=seeded_cast.acme.pk, membership_id=charlie.pk, role="viewer")
    Membership.objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(NotFound):
        sign_on_role_set(organization_id=seeded_cast.acme.pk, membership_id=bob.pk, role="admin")
