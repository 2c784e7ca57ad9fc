"""Deleted is deleted: a marker is planted wherever a conversation leaves something, and searched for in every row, in Redis and on disk."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db.models.functions import Now

from accounts.models import Invitation, OutgoingMail
from admin_config.models import AppSettings
from chat.models import Conversation, Message, Part
from doubles.script import Text
from files.models import File
from files.storage import file_storage
from security.deletion import organization_delete, user_delete
from security.models import AuditEvent, RegisteredSecret, Secret
from security.secrets.services import secret_create
from tenants.context import tenant_tx
from tenants.deletion.services import LastOwner
from tenants.models import Membership, Organization, Session, User
from tests.chat.conversations.deletion_marks import MARK, THEIRS, Places, age, delete_chat, other, places, purge, talk
from tests.chat.providers.test_files import attached, message
from tests.security.secrets.canary import database_text
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

__all__ = ["other", "places"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_deleted_conversation_is_gone_after_the_days_of_the_policy(
    acme: Workspace, other: Workspace, alice: Browser, charlie: Browser, places: Places
) -> None:
    deleted_chat, kept_chat = await talk(alice, acme, MARK), await talk(alice, acme, "Marker-Numbat-5d01")
    theirs = await talk(charlie, other, MARK)
    await delete_chat(alice, acme, deleted_chat)
    await delete_chat(charlie, other, theirs)
    await sync_to_async(age)(acme.organization.pk, 29)
    assert await sync_to_async(purge)(acme) == {}, "before its time nothing goes"

    await sync_to_async(age)(acme.organization.pk, 31)
    before = await sync_to_async(places)(MARK)
    counts = await sync_to_async(purge)(acme)
    assert [counts[name] for name in ("chat.Conversation", "chat.Message", "chat.Run", "chat.OpenText")] == [1, 2, 1, 1]
    assert {
        "chat.PromptSnapshot",
        "files.File",
        "artifacts.Version",
        "artifacts.Suggestion",
        "chat.Approval",
        "chat.RunInput",
        "chat.ModelCall",
    } <= {*counts}
    await sync_to_async(_only_theirs)(places, before, other.organization.pk, acme.organization.pk)
    assert (await alice.call("GET", f"/o/acme/api/conversations/{kept_chat}/")).status_code == 200
    assert await sync_to_async(purge)(acme) == {}, "and it is done once"


def _only_theirs(places: Places, before: list[str], other_id: UUID, acme_id: UUID) -> None:
    """The marker is where the other organization has it, and nowhere of Acme's."""
    after = places(MARK)
    assert {place for place in after if place.startswith("table")} == {place for place in before if place.startswith("table")}
    assert not [place for place in after if str(acme_id) in place]
    assert [place for place in after if place.startswith(f"disk {other_id}")]
    tables = [row for text in database_text().values() for row in text.decode().splitlines() if MARK in row]
    assert not [row for row in tables if str(acme_id) in row]


async def test_the_policy_has_its_own_days(acme: Workspace, alice: Browser, places: Places) -> None:
    await delete_chat(alice, acme, await talk(alice, acme, MARK))

    def days(number: int) -> None:
        with tenant_tx(acme.organization.pk):
            AppSettings.objects.update(retention_days=number)

    await sync_to_async(age)(acme.organization.pk, 31)
    await sync_to_async(days)(90)
    assert await sync_to_async(purge)(acme) == {}
    await sync_to_async(days)(7)
    assert (await sync_to_async(purge)(acme))["chat.Conversation"] == 1
    assert not await sync_to_async(places)(MARK)


