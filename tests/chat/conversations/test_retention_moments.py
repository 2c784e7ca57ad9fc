"""Somebody sends, shares or pins at the moment at which retention takes: it stays, or they are told that it is gone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now

from chat.api.sends import message_post
from chat.conversations.messages import message_delete
from chat.conversations.purging import conversations_take
from chat.conversations.services import NewMessage
from chat.models import Conversation, Message, Run
from files.models import File
from retention.models import RetentionRule
from sharing.models import Share
from sharing.services import share_create
from sharing.shapes import NewShare
from tenants.access import Actor
from tenants.context import tenant_tx
from tests.chat.conversations.deletion_marks import purge
from tests.chat.conversations.test_retention import age, apply
from tests.rest.conftest import post, signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace
from tests.support.stores.locks import in_own_connections, wait_until_blocked
from tests.support.suite.time_limits import scaled_to_load

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])
SHARES = "/o/acme/api/shares/"


@pytest.mark.parametrize("is_temporary", [False, True])
def test_a_chat_into_which_somebody_sends_at_that_moment_stays(acme: Workspace, cast: Cast, is_temporary: bool) -> None:
    actor, key = _old_chat(acme, cast)
    with tenant_tx(actor.organization_id):
        Conversation.objects.update(expires_at=Now() - timedelta(hours=1) if is_temporary else None)
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(actor.organization_id):
            _send(actor, key, "Second")
            round_ = threads.submit(in_own_connections, purge if is_temporary else apply, acme)
            wait_until_blocked(round_)
        assert round_.result(timeout=scaled_to_load(10)) == {}
    with tenant_tx(actor.organization_id):
        assert Message.objects.filter(conversation_id=key).count() == 4


def test_a_chat_that_somebody_shares_at_that_moment_stays(acme: Workspace, cast: Cast) -> None:
    actor, key = _old_chat(acme, cast)
    new = NewShare.model_validate({"of": "conversation", "targetId": str(key), "audience": "members"})
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(actor.organization_id):
            share_create(actor=actor, new=new)
            round_ = threads.submit(in_own_connections, apply, acme)
            wait_until_blocked(round_)
        assert round_.result(timeout=scaled_to_load(10)) == {}
    with tenant_tx(actor.organization_id):
        assert Share.objects.get().conversation_id == key


@pytest.mark.parametrize("promise", ["share", "longer", "pin"])
def test_nothing_is_promised_of_a_chat_that_goes_at_that_moment(promise: str, acme: Workspace, cast: Cast) -> None:
    actor, key = _old_chat(acme, cast)
    alice = signed_in(cast.alice)
    link = {"of": "conversation", "targetId": str(key), "audience": "members"}
    share = post(alice, SHARES, link).json() if promise == "longer" else {}
    with tenant_tx(actor.organization_id):
        Share.objects.update(expires_at=Now() - timedelta(days=1))

    def ask() -> Any:
        match promise:
            case "share":
                return post(alice, SHARES, link)
            case "longer":
                return alice.patch(f"{SHARES}{share['id']}/", {"days": 30}, content_type="application/json")
            case _:
                return alice.patch(f"/o/acme/api/conversations/{key}/", {"pinned": True}, content_type="application/json")

    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(actor.organization_id, using="system"):
            assert conversations_take(Conversation.objects.all(), organization_id=actor.organization_id) == [key]
            response = threads.submit(in_own_connections, ask)
            wait_until_blocked(response)
        assert response.result(timeout=scaled_to_load(10)).status_code == 404


def test_a_file_that_somebody_sends_again_while_its_message_goes_stays(acme: Workspace, cast: Cast) -> None:
    actor, key = _old_chat(acme, cast)
    with tenant_tx(actor.organization_id):
        text = {"name": "tea.txt", "media_type": "text/plain", "kind": "text", "size_bytes": 3, "state": File.State.READY}
        file = File.objects.create(owner_id=actor.membership_id, **text)
    _send(actor, key, "Read it", file.pk)
    with tenant_tx(actor.organization_id):
        Run.objects.update(status=Run.Status.DONE, finished_at=Now())
        message_delete(actor=actor, key=str(key), message_id=Message.objects.get(client_msg_id="Read it").pk)
        Message.objects.exclude(deleted_at=None).update(deleted_at=Now() - timedelta(days=4000))
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(actor.organization_id):
            _send(actor, key, "Read it again", file.pk)
            round_ = threads.submit(in_own_connections, purge, acme)
            wait_until_blocked(round_)
        assert round_.result(timeout=scaled_to_load(10))["chat.Message"] == 2
    with tenant_tx(actor.organization_id):
        assert File.objects.get().deleted_at is None


def test_a_file_of_a_chat_that_somebody_pins_at_that_moment_stays(acme: Workspace, cast: Cast) -> None:
    actor, key = _old_chat(acme, cast)
    with tenant_tx(actor.organization_id):
        RetentionRule.objects.update(file_days=7, conversation_days=None)
        text = {"name": "tea.txt", "media_type": "text/plain", "kind": "text", "size_bytes": 3}
        File.objects.create(owner_id=actor.membership_id, conversation_id=key, **text)
    age(acme, 8)
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(actor.organization_id):
            Conversation.objects.update(is_pinned=True)
            round_ = threads.submit(in_own_connections, apply, acme)
            wait_until_blocked(round_)
        assert round_.result(timeout=scaled_to_load(10)) == {}
    with tenant_tx(actor.organization_id):
        assert File.objects.get().deleted_at is None


def _old_chat(workspace: Workspace, cast: Cast) -> tuple[Actor, UUID]:
    """Return Alice and a chat of hers that a rule finds due."""
    actor, key = cast.actor(cast.alice), uuid4()
    _send(actor, key, "First")
    with tenant_tx(actor.organization_id):
        RetentionRule.objects.create(conversation_days=30)
        Run.objects.update(status=Run.Status.DONE, finished_at=Now())
    age(workspace, 31)
    return actor, key


def _send(actor: Actor, key: UUID, text: str, *file_ids: UUID) -> None:
    with tenant_tx(actor.organization_id):
        message_post(actor=actor, send=NewMessage(key=str(key), text=text, client_msg_id=text, file_ids=file_ids))
