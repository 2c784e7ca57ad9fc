"""Links by REST: made, listed, extended and stopped by their owner, within what the organization allows."""

from __future__ import annotations

import time
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from artifacts.models import Artifact
from chat.conversations.purging import deleted_purge
from chat.models import Conversation
from config.doctor.database import secrets_findings
from security.secrets.vault import KEY_BYTES
from sharing import services
from sharing.models import Share
from tenants.context import tenant_tx
from tests.rest.conftest import make_conversation, post, signed_in
from tests.sharing.conftest import share
from tests.sharing.support import Talk, make_talk, open_link, unfinished_run
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
SHARES = "/o/acme/api/shares/"


def test_a_link_is_made_listed_extended_and_stopped_with_events(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.target(), audience="members")
    assert (link["of"], link["audience"], link["follows"], link["expired"]) == ("conversation", "members", False, False)
    assert bob.get(SHARES).json()["items"] == [link]
    changed = bob.patch(f"{SHARES}{link['id']}/", {"days": None}, content_type="application/json").json()
    assert (changed["expiresAt"], changed["url"]) == (None, link["url"])
    assert bob.delete(f"{SHARES}{link['id']}/").status_code == 204
    assert bob.get(SHARES).json()["items"] == []
    assert bob.delete(f"{SHARES}{link['id']}/").status_code == 404
    assert [event.action for event in events(cast.acme)][-3:] == ["share.create", "share.extend", "share.stop"]
    assert events(cast.acme, "share.create")[0].object_label == "Freight brief"


def test_the_database_has_no_token(bob: Client, cast: Cast, talk: Talk) -> None:
    token = share(bob, **talk.target(), audience="members")["url"].split("/s/")[1].strip("/")
    with tenant_tx(cast.acme.pk):
        [row] = Share.objects.values()
    assert len(token) == 43
    assert token not in str(row)


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_link_is_shown_after_its_key_was_replaced(bob: Client, talk: Talk, settings: Any) -> None:
    link = share(bob, **talk.target(), audience="members")
    settings.CREDENTIAL_KEYS = {"next": bytes(KEY_BYTES), **settings.CREDENTIAL_KEYS}
    call_command("rotate_secrets", stdout=StringIO())
    settings.CREDENTIAL_KEYS = {"next": bytes(KEY_BYTES)}
    assert bob.get(SHARES).json()["items"][0]["url"] == link["url"]


@pytest.mark.django_db(transaction=True, databases=["default", "system", "auth"])
def test_a_link_whose_key_is_gone_still_works_and_is_told_but_not_shown(bob: Client, talk: Talk, settings: Any) -> None:
    link = share(bob, **talk.target(), audience="members")
    [key_id] = settings.CREDENTIAL_KEYS
    settings.CREDENTIAL_KEYS = {"later": bytes(KEY_BYTES)}
    [finding] = secrets_findings()
    assert (finding.level, finding.subject) == ("warning", "shared links")
    assert f"Put {key_id} back" in finding.advice
    assert bob.get(SHARES).json()["items"][0]["url"] == ""
    assert open_link(bob, link).status_code == 200


def test_links_are_their_owners_alone(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.target(), audience="members")
    for user, slug in ((cast.alice, "acme"), (cast.charlie, "other"), (cast.charlie, "acme")):
        other = signed_in(user)
        api = f"/o/{slug}/api/shares/"
        assert other.get(api).json().get("items", []) == []
        assert other.patch(f"{api}{link['id']}/", {"days": 1}, content_type="application/json").status_code == 404
        assert other.delete(f"{api}{link['id']}/").status_code == 404
        assert post(other, api, talk.target()).status_code == 404
        assert other.get(f"{api}preview/", {"of": "conversation", "target": str(talk.id)}).status_code == 404
    assert post(signed_in(cast.charlie), "/o/other/api/shares/", talk.document()).status_code == 404


def test_viewers_make_no_links(cast: Cast) -> None:
    talk = make_talk(cast, cast.vera)
    assert post(signed_in(cast.vera), SHARES, talk.target()).status_code == 403


def test_the_policy_says_who_may_be_let_in(cast: Cast, bob: Client, talk: Talk) -> None:
    response = post(bob, SHARES, {**talk.target(), "audience": "public"})
    assert (response.status_code, response.json()["error"]["message"]) == (403, "Acme allows links for its members only.")


def test_temporary_and_unlisted_chats_are_not_shared(cast: Cast, bob: Client, talk: Talk) -> None:
    for change in ({"expires_at": timezone.now()}, {"expires_at": None, "listed": False}):
        with tenant_tx(cast.acme.pk):
            Conversation.objects.filter(pk=talk.id).update(**change)
        for target in (talk.target(), talk.document()):
            response = post(bob, SHARES, target)
            assert (response.status_code, "can't be shared" in response.json()["error"]["message"]) == (400, True)


def test_an_empty_conversation_has_nothing_to_share(cast: Cast, bob: Client) -> None:
    empty = make_conversation(cast, cast.bob)
    response = post(bob, SHARES, {"of": "conversation", "targetId": str(empty)})
    assert (response.status_code, response.json()["error"]["message"]) == (400, "There is nothing to share yet. Send a message first.")