async def test_a_message_that_was_deleted_on_its_own_goes_with_its_file(acme: Workspace, alice: Browser, places: Places) -> None:
    chat_id = uuid4()
    kept_file = await attached(alice, "kept.txt", b"Kept with the first message.")
    deleted_file = await attached(alice, f"{MARK}.txt", MARK.encode())
    for text, files in (("First.", [kept_file]), (f"Tell me of {MARK}", [kept_file, deleted_file])):
        acme.double.answer(Text(f"About {text}"))
        async with chat_socket(alice, "acme") as socket:
            fields = {"id": str(chat_id), "trigger": "submit-message", "messages": [message(text, *files)], "headers": {}, "body": {}}
            await socket.chunks(await socket.frame("send", **fields))
    messages = await acme.rows(Message)

    def delete() -> dict[str, int]:
        with tenant_tx(acme.organization.pk):
            Message.objects.filter(pk__in=[row.pk for row in messages[2:]]).update(deleted_at=Now() - timedelta(days=31))
            Conversation.objects.update(head=messages[1], title="Tea")
        return purge(acme)

    counts = await sync_to_async(delete)()
    assert (counts["chat.Message"], counts["files.File"]) == (2, 1)
    assert [file.name for file in await acme.rows(File)] == ["kept.txt"]
    assert not await sync_to_async(places)(MARK)
    assert (await alice.call("GET", f"/o/acme/api/conversations/{chat_id}/")).status_code == 200


