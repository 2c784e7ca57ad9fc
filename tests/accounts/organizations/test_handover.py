"""What a removed member owns: it goes to a named member, or is deleted after the policy's days."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from accounts.members.ownership import Handover
from accounts.members.purging import removed_members_purge
from accounts.members.services import member_remove
from artifacts.models import Artifact
from chat.models import Conversation, Project
from files.knowledge.models import KnowledgeFile
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.accounts.organizations.organizations import own_things
from tests.accounts.people import member_of
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast
from tests.support.stores.failing_rows import first_row_refused


def test_what_a_removed_member_owns_goes_to_a_named_member(seeded_cast: Cast) -> None:
    conversation, dora = own_things(seeded_cast, seeded_cast.bob), member_of(seeded_cast.acme, "Dora", "member")
    bob, alice = seeded_cast.bob.memberships.get(), seeded_cast.actor(seeded_cast.alice)
    with tenant_tx(seeded_cast.acme.pk):
        member_remove(actor=alice, membership_id=bob.pk, handovers=[Handover("conversations", "hand_over", dora.pk)])
        assert {Conversation.objects.get(pk=conversation.pk).owner_id, Artifact.objects.get().owner_id, Project.objects.get().owner_id} == {
            dora.pk
        }


@pytest.mark.parametrize("to", ["foreign", "nobody", "missing", "self"])
def test_nobody_else_gets_it(to: str, alice: Client, seeded_cast: Cast) -> None:
    own_things(seeded_cast, seeded_cast.bob)
    bob = seeded_cast.bob.memberships.get()
    receiver = {"foreign": seeded_cast.charlie.memberships.get().pk, "nobody": "", "missing": uuid4(), "self": bob.pk}[to]
    page = alice.post(f"{ACME}tenants/membership/{bob.pk}/remove/", {"action": "remove", "conversations": f"to:{receiver}"})
    assert (page.status_code, seeded_cast.bob.memberships.get().is_active) == (200, True)


def test_what_is_not_handed_over_is_deleted_after_the_policys_days(alice: Client, seeded_cast: Cast) -> None:
    conversation, bob = own_things(seeded_cast, seeded_cast.bob), seeded_cast.bob.memberships.get()
    page = f"{ACME}tenants/membership/{bob.pk}/remove/"
    assert "1 conversation, with its documents and files" in alice.get(page).content.decode()
    alice.post(page, {"action": "remove", "conversations": "delete"})
    assert removed_members_purge() == 0
    Membership.objects.filter(pk=bob.pk).update(removed_at=timezone.now() - timedelta(days=31))
    assert (removed_members_purge(), removed_members_purge()) == (1, 0)
    with tenant_tx(seeded_cast.acme.pk):
        assert Conversation.objects.get(pk=conversation.pk).deleted_at is not None
        assert Artifact.objects.get().deleted_at is not None
        assert (Project.objects.count(), KnowledgeFile.objects.count()) == (0, 0)


@pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])
def test_an_organization_whose_removed_members_can_not_be_cleared_holds_up_no_other(seeded_cast: Cast) -> None:
    for user in (seeded_cast.bob, seeded_cast.charlie):
        Membership.objects.filter(user=user).update(is_active=False, removed_at=timezone.now() - timedelta(days=31))
    with first_row_refused(AuditEvent, "57014"):
        assert removed_members_purge() == 1
    assert (removed_members_purge(), removed_members_purge()) == (1, 0)


def test_what_is_archived_outlives_the_policys_days(alice: Client, seeded_cast: Cast) -> None:
    conversation, bob = own_things(seeded_cast, seeded_cast.bob), seeded_cast.bob.memberships.get()
    dora = member_of(seeded_cast.acme, "Dora", "member")
    page = f"{ACME}tenants/membership/{bob.pk}/remove/"

    def state() -> tuple[bool, bool, bool]:
        with tenant_tx(seeded_cast.acme.pk):
            row, artifact = Conversation.objects.get(pk=conversation.pk), Artifact.objects.get()
            return row.kept_at is not None, row.deleted_at is not None, artifact.deleted_at is not None

    def clear() -> None:
        Membership.objects.filter(pk=bob.pk).update(removed_at=timezone.now() - timedelta(days=31))
        removed_members_purge()

    alice.post(page, {"action": "remove", "conversations": "archive"})
    clear()
    assert state() == (True, False, False)
    with tenant_tx(seeded_cast.acme.pk):
        assert Project.objects.get().owner_id == bob.pk, "what is kept has its project"
    alice.post(page, {"action": "activate"})
    assert state() == (False, False, False)
    alice.post(page, {"action": "remove", "conversations": "archive"})
    clear()
    assert "1 conversation, with its documents and files" in alice.get(page).content.decode()
    alice.post(page, {"action": "settle", "conversations": f"to:{dora.pk}"})
    with tenant_tx(seeded_cast.acme.pk):
        assert Conversation.objects.get(pk=conversation.pk).owner_id == dora.pk
    assert state() == (False, False, False)


def test_what_was_archived_can_be_deleted_after_all(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    conversation, bob = own_things(seeded_cast, seeded_cast.bob), seeded_cast.bob.memberships.get()
    page = f"{ACME}tenants/membership/{bob.pk}/remove/"
    assert alice.post(page, {"action": "settle", "conversations": "delete"}).status_code == 200, "of a member who was not removed"
    alice.post(page, {"action": "remove", "conversations": "archive"})
    Membership.objects.filter(pk=bob.pk).update(removed_at=timezone.now() - timedelta(days=31))
    removed_members_purge()
    assert signed_in(seeded_cast.charlie).post(page.replace("acme", "other"), {"action": "settle"}).status_code == 404
    alice.post(page, {"action": "settle", "conversations": "delete"})
    removed_members_purge()
    with tenant_tx(seeded_cast.acme.pk):
        assert Conversation.objects.get(pk=conversation.pk).deleted_at is not None