@pytest.mark.parametrize("wrong", [{"days": 0}, {"days": 366}, {"audience": "world"}, {"of": "file"}, {"version": 0}, {"more": 1}])
def test_a_wrong_wish_is_refused(bob: Client, talk: Talk, wrong: dict[str, Any]) -> None:
    assert post(bob, SHARES, {**talk.target(), **wrong}).status_code == 400


def test_missing_things_and_versions_are_not_found(bob: Client, talk: Talk) -> None:
    assert post(bob, SHARES, {"of": "artifact", "targetId": str(uuid4())}).status_code == 404
    assert post(bob, SHARES, {**talk.document(), "version": 7}).status_code == 404


def test_a_member_has_so_many_links(bob: Client, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_SHARES", 1)
    share(bob, **talk.target(), audience="members")
    assert post(bob, SHARES, talk.target()).status_code == 400


@pytest.mark.django_db(databases=["default", "system"], transaction=True)
def test_the_purge_takes_links_along(cast: Cast, bob: Client, talk: Talk) -> None:
    share(bob, **talk.target(), audience="members")
    share(bob, **talk.document(), audience="members")
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=talk.id).update(deleted_at=timezone.now() - timedelta(days=4000))
        Artifact.objects.update(deleted_at=timezone.now() - timedelta(days=4000))
    deleted_purge(organization_id=cast.acme.pk, until=time.monotonic() + 60)
    with tenant_tx(cast.acme.pk):
        assert (Conversation.objects.filter(pk=talk.id).exists(), Share.objects.count()) == (False, 0)


def test_links_of_one_thing_are_listed_apart(bob: Client, talk: Talk) -> None:
    share(bob, **talk.target(), audience="members")
    document = share(bob, **talk.document(), audience="members")
    assert bob.get(SHARES, {"target": str(talk.artifact.pk)}).json()["items"] == [document]
    assert len(bob.get(SHARES).json()["items"]) == 2


def test_one_answer_is_shared_with_its_question_and_nothing_else(cast: Cast, bob: Client, nobody: Client, talk: Talk, public: None) -> None:
    later = talk.say("And what does *Kowalski Freight* ask?", answer="Twelve cents.")
    target = {"of": "answer", "targetId": str(later.pk)}
    preview = bob.get(f"{SHARES}preview/", {"of": "answer", "target": str(later.pk)}).json()
    assert (preview["title"], preview["messageCount"]) == ("And what does *Kowalski Freight* ask?", 2)
    link = share(bob, **target, audience="public")
    assert (link["of"], link["targetId"], link["title"], link["follows"]) == ("answer", str(later.pk), preview["title"], False)
    page = open_link(nobody, link).content.decode()
    assert "Twelve cents." in page
    for fragment in ("Freight brief", "They <em>fell", "Brief for Jonas"):
        assert fragment not in page
    assert events(cast.acme, "share.create")[0].detail["of"] == "answer"
    assert [row["id"] for row in bob.get(SHARES, {"target": str(later.pk)}).json()["items"]] == [link["id"]]
    assert bob.get(SHARES, {"target": str(talk.id)}).json()["items"] == []

    first = share(bob, of="answer", targetId=str(talk.answer.pk), audience="public")
    assert "Brief for Jonas" in open_link(nobody, first).content.decode()
    talk.say("Change it.", answer="Changed.")
    assert "Changed." not in open_link(nobody, first).content.decode()

    for wrong in ({"follows": True}, {"targetId": str(later.parent_id)}, {"audience": "named", "right": "edit", "readers": []}):
        assert post(bob, SHARES, {**target, **wrong}).status_code in {400, 404}, wrong
    for user, slug in ((cast.alice, "acme"), (cast.charlie, "other"), (cast.charlie, "acme")):
        assert post(signed_in(user), f"/o/{slug}/api/shares/", target).status_code == 404
        assert signed_in(user).get(f"/o/{slug}/api/shares/preview/", {"of": "answer", "target": str(later.pk)}).status_code == 404
    assert bob.delete(f"{SHARES}{link['id']}/").status_code == 204
    assert open_link(nobody, link).status_code == 404


def test_a_long_question_without_spaces_still_says_what_the_answer_is_called(bob: Client, talk: Talk, public: None) -> None:
    later = talk.say("運賃の見積もりを比較してください。" * 20, answer="Twelve cents.")
    assert share(bob, of="answer", targetId=str(later.pk))["title"].startswith("運賃の見積もりを比較")


def test_an_answer_that_is_being_written_can_not_be_shared_yet(bob: Client, talk: Talk) -> None:
    with tenant_tx(talk.actor.organization_id):
        unfinished_run(talk.answer)
    response = post(bob, SHARES, {"of": "answer", "targetId": str(talk.answer.pk)})
    assert (response.status_code, response.json()["error"]["message"]) == (
        400,
        "This answer is still being written. Share it when it is finished.",
    )
