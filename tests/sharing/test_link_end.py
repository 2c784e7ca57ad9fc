"""When a link ends: its page is gone, and looks like one that never was."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from chat.models import Conversation, Message
from sharing.models import Share
from sharing.policy import POLICY_KEY
from sharing.tokens import token_new
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership, Organization, User
from tests.rest.conftest import post
from tests.sharing.conftest import share
from tests.sharing.support import Talk, open_link, stop_links
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
public = pytest.mark.usefixtures("public")


def delete_conversation(cast: Cast, talk: Talk, bob: Client) -> None:
    assert bob.delete(f"/o/acme/api/conversations/{talk.id}/").status_code == 204


def remove_member(cast: Cast, talk: Talk, bob: Client) -> None:
    with identity_tx(cast.acme.pk, acting_user_id=cast.alice.pk):
        Membership.objects.filter(pk=talk.actor.membership_id).update(is_active=False)


def deactivate_user(cast: Cast, talk: Talk, bob: Client) -> None:
    User.objects.using("auth").filter(pk=cast.bob.pk).update(is_active=False)


def suspend(cast: Cast, talk: Talk, bob: Client) -> None:
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(is_active=False)


def expire(cast: Cast, talk: Talk, bob: Client) -> None:
    with tenant_tx(cast.acme.pk):
        Share.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def stop(cast: Cast, talk: Talk, bob: Client) -> None:
    stop_links(bob)


def narrow_policy(cast: Cast, talk: Talk, bob: Client) -> None:
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(policy={POLICY_KEY: "members"})


def hand_over(cast: Cast, talk: Talk, bob: Client) -> None:
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=talk.id).update(owner_id=cast.actor(cast.alice).membership_id)


def delete_shown_message(cast: Cast, talk: Talk, bob: Client) -> None:
    with tenant_tx(cast.acme.pk):
        Message.objects.filter(pk=talk.answer.pk).update(deleted_at=timezone.now())


@public
@pytest.mark.parametrize(
    "end",
    [delete_conversation, remove_member, deactivate_user, suspend, expire, stop, narrow_policy, hand_over, delete_shown_message],
)
def test_a_link_that_has_ended_looks_like_one_that_never_was(
    end: Callable[[Cast, Talk, Client], None], cast: Cast, bob: Client, nobody: Client, talk: Talk
) -> None:
    link = share(bob, **talk.target())
    unknown = nobody.get(f"/s/{token_new(cast.acme.pk)}/")
    assert (open_link(nobody, link).status_code, unknown.status_code) == (200, 404)
    end(cast, talk, bob)
    response = open_link(nobody, link)
    assert (response.status_code, response.content) == (404, unknown.content)
    assert b"This link no longer works" in response.content
    assert {name: response[name] for name in ("Cache-Control", "X-Robots-Tag")} == {
        name: unknown[name] for name in ("Cache-Control", "X-Robots-Tag")
    }


@public
@pytest.mark.parametrize("end", [delete_conversation, remove_member])
def test_a_link_to_a_document_ends_with_its_conversation_and_its_member(
    end: Callable[[Cast, Talk, Client], None], cast: Cast, bob: Client, nobody: Client, talk: Talk
) -> None:
    link = share(bob, **talk.document())
    assert open_link(nobody, link).status_code == 200
    end(cast, talk, bob)
    assert open_link(nobody, link).status_code == 404


@public
def test_a_restored_conversation_has_its_link_again_and_an_archived_one_keeps_it(bob: Client, nobody: Client, talk: Talk) -> None:
    link = share(bob, **talk.target())
    bob.patch(f"/o/acme/api/conversations/{talk.id}/", {"archived": True}, content_type="application/json")
    assert open_link(nobody, link).status_code == 200
    bob.delete(f"/o/acme/api/conversations/{talk.id}/")
    assert open_link(nobody, link).status_code == 404
    post(bob, f"/o/acme/api/conversations/{talk.id}/restore/")
    assert open_link(nobody, link).status_code == 200
