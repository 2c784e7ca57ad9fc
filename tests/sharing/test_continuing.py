"""A member continues a shared conversation in a copy: with what the page shows, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents.messages import AssistantText
from artifacts.models import Artifact
from chat.models import Conversation, Part
from chat.storage.branches import branch_entries
from tenants.context import tenant_tx
from tests.rest.conftest import signed_in
from tests.sharing.conftest import share
from tests.sharing.support import PRIVATE, Talk, path_of
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited", "public")]


def continued(client: Client, link: dict[str, Any]) -> Any:
    return client.post(f"{path_of(link)}continue/", headers={"Accept": "text/html"})


def test_a_member_gets_the_texts_and_documents_of_the_page(cast: Cast, bob: Client, talk: Talk) -> None:
    link, alice = share(bob, **talk.target()), signed_in(cast.alice)
    assert b"Continue in a copy" in alice.get(f"{path_of(link)}continue/").content
    answer = continued(alice, link)
    with tenant_tx(cast.acme.pk):
        copy = Conversation.objects.get(owner_id=cast.actor(cast.alice).membership_id)
        parts_text = str(list(Part.objects.filter(message__conversation=copy).values_list("content", flat=True)))
        [document] = Artifact.objects.filter(conversation_id=copy.pk)
        text = document.versions.get().content
    assert (answer.status_code, answer["Location"]) == (302, f"/o/acme/c/{copy.pk}/")
    messages = alice.get(f"/o/acme/api/conversations/{copy.pk}/").json()["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert (copy.title, document.title, text.startswith("# Book January")) == ("Freight brief", "Brief for Jonas", True)
    assert ("They *fell*." in parts_text, [private for private in PRIVATE if private in parts_text]) == (True, [])


def test_answers_of_the_copy_count_as_a_strangers(cast: Cast, bob: Client, talk: Talk) -> None:
    """What they were written from is not in the copy, so that a tool that sends asks first (SECURITY 27)."""
    continued(signed_in(cast.alice), share(bob, **talk.target()))
    with tenant_tx(cast.acme.pk):
        copy = Conversation.objects.get(owner_id=cast.actor(cast.alice).membership_id)
        assert copy.head_id is not None
        entries = branch_entries(organization_id=cast.acme.pk, leaf_id=copy.head_id)
    answers = [entry for entry in entries if isinstance(entry, AssistantText)]
    assert answers
    assert all(answer.from_caller for answer in answers)


def test_the_copy_is_apart_from_the_shared_one(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.target())
    continued(signed_in(cast.alice), link)
    bob.delete(f"/o/acme/api/conversations/{talk.id}/")
    with tenant_tx(cast.acme.pk):
        copy = Conversation.objects.get(owner_id=cast.actor(cast.alice).membership_id)
        assert (copy.deleted_at, Artifact.objects.get(conversation_id=copy.pk).deleted_at) == (None, None)


def test_nobody_else_continues_it(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    link, document = share(bob, **talk.target()), share(bob, **talk.document())
    response = nobody.get(f"{path_of(link)}continue/", headers={"Accept": "text/html"})
    assert response["Location"].startswith("/login/?next=/s/")
    assert continued(signed_in(cast.charlie), link).status_code == 404
    assert continued(signed_in(cast.vera), link).status_code == 403
    assert continued(signed_in(cast.alice), document).status_code == 404
    bob.delete(f"/o/acme/api/shares/{link['id']}/")
    assert continued(signed_in(cast.alice), link).status_code == 404
    with tenant_tx(cast.acme.pk):
        assert Conversation.objects.count() == 1


def test_a_foreign_page_can_not_make_a_copy(cast: Cast, bob: Client, talk: Talk) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.alice)
    assert continued(strict, share(bob, **talk.target())).status_code == 403
