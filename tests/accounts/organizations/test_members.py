"""Members on the organization's admin site: roles, groups, deactivation, removal."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.test import Client

from accounts.members.errors import LastOwner, OwnMembership, RightsTooHigh
from accounts.members.services import (
    groups_set,
    member_activate,
    member_deactivate,
    member_leave,
    member_remove,
    member_role_set,
    ownership_transfer,
)
from security.api_tokens import api_token_create
from security.models import AuditEvent
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import NotAllowed, NotFound, ParleyError
from tenants.models import ApiToken, Membership, User
from tests.accounts.people import actor_of_member, groups_of, make_group, member_of, membership_of
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, errors, save
from tests.support.accounts.cast import Cast

LIST = f"{ACME}tenants/membership/"
Service = Callable[[Actor, UUID], object]

SERVICES: dict[str, Service] = {
    "role": lambda actor, pk: member_role_set(actor=actor, membership_id=pk, role="viewer"),
    "deactivate": lambda actor, pk: member_deactivate(actor=actor, membership_id=pk),
    "activate": lambda actor, pk: member_activate(actor=actor, membership_id=pk),
    "remove": lambda actor, pk: member_remove(actor=actor, membership_id=pk),
    "groups": lambda actor, pk: groups_set(actor=actor, membership_id=pk, group_ids=[]),
}


def member_url(user: User) -> str:
    return f"{LIST}{user.memberships.get().id}/change/"


def role_of(user: User) -> str:
    return user.memberships.get().role


def actions_logged(cast: Cast) -> list[str]:
    with tenant_tx(cast.acme.id):
        return sorted(AuditEvent.objects.values_list("action", flat=True))


@pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES.keys())
@pytest.mark.parametrize("role", ["auditor", "member", "viewer"])
def test_only_owners_and_admins_change_members(service: Service, role: str, cast: Cast) -> None:
    actor = actor_of_member(member_of(cast.acme, "Dora", role), "acme")
    with tenant_tx(cast.acme.id), pytest.raises(NotAllowed):
        service(actor, cast.bob.memberships.get().pk)


@pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES.keys())
def test_members_of_others_are_not_found(service: Service, cast: Cast) -> None:
    actor, foreign = cast.actor(cast.alice), membership_of(cast.charlie, cast.other)
    with tenant_tx(cast.acme.id), pytest.raises(NotFound):
        service(actor, foreign.pk)


@pytest.mark.parametrize("service", [service for name, service in SERVICES.items() if name != "groups"])
def test_nobody_changes_themselves(service: Service, cast: Cast) -> None:
    with tenant_tx(cast.acme.id), pytest.raises(OwnMembership):
        service(cast.actor(cast.alice), cast.alice.memberships.get().pk)


@pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES.keys())
def test_an_admin_does_nothing_to_an_owner(service: Service, cast: Cast) -> None:
    dora = actor_of_member(member_of(cast.acme, "Dora", "admin"), "acme")
    with tenant_tx(cast.acme.id), pytest.raises(RightsTooHigh):
        service(dora, cast.alice.memberships.get().pk)


def test_only_owners_make_owners(cast: Cast) -> None:
    dora = actor_of_member(member_of(cast.acme, "Dora", "admin"), "acme")
    bob = cast.bob.memberships.get().pk
    with tenant_tx(cast.acme.id), pytest.raises(RightsTooHigh):
        member_role_set(actor=dora, membership_id=bob, role="owner")
    with tenant_tx(cast.acme.id):
        member_role_set(actor=cast.actor(cast.alice), membership_id=bob, role="owner")
    assert role_of(cast.bob) == "owner"


def test_rights_are_those_of_now_and_not_of_the_beginning(cast: Cast) -> None:
    """Two admins would otherwise demote each other."""
    dora = member_of(cast.acme, "Dora", "admin")
    actor = actor_of_member(dora, "acme")
    with tenant_tx(cast.acme.id):
        member_role_set(actor=cast.actor(cast.alice), membership_id=dora.pk, role="viewer")
    with tenant_tx(cast.acme.id), pytest.raises(NotAllowed):
        member_role_set(actor=actor, membership_id=cast.bob.memberships.get().pk, role="viewer")


def test_the_last_owner_stays(cast: Cast) -> None:
    alice = cast.actor(cast.alice)
    with tenant_tx(cast.acme.id), pytest.raises(LastOwner, match="Make somebody else an owner first"):
        member_leave(actor=alice)
    with tenant_tx(cast.acme.id):
        member_role_set(actor=alice, membership_id=cast.bob.memberships.get().pk, role="owner")
        member_leave(actor=alice)
    with tenant_tx(cast.acme.id), pytest.raises(LastOwner):
        member_leave(actor=cast.actor(cast.bob))


def test_an_owner_who_cannot_sign_in_is_none(cast: Cast) -> None:
    """A deactivated person and a program keep nobody from being locked out."""
    dora = member_of(cast.acme, "Dora", "owner")
    User.objects.filter(pk=dora.user_id).update(is_active=False)
    with tenant_tx(cast.acme.id), pytest.raises(LastOwner):
        member_leave(actor=cast.actor(cast.alice))


def test_ownership_changes_hands(cast: Cast) -> None:
    with tenant_tx(cast.acme.id):
        ownership_transfer(actor=cast.actor(cast.alice), membership_id=cast.bob.memberships.get().pk)
    assert (role_of(cast.alice), role_of(cast.bob)) == ("admin", "owner")


@pytest.mark.parametrize("whom", ["self", "foreign", "deactivated"])
def test_ownership_goes_to_active_members_only(whom: str, cast: Cast) -> None:
    if whom == "deactivated":
        User.objects.filter(pk=cast.bob.pk).update(is_active=False)
    target = {"self": cast.alice, "foreign": cast.charlie, "deactivated": cast.bob}[whom]
    with tenant_tx(cast.acme.id), pytest.raises(ParleyError):
        ownership_transfer(actor=cast.actor(cast.alice), membership_id=target.memberships.get().pk)
    assert role_of(cast.alice) == "owner"


def test_an_admin_hands_nothing_over(cast: Cast) -> None:
    dora = actor_of_member(member_of(cast.acme, "Dora", "admin"), "acme")
    with tenant_tx(cast.acme.id), pytest.raises(NotAllowed):
        ownership_transfer(actor=dora, membership_id=cast.bob.memberships.get().pk)


def test_an_owner_changes_a_role_and_groups_on_the_page(alice: Client, seeded_cast: Cast) -> None:
    before = seeded_cast.bob.memberships.get()
    group = make_group(seeded_cast.acme, "Sales")
    assert save(alice, member_url(seeded_cast.bob), role="admin", groups=[str(group.pk)]).status_code == 302
    after = seeded_cast.bob.memberships.get()
    assert (after.role, after.version, groups_of(after)) == ("admin", before.version + 1, ["Sales"])
    assert save(alice, member_url(seeded_cast.bob), groups=[]).status_code == 302
    assert groups_of(after) == []
    assert actions_logged(seeded_cast)[:3] == ["membership.change", "membership.groups", "membership.groups"]


def test_nobody_changes_the_own_role_on_the_page(alice: Client, seeded_cast: Cast) -> None:
    assert alice.post(member_url(seeded_cast.alice), {"role": "member"}).status_code == 403
    assert role_of(seeded_cast.alice) == "owner"


def test_an_admin_can_neither_make_nor_unmake_an_owner_on_the_page(seeded_cast: Cast, signed_in: SignedIn) -> None:
    seeded_cast.bob.memberships.update(role=Membership.Role.ADMIN)
    bob = signed_in(seeded_cast.bob)
    assert bob.post(member_url(seeded_cast.alice), {"role": "member"}).status_code == 403
    assert "role" in errors(bob.post(member_url(seeded_cast.vera), {"role": "owner"}))
    assert save(bob, member_url(seeded_cast.vera), role="member").status_code == 302
    assert (role_of(seeded_cast.alice), role_of(seeded_cast.vera)) == ("owner", "member")


def act(client: Client, action: str, *users: User, page: str = LIST) -> str:
    ids = [str(user.memberships.get().pk) for user in users]
    return client.post(page, {"action": action, "_selected_action": ids}, follow=True).content.decode()


def test_several_members_get_a_role_at_once_and_refusals_say_why(alice: Client, seeded_cast: Cast) -> None:
    page = act(alice, "role_auditor", seeded_cast.bob, seeded_cast.vera, seeded_cast.alice)
    assert "Now Auditor: 2." in page
    assert "Nobody changes their own role or access" in page
    assert [role_of(user) for user in (seeded_cast.bob, seeded_cast.vera, seeded_cast.alice)] == ["auditor", "auditor", "owner"]


def test_an_admins_list_does_not_offer_owner(seeded_cast: Cast, signed_in: SignedIn) -> None:
    seeded_cast.bob.memberships.update(role=Membership.Role.ADMIN)
    act(signed_in(seeded_cast.bob), "role_owner", seeded_cast.vera)
    assert role_of(seeded_cast.vera) == "viewer"


def test_several_members_go_into_a_group_and_out_of_it(alice: Client, seeded_cast: Cast) -> None:
    group = make_group(seeded_cast.acme, "Sales")
    make_group(seeded_cast.acme, "IT", seeded_cast.bob.memberships.get())
    act(alice, f"group_{group.pk}_1", seeded_cast.bob, seeded_cast.vera)
    assert groups_of(seeded_cast.bob.memberships.get()) == ["IT", "Sales"]
    act(alice, f"group_{group.pk}_0", seeded_cast.bob)
    assert (groups_of(seeded_cast.bob.memberships.get()), groups_of(seeded_cast.vera.memberships.get())) == (["IT"], ["Sales"])


def test_a_group_of_another_organization_takes_nobody(alice: Client, seeded_cast: Cast) -> None:
    group = make_group(seeded_cast.other, "Theirs")
    act(alice, f"group_{group.pk}_1", seeded_cast.bob)
    assert groups_of(seeded_cast.bob.memberships.get()) == []
    assert alice.get(f"{ACME}tenants/membergroup/{group.pk}/change/").status_code == 302


def test_foreign_members_are_in_no_action(alice: Client, seeded_cast: Cast) -> None:
    for action in ("deactivate", "role_viewer"):
        act(alice, action, seeded_cast.charlie)
    charlie = seeded_cast.charlie.memberships.get()
    assert (charlie.role, charlie.is_active) == ("owner", True)


def test_a_group_is_made_with_members_and_its_name_is_unique(alice: Client, seeded_cast: Cast) -> None:
    bob = seeded_cast.bob.memberships.get()
    page = f"{ACME}tenants/membergroup/add/"
    assert save(alice, page, name="Sales", members=[str(bob.pk)]).status_code == 302
    assert groups_of(bob) == ["Sales"]
    assert "already a group" in str(errors(save(alice, page, name="sales")))
    foreign = membership_of(seeded_cast.charlie, seeded_cast.other)
    assert "members" in errors(save(alice, page, name="Mixed", members=[str(foreign.pk)]))


def test_a_deactivated_member_has_no_access_until_activated(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    bob = signed_in(seeded_cast.bob)
    with tenant_tx(seeded_cast.acme.id):
        _, text = api_token_create(actor=seeded_cast.actor(seeded_cast.bob), name="x", scopes=["read"], days=1)
    token = {"Authorization": f"Bearer {text}"}
    assert (bob.get("/o/acme/api/me/").status_code, Client().get("/api/me/", headers=token).status_code) == (200, 200)
    act(alice, "deactivate", seeded_cast.bob)
    assert (bob.get("/o/acme/api/me/").status_code, Client().get("/api/me/", headers=token).status_code) == (404, 401)
    act(alice, "activate", seeded_cast.bob)
    assert (bob.get("/o/acme/api/me/").status_code, Client().get("/api/me/", headers=token).status_code) == (200, 401)


def test_the_page_of_a_removal_says_what_is_owned_and_removes(alice: Client, seeded_cast: Cast) -> None:
    bob = seeded_cast.bob.memberships.get()
    page = f"{LIST}{bob.pk}/remove/"
    assert "owns nothing here" in alice.get(page).content.decode()
    assert alice.post(page, {"action": "remove"}).headers["Location"] == LIST
    bob.refresh_from_db()
    assert (bob.is_active, bob.removed_at is not None) == (False, True)
    assert seeded_cast.bob.email not in alice.get(LIST).content.decode()
    assert seeded_cast.bob.email in alice.get(f"{LIST}?state=removed").content.decode()
    alice.post(page, {"action": "activate"})
    bob.refresh_from_db()
    assert (bob.is_active, bob.removed_at) == (True, None)


def test_the_removal_of_a_foreign_member_is_not_found(alice: Client, seeded_cast: Cast) -> None:
    charlie = membership_of(seeded_cast.charlie, seeded_cast.other)
    assert alice.get(f"{LIST}{charlie.pk}/remove/").status_code == 404
    assert alice.post(f"{LIST}{charlie.pk}/remove/", {"action": "remove"}).status_code == 404
    assert membership_of(seeded_cast.charlie, seeded_cast.other).is_active


def test_a_service_account_acts_by_its_token_and_cannot_sign_in(alice: Client, seeded_cast: Cast) -> None:
    form = {"name": "nightly", "role": "member", "scopes": ["read"], "days": "30", "networks": "127.0.0.0/8"}
    page = alice.post(f"{LIST}service-account/", form)
    text = page.context["token"]
    assert text in page.content.decode()
    assert "no-store" in page.headers["Cache-Control"]
    assert Client().get("/api/me/", headers={"Authorization": f"Bearer {text}"}).status_code == 200
    away = Client().get("/api/me/", headers={"Authorization": f"Bearer {text}"}, REMOTE_ADDR="203.0.113.9")
    assert (away.status_code, away.json()["error"]["message"]) == (403, "This API token does not work from your network.")
    user = User.objects.get(is_service_account=True)
    assert (user.has_usable_password(), user.email.endswith(".invalid")) == (False, True)
    assert "owner" in str(errors_of(alice.post(f"{LIST}service-account/", {**form, "role": "owner"})))


def errors_of(page: object) -> dict[str, list[str]]:
    return page.context["form"].errors  # type: ignore[attr-defined,no-any-return]


def test_admins_see_and_revoke_members_tokens(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        token, text = api_token_create(actor=seeded_cast.actor(seeded_cast.bob), name="laptop", scopes=["read"], days=1)
    with tenant_tx(seeded_cast.other.id):
        foreign, _ = api_token_create(actor=seeded_cast.actor(seeded_cast.charlie), name="theirs", scopes=["read"], days=1)
    page = alice.get(f"{ACME}tenants/apitoken/").content.decode()
    assert ("laptop" in page, text in page, "theirs" in page) == (True, False, False)
    alice.post(f"{ACME}tenants/apitoken/", {"action": "revoke", "_selected_action": [str(token.pk), str(foreign.pk)]})
    assert Client().get("/api/me/", headers={"Authorization": f"Bearer {text}"}).status_code == 401
    with tenant_tx(seeded_cast.other.id):
        assert ApiToken.objects.get(pk=foreign.pk).revoked_at is None