async def test_a_long_conversation_goes_in_small_transactions(
    acme: Workspace, alice: Browser, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.deletion.graph.BATCH", 7)
    chat_id = await talk(alice, acme, MARK)

    def lengthen() -> None:
        with tenant_tx(acme.organization.pk):
            parent = Message.objects.filter(conversation_id=chat_id).latest("created_at")
            for _ in range(40):
                parent = Message.objects.create(conversation_id=chat_id, parent=parent, role="user")
                Part.objects.create(message=parent, position=0, kind="user_message", content={"text": MARK})
            Conversation.objects.filter(pk=chat_id).update(head=parent)

    await sync_to_async(lengthen)()
    await delete_chat(alice, acme, chat_id)
    await sync_to_async(age)(acme.organization.pk, 31)
    counts = await sync_to_async(purge)(acme)
    assert counts["chat.Message"] == 42
    assert not await sync_to_async(places)(MARK)


async def test_bytes_that_cannot_be_deleted_keep_their_row_for_the_next_purge(
    acme: Workspace, alice: Browser, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    await delete_chat(alice, acme, await talk(alice, acme, MARK))
    await sync_to_async(age)(acme.organization.pk, 31)

    def stuck(name: str) -> None:
        raise OSError("Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(file_storage(), "delete", stuck)
        await sync_to_async(purge)(acme)
    assert await acme.rows(File)
    await sync_to_async(purge)(acme)
    assert not await sync_to_async(places)(MARK)


async def test_an_organization_is_deleted_with_everything_but_the_ids_of_its_audit(
    acme: Workspace, other: Workspace, cast: Cast, alice: Browser, charlie: Browser, places: Places
) -> None:
    await talk(alice, acme, MARK)
    await talk(charlie, other, THEIRS)
    before = await sync_to_async(places)(THEIRS)

    def run() -> dict[str, int]:
        Organization.objects.filter(pk=acme.organization.pk).update(name=MARK, policy={"note": MARK, "audit_days": 90})
        return organization_delete(organization_id=acme.organization.pk, actor_user_id=cast.alice.pk).as_dict()

    counts = await sync_to_async(run)()
    assert {"admin_config.Release", "chat.Part", "files.File", "security.Secret", "tenants.Membership"} <= {*counts}
    assert not await sync_to_async(places)(MARK)
    assert await sync_to_async(places)(THEIRS) == before
    rows = {name: text.decode() for name, text in (await sync_to_async(database_text)()).items()}
    remaining_places = {name for name, text in rows.items() if str(acme.organization.pk) in text}
    assert remaining_places == {"table tenants_organization", "table security_auditevent"}

    def event_counts() -> Any:
        assert Organization.objects.get(pk=acme.organization.pk).policy == {"audit_days": 90}, (
            "for the events, which are kept as long as before"
        )
        with tenant_tx(acme.organization.pk):
            return AuditEvent.objects.get(action="organization.delete").detail["counts"]

    assert await sync_to_async(event_counts)() == counts
    assert (await alice.call("GET", "/o/acme/api/conversations/")).status_code == 404
    assert (await charlie.call("GET", "/o/other/api/conversations/")).status_code == 200


async def test_a_user_is_deleted_with_everything_that_is_theirs(
    acme: Workspace, other: Workspace, cast: Cast, alice: Browser, bob: Browser, charlie: Browser, places: Places
) -> None:
    await talk(bob, acme, MARK)
    kept_chat = await talk(alice, acme, THEIRS)
    theirs = await talk(charlie, other, MARK)

    def run() -> dict[str, int]:
        User.objects.filter(pk=cast.bob.pk).update(name=MARK, email=f"{MARK}@example.org".lower())
        address = f"{MARK}@example.org".lower()
        OutgoingMail.objects.create(kind="code", recipient=address, subject="Code", text=MARK, html="", state=OutgoingMail.State.WAITING)
        for organization in (cast.acme, cast.other):
            with tenant_tx(organization.pk):
                for digest, email in (("theirs", address), ("link", "")):
                    Invitation.objects.create(email=email, role="member", digest=digest, expires_at=Now() + timedelta(days=1))
        Membership.objects.filter(user=cast.bob).update(preferences=MARK)
        Membership.objects.create(organization=cast.other, user=cast.bob)
        return user_delete(user_id=cast.bob.pk, actor_user_id=cast.bob.pk).as_dict()

    counts = await sync_to_async(run)()
    assert {"chat.Conversation", "files.File", "artifacts.Version", "tenants.Membership", "tenants.Session"} <= {*counts}
    assert counts["tenants.Membership"] == counts["accounts.Invitation"] == 2
    assert [row.digest for row in await acme.rows(Invitation) + await other.rows(Invitation)] == ["link"] * 2

    def rows_of_acme() -> list[str]:
        return [
            row
            for text in database_text().values()
            for row in text.decode().splitlines()
            if MARK in row and str(acme.organization.pk) in row
        ]

    assert not await sync_to_async(rows_of_acme)()
    assert all(str(acme.organization.pk) not in place for place in await sync_to_async(places)(MARK))
    assert not await sync_to_async(places)(f"{MARK}@example.org".lower())
    assert not await sync_to_async(Session.objects.filter(user_id=cast.bob.pk).exists)()
    assert (await alice.call("GET", f"/o/acme/api/conversations/{kept_chat}/")).status_code == 200
    assert (await charlie.call("GET", f"/o/other/api/conversations/{theirs}/")).status_code == 200


async def test_a_users_own_secrets_do_not_become_the_organizations(acme: Workspace, other: Workspace, cast: Cast) -> None:
    def run() -> tuple[int, int]:
        def secrets() -> int:
            return Secret.objects.count()

        actor = cast.actor(cast.bob)
        with tenant_tx(acme.organization.pk):
            before = secrets()
            secret = secret_create(organization_id=acme.organization.pk, value="bobs-own-value-1", url="https://a.example", purpose="t")
            RegisteredSecret.objects.create(membership_id=actor.membership_id, secret=secret, name="mine", tool="http")
        user_delete(user_id=cast.bob.pk, actor_user_id=None)
        with tenant_tx(acme.organization.pk):
            return secrets() - before, RegisteredSecret.objects.count()

    assert await sync_to_async(run)() == (0, 0)


def test_the_only_owner_of_an_organization_is_not_deleted(cast: Cast) -> None:
    with pytest.raises(LastOwner, match="only owner of Acme"):
        user_delete(user_id=cast.alice.pk, actor_user_id=cast.alice.pk)
    assert User.objects.get(pk=cast.alice.pk).is_active
    Membership.objects.filter(user=cast.bob).update(role=Membership.Role.OWNER)
    user_delete(user_id=cast.alice.pk, actor_user_id=cast.alice.pk)
    assert not User.objects.get(pk=cast.alice.pk).has_usable_password()
