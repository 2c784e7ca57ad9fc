"""What has become old is deleted as an organization's admins say, after they have seen how much it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connections
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from artifacts.models import Artifact
from chat.models import Conversation, ModelCall, PromptSnapshot
from files.models import File
from retention import removal
from retention.models import RetentionRule
from retention.removal import retention_apply
from retention.tasks import retention_apply as retention_task
from sharing.models import Share
from tenants.context import tenant_tx
from tests.chat.conversations.deletion_marks import Places, other, places, talk
from tests.rest.conftest import post, signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser
from tests.support.chat.workspace import Workspace
from tests.support.stores.audit_log import events
from tests.support.system.product_servers import with_database
from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import ROOT

__all__ = ["other", "places"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])
PAGE = "/o/acme/admin/retention/retentionrule/"


def age(workspace: Workspace, days: int, *, keep: tuple[UUID, ...] = ()) -> None:
    """Let everything but what hangs on `keep` be so old."""
    at = Now() - timedelta(days=days)
    with tenant_tx(workspace.organization.pk):
        Conversation.objects.exclude(pk__in=keep).update(updated_at=at)
        Artifact.objects.exclude(conversation_id__in=keep).update(updated_at=at)
        File.objects.exclude(conversation_id__in=keep).update(created_at=at)
        ModelCall.objects.exclude(run__conversation_id__in=keep).update(created_at=at)


def apply(workspace: Workspace) -> dict[str, int]:
    return retention_apply(organization_id=workspace.organization.pk, until=time.monotonic() + 60).as_dict()


def switch_on(admin: Client, **days: str) -> str:
    """Save rules as an admin does, and let them begin. Return the page that said what they would delete."""
    response = admin.post(f"{PAGE}rules/", days)
    mark = response.context["mark"]
    assert admin.post(f"{PAGE}rules/", {**days, "shown": mark}).status_code == 302
    return response.content.decode()


def begin(workspace: Workspace) -> None:
    with tenant_tx(workspace.organization.pk):
        RetentionRule.objects.update(begins_at=Now(), earlier=[])


def wait(workspace: Workspace, hours: int) -> None:
    """Let so many hours go by since the rules were changed."""
    with tenant_tx(workspace.organization.pk):
        row = RetentionRule.objects.get()
        for former in row.earlier:
            former["until"] = (datetime.fromisoformat(former["until"]) - timedelta(hours=hours)).isoformat()
        row.save()


async def test_old_conversations_go_but_not_what_people_keep(
    acme: Workspace, other: Workspace, cast: Cast, alice: Browser, charlie: Browser, places: Places
) -> None:
    names = ("Marker-Old", "Marker-Pinned", "Marker-Shared", "Marker-Edited", "Marker-Fresh")
    old_chat, pinned_chat, shared_chat, edited_chat, fresh_chat = [await talk(alice, acme, name) for name in names]
    await talk(charlie, other, "Marker-Theirs")

    def walk() -> None:
        admin = signed_in(cast.alice)
        link = {"of": "artifact", "targetId": "", "audience": "members"}
        with tenant_tx(acme.organization.pk):
            link["targetId"] = str(Artifact.objects.get(conversation_id=shared_chat).pk)
        assert post(admin, "/o/acme/api/shares/", link).status_code == 201
        age(acme, 31, keep=(fresh_chat,))
        age(other, 31)
        with tenant_tx(acme.organization.pk):
            Conversation.objects.filter(pk=pinned_chat).update(is_pinned=True)
            Artifact.objects.filter(conversation_id=edited_chat).update(updated_at=Now())

        page = switch_on(admin, conversations="30", files="", calls="")
        assert "Would delete now: <strong>1</strong>" in page
        assert apply(acme) == {}, "a day's notice"
        begin(acme)
        assert retention_task() > 0
        [event] = events(cast.acme, "retention.apply")
        assert event.detail["counts"]["chat.Conversation"] == 1
        assert {"files.File", "artifacts.Version", "chat.ModelCall"} <= {*event.detail["counts"]}
        assert not places("Marker-Old")
        assert all(places(name) for name in (*names[1:], "Marker-Theirs"))
        assert apply(acme) == {}
        assert events(cast.other, "retention.apply") == []
        [change] = events(cast.acme, "retention.change")
        assert (change.before["conversations"], change.after["conversations"]) == (None, 30)

        with tenant_tx(acme.organization.pk):
            Share.objects.update(revoked_at=Now())
        assert apply(acme)["chat.Conversation"] == 1, "the link was stopped"
        assert places("Marker-Shared") == ["table security_auditevent"], "what was shared stays in the audit log"

    await sync_to_async(walk)()
    assert (await alice.call("GET", f"/o/acme/api/conversations/{old_chat}/")).status_code == 404


async def test_a_rule_that_gets_stricter_each_day_puts_nothing_off(acme: Workspace, cast: Cast, alice: Browser) -> None:
    chats = {days: await talk(alice, acme, f"Marker-{days}") for days in (31, 51, 71)}

    def walk() -> None:
        admin = signed_in(cast.alice)
        with tenant_tx(acme.organization.pk):
            for days, chat_id in chats.items():
                Conversation.objects.filter(pk=chat_id).update(updated_at=Now() - timedelta(days=days))
                Artifact.objects.filter(conversation_id=chat_id).update(updated_at=Now() - timedelta(days=days))
        deletion_counts = []
        for limit in ("70", "50", "30"):
            switch_on(admin, conversations=limit, files="", calls="")
            wait(acme, 20)
            deletion_counts.append(apply(acme).get("chat.Conversation", 0))
        assert deletion_counts == [0, 1, 1], "each number holds 24 hours after it was first saved"
        switch_on(admin, conversations="40", files="", calls="")
        wait(acme, 5)
        assert apply(acme) == {}, "a looser number holds at once"

    await sync_to_async(walk)()


# Ends itself as by `kill -9` before a given DELETE.
KILLED = """
import os, signal, sys, time
from uuid import UUID
import django
django.setup()
from django.db import connections
from chat.conversations import purging
from retention import removal
left = int(sys.argv[2])
def count(execute, sql, *others):
    global left
    left -= sql.startswith("DELETE")
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(sql, *others)
purging.AT_ONCE = 1
connections["system"].execute_wrappers.append(count)
removal.retention_apply(organization_id=UUID(sys.argv[1]), until=time.monotonic() + 60)
"""


async def test_what_a_killed_job_left_goes_later_and_nothing_else(
    acme: Workspace, cast: Cast, alice: Browser, places: Places, tmp_path: Path
) -> None:
    names = ("Marker-One", "Marker-Two", "Marker-Fresh")
    *_, fresh = [await talk(alice, acme, name) for name in names]

    def walk() -> None:
        age(acme, 31, keep=(fresh,))
        places_before = places("Marker-Fresh")
        switch_on(signed_in(cast.alice), conversations="30", files="", calls="")
        begin(acme)
        database = str(connections["owner"].settings_dict["NAME"])
        env = {**os.environ, **{name: with_database(os.environ[name], database) for name in DATABASE_VARIABLES}, "FILES_DIR": str(tmp_path)}
        for statement in ("3", "9"):
            process = subprocess.run([sys.executable, "-c", KILLED, str(acme.organization.pk), statement], cwd=ROOT, env=env, timeout=60)
            assert process.returncode == -signal.SIGKILL
        place_count = len(places("Marker-One") + places("Marker-Two"))
        assert place_count
        assert apply(acme)
        assert not places("Marker-One") + places("Marker-Two")
        assert apply(acme) == {}
        assert places("Marker-Fresh") == places_before

    await sync_to_async(walk)()
    assert (await alice.call("GET", f"/o/acme/api/conversations/{fresh}/")).status_code == 200


async def test_files_and_contents_of_calls_go_and_the_conversation_stays(
    acme: Workspace, cast: Cast, alice: Browser, places: Places
) -> None:
    chat_id = await talk(alice, acme, "Marker-Quoll")

    def walk() -> None:
        age(acme, 8)
        with tenant_tx(acme.organization.pk):
            usages = [call.usage for call in ModelCall.objects.order_by("pk")]
        switch_on(signed_in(cast.alice), conversations="", files="7", calls="7")
        begin(acme)
        counts = apply(acme)
        assert counts["files.File"] == 1
        assert counts["contents of model calls"] == len(usages)
        with tenant_tx(acme.organization.pk):
            assert [(call.usage, call.prompt_hash, call.own_entries) for call in ModelCall.objects.order_by("pk")] == [
                (usage, "", []) for usage in usages
            ]
            assert not PromptSnapshot.objects.exists()
        assert not [place for place in places("A note of Marker-Quoll") if place.startswith("disk")]

    await sync_to_async(walk)()
    response: Any = await alice.call("GET", f"/o/acme/api/conversations/{chat_id}/messages/")
    assert (response.status_code, "Tell me of Marker-Quoll" in response.content.decode()) == (200, True)


def test_a_round_that_failed_is_not_noted_as_done(acme: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def applied_at() -> Any:
        with tenant_tx(acme.organization.pk):
            return RetentionRule.objects.get().applied_at

    def fails(*_: Any, **__: Any) -> None:
        raise OperationalError

    with tenant_tx(acme.organization.pk):
        RetentionRule.objects.create(call_days=7)
    with monkeypatch.context() as patch:
        patch.setattr(removal, "expired_calls", fails)
        assert retention_task() == 0
    assert applied_at() is None
    assert retention_task() == 0
    assert applied_at() is not None


@pytest.mark.django_db
def test_rules_have_bounds_and_are_shown_to_members(cast: Cast, acme: Workspace, settings: Settings) -> None:
    admin, bob, charlie = signed_in(cast.alice), signed_in(cast.bob), signed_in(cast.charlie)
    for wrong in ("6", "3651", "-1", "many", "١٢"):
        page = admin.post(f"{PAGE}rules/", {"conversations": wrong, "files": "", "calls": "", "shown": f"{wrong},,"})
        assert (page.status_code, f'value="{wrong}"' in page.content.decode()) == (200, True)
    response = admin.post(f"{PAGE}rules/", {"conversations": "90", "files": "", "calls": "", "shown": "30,,"})
    assert response.status_code == 200, "other numbers than those that were shown"
    assert bob.get("/o/acme/api/retention/").json() == {"conversationDays": None, "fileDays": None, "deletedDays": 30, "beginsAt": None}
    assert bob.post(f"{PAGE}rules/", {"conversations": "90", "files": "", "calls": "", "shown": "90,,"}).status_code == 404
    assert charlie.get(PAGE).status_code == 404

    switch_on(admin, conversations="90", files="", calls="")
    rules = bob.get("/o/acme/api/retention/").json()
    assert (rules["conversationDays"], rules["beginsAt"] is not None) == (90, True)
    assert charlie.get("/o/other/api/retention/").json()["conversationDays"] is None
    settings.RETENTION_MAX_DAYS = 60
    assert bob.get("/o/acme/api/retention/").json()["conversationDays"] == 60
    assert charlie.get("/o/other/api/retention/").json()["fileDays"] == 60
    assert "The platform deletes earlier" in admin.get(PAGE).content.decode()
