"""Undoing the deletion of a conversation: what comes back, for whom and for how long."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db.models import F
from django.test import Client

from artifacts.models import Artifact
from chat.conversations.deletion import UNDO
from chat.models import Conversation
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, signed_in
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


@pytest.fixture
def deleted_id(cast: Cast, alice: Client) -> UUID:
    """A deleted conversation with two documents, of which one had been deleted before."""
    conversation_id = make_conversation(cast, cast.alice, "Tea")
    for title in ("Notes", "Draft"):
        make_artifact(cast.actor(cast.alice), title=title, conversation_id=conversation_id)
    with tenant_tx(cast.acme.pk):
        Artifact.objects.filter(title="Draft").update(deleted_at=F("created_at"))
    assert alice.delete(f"/o/acme/api/conversations/{conversation_id}/").status_code == 204
    return conversation_id


def restore(client: Client, conversation_id: UUID, slug: str = "acme") -> Any:
    return client.post(f"/o/{slug}/api/conversations/{conversation_id}/restore/", content_type="application/json")


def test_a_deleted_conversation_comes_back_with_what_was_deleted_with_it(alice: Client, deleted_id: UUID) -> None:
    assert alice.get(f"/o/acme/api/conversations/{deleted_id}/").status_code == 404
    assert restore(alice, deleted_id).json()["title"] == "Tea"
    conversation = alice.get(f"/o/acme/api/conversations/{deleted_id}/").json()
    assert [artifact["title"] for artifact in conversation["artifacts"]] == ["Notes"]
    assert [item["id"] for item in alice.get("/o/acme/api/conversations/").json()["items"]] == [str(deleted_id)]
    assert restore(alice, deleted_id).status_code == 404  # it is not deleted any more


def test_nobody_else_can_bring_it_back(cast: Cast, deleted_id: UUID) -> None:
    for user, slug, status in ((cast.bob, "acme", 404), (cast.charlie, "other", 404), (cast.vera, "acme", 403)):
        assert restore(signed_in(user), deleted_id, slug).status_code == status


def test_after_a_while_it_stays_deleted(cast: Cast, alice: Client, deleted_id: UUID) -> None:
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=deleted_id).update(deleted_at=F("deleted_at") - UNDO)
    assert restore(alice, deleted_id).status_code == 404
