"""What named members may do with what is shared with them: read, comment on it, edit its documents; and when that ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from artifacts.models import Artifact
from security.models import AuditEvent
from sharing.comments.services import comment_delete
from sharing.models import Share
from sharing.policy import POLICY_KEY, sharing_policy_set
from sharing.services import share_create
from sharing.shapes import NewShare
from tenants.context import tenant_tx
from tenants.models import GroupMember, Organization, User
from tenants.redis import notifications
from tests.rest.conftest import post, signed_in
from tests.sharing.conftest import share
from tests.sharing.support import Talk, open_link
from tests.sharing.test_named import make_group, member, membership
from tests.support.accounts.cast import Cast
from tests.support.stores.locks import in_own_connections, wait_until_blocked
from tests.support.suite.time_limits import scaled_to_load

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
SHARES = "/o/acme/api/shares/"
Notices = list[tuple[str, dict[str, Any]]]
OnCommit = Callable[..., AbstractContextManager[Any]]


@pytest.fixture
def notices(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: OnCommit) -> Iterator[Notices]:
    """What goes out to members' open pages, by membership."""
    group_messages: Notices = []

    class Layer:
        async def group_send(self, group: str, message: dict[str, Any]) -> None:
            group_messages.append((group, message["payload"]))

    monkeypatch.setattr(notifications, "_layer", Layer)
    with django_capture_on_commit_callbacks(execute=True):
        yield group_messages


def patch(client: Client, path: str, body: dict[str, Any]) -> Any:
    return client.patch(path, body, content_type="application/json")


def page_of(client: Client, link: dict[str, Any]) -> Any:
    return client.get(f"{SHARES}{link['id']}/opened/")


def actions(cast: Cast) -> list[str]:
    with tenant_tx(cast.acme.pk):
        return list(AuditEvent.objects.filter(action__startswith="share.").order_by("created_at").values_list("action", flat=True))


def named_audience(cast: Cast, *users: User, right: str = "comment", **more: Any) -> dict[str, Any]:
    return {"audience": "named", "right": right, "readers": [member(cast, user) for user in users], **more}


def test_named_members_comment_and_the_owner_and_they_alone_see_it(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.target(), **named_audience(cast, cast.alice))
    alice, vera, charlie = (signed_in(user) for user in (cast.alice, cast.vera, cast.charlie))
    assert b"You may comment on this." in open_link(alice, link).content
    page = page_of(alice, link).json()
    assert (page["owner"], page["mayComment"], page["mayEdit"], page["isOwn"]) == ("Bob", True, False, False)
    answer = next(piece for piece in page["pieces"] if piece["kind"] == "answer")
    document = next(piece for piece in page["pieces"] if piece["kind"] == "artifact")
    place = f"{SHARES}{link['id']}/comments/"
    response = post(alice, place, {"text": " Which lane? ", "messageId": answer["messageId"]})
    assert (response.status_code, response.json()["text"], response.json()["author"]) == (201, "Which lane?", "Alice")
    own = post(bob, place, {"text": "Mombasa.", "artifactId": document["artifactId"], "version": 1}).json()
    for client in (alice, bob):
        items = client.get(place).json()["items"]
        assert [(item["author"], item["text"]) for item in items] == [("Alice", "Which lane?"), ("Bob", "Mombasa.")]
    assert bob.get(SHARES).json()["items"][0]["commentCount"] == 2

    for wrong in ({"messageId": str(link["id"])}, {"artifactId": document["artifactId"], "version": 2}):
        assert post(alice, place, {"text": "x", **wrong}).status_code == 404, wrong
    for wrong in (
        {},
        {"messageId": answer["messageId"], "artifactId": document["artifactId"], "version": 1},
        {"artifactId": own["artifactId"]},
    ):
        assert post(alice, place, {"text": "x", **wrong}).status_code == 400, wrong
    assert post(alice, place, {"text": "  ", "messageId": answer["messageId"]}).status_code == 400

    first = f"{place}{response.json()['id']}/"
    assert alice.delete(f"{place}{own['id']}/").status_code == 403
    assert patch(bob, first, {"resolved": True}).json()["resolvedAt"]
    assert response.json()["editedAt"] is None
    comment = patch(alice, first, {"text": " Which lane now? "}).json()
    assert (comment["text"], comment["mayEdit"], bool(comment["editedAt"])) == ("Which lane now?", True, True)
    assert patch(bob, first, {"text": "No lane."}).status_code == 403  # the link is his, the words are not
    for wrong in ({}, {"text": " "}, {"text": ""}, {"text": "x", "resolved": True}):
        assert patch(alice, first, wrong).status_code == 400, wrong
    for client in (vera, charlie):  # nobody else of the organization, and nobody of another one
        answers = [client.get(place), page_of(client, link), post(client, place, {"text": "x", "messageId": answer["messageId"]})]
        answers += [patch(client, first, change) for change in ({"resolved": False}, {"text": "x"})]
        assert [each.status_code for each in [*answers, client.delete(first)]] == [404] * 6
    assert bob.delete(first).status_code == 204
    assert alice.delete(first).status_code == 404
    expected_actions = ["share.comment", "share.comment", "share.comment_resolve", "share.comment_edit", "share.comment_delete"]
    assert actions(cast) == ["share.create", *expected_actions]


@pytest.mark.django_db(transaction=True)
def test_a_comment_that_is_deleted_at_that_moment_is_neither_marked_nor_answered(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.target(), **named_audience(cast, cast.alice))
    place, on = f"{SHARES}{link['id']}/comments/", {"messageId": str(talk.answer.pk)}
    changes: list[Callable[[Client, str], Any]] = [
        lambda client, comment: patch(client, f"{place}{comment}/", {"resolved": True}),
        lambda client, comment: post(client, place, {"text": "Yes.", "threadId": comment, **on}),
    ]
    for change in changes:
        comment = post(bob, place, {"text": "Hm.", **on}).json()["id"]
        with ThreadPoolExecutor(1) as threads:
            with tenant_tx(cast.acme.pk):
                comment_delete(actor=cast.actor(cast.bob), share_id=UUID(link["id"]), comment_id=UUID(comment))
                answer = threads.submit(in_own_connections, change, signed_in(cast.alice), comment)
                wait_until_blocked(answer)
            assert answer.result(timeout=scaled_to_load(10)).status_code == 404


@pytest.mark.django_db(transaction=True, databases=["default", "auth"])
def test_a_link_that_is_made_while_sharing_is_switched_off_is_stopped_too(cast: Cast, talk: Talk) -> None:
    new = NewShare.model_validate(talk.target())
    with ThreadPoolExecutor(1) as threads:
        with tenant_tx(cast.acme.pk):
            share_create(actor=cast.actor(cast.bob), new=new)
            switching = threads.submit(in_own_connections, partial(sharing_policy_set, actor=cast.actor(cast.alice), policy="off"))
            wait_until_blocked(switching)
        assert switching.result(timeout=scaled_to_load(10)) == 1
    with tenant_tx(cast.acme.pk):
        assert not Share.objects.filter(revoked_at=None).exists()


def test_a_right_can_be_changed_and_ends_at_once(cast: Cast, bob: Client, talk: Talk, notices: Notices) -> None:
    link = share(bob, **talk.target(), **named_audience(cast, cast.alice))
    alice = signed_in(cast.alice)
    answer = str(talk.answer.pk)
    place, path = f"{SHARES}{link['id']}/comments/", f"{SHARES}{link['id']}/"
    own = post(alice, place, {"text": "Hm.", "messageId": answer})
    assert own.status_code == 201

    assert patch(bob, path, {"right": "read"}).json()["right"] == "read"
    assert patch(alice, f"{place}{own.json()['id']}/", {"text": "Oh."}).status_code == 403
    assert page_of(alice, link).json()["mayComment"] is False
    assert post(alice, place, {"text": "Hm.", "messageId": answer}).status_code == 403
    assert patch(bob, path, {"right": "edit"}).status_code == 400  # it is a copy
    assert patch(bob, path, {}).status_code == 400
    group = make_group(cast, cast.vera)
    assert [reader["name"] for reader in patch(bob, path, {"readers": [group]}).json()["readers"]] == ["Freight desk"]
    assert page_of(alice, link).status_code == 404
    assert page_of(signed_in(cast.vera), link).status_code == 200
    assert signed_in(cast.alice).patch(path, {"days": 1}, content_type="application/json").status_code == 404
    with tenant_tx(cast.acme.pk):
        GroupMember.objects.all().delete()
    assert page_of(signed_in(cast.vera), link).status_code == 404
    assert bob.delete(path).status_code == 204
    assert page_of(bob, link).status_code == 404
    assert "share.right" in actions(cast)
    assert "share.readers" in actions(cast)

    members = share(bob, **talk.target(), audience="members")
    assert patch(bob, f"{SHARES}{members['id']}/", {"right": "comment"}).status_code == 400
    for wrong in ({"audience": "members", "right": "comment"}, {**named_audience(cast, cast.alice, right="edit"), "follows": False}):
        assert post(bob, SHARES, {**talk.target(), **wrong}).status_code == 400


def test_open_pages_are_told(cast: Cast, bob: Client, talk: Talk, notices: Notices, django_capture_on_commit_callbacks: OnCommit) -> None:
    group = make_group(cast, cast.vera)
    link = share(bob, **talk.target(), audience="named", right="comment", readers=[group, member(cast, cast.alice)])
    owner, alice, vera = (f"member-{membership(cast, user).pk}" for user in (cast.bob, cast.alice, cast.vera))
    place = f"{SHARES}{link['id']}/comments/"
    with django_capture_on_commit_callbacks(execute=True):
        comment = post(signed_in(cast.alice), place, {"text": "Hm.", "messageId": str(talk.answer.pk)}).json()
    changed = {"type": "share", "shareId": link["id"]}
    news = {"type": "comment", "shareId": link["id"], "threadId": comment["id"], "author": "Alice", "title": "Freight brief"}
    assert sorted(notices, key=str) == sorted([(owner, changed), (alice, changed), (vera, changed), (owner, news)], key=str)
    notices.clear()
    with django_capture_on_commit_callbacks(execute=True):
        patch(bob, f"{SHARES}{link['id']}/", {"readers": [group]})
    assert {group for group, _ in notices} == {owner, alice, vera}  # also who is out now


def test_a_member_with_the_right_edits_the_document_as_its_author(cast: Cast, bob: Client, talk: Talk, notices: Notices) -> None:
    link = share(bob, **talk.document(), **named_audience(cast, cast.alice, right="edit", follows=True))
    alice, vera, charlie = (signed_in(user) for user in (cast.alice, cast.vera, cast.charlie))
    artifact = f"/o/acme/api/artifacts/{talk.artifact.pk}/"
    assert [client.get(artifact).json()["isOwn"] for client in (bob, alice)] == [True, False]
    for client in (vera, charlie):
        answers = [
            client.get(artifact),
            client.get(f"{artifact}versions/1/"),
            post(client, f"{artifact}versions/", {"content": "x", "base": 1}),
        ]
        answers += [client.get(f"{artifact}export/?format=md"), client.get(f"{artifact}diff/?from=1&to=1")]
        assert [answer.status_code for answer in answers] == [404] * 5
    assert post(charlie, f"{artifact}revert/", {"number": 1}).status_code == 404
    response = post(alice, f"{artifact}versions/", {"content": "# Book March\n\n<b>now</b>\n", "base": 1})
    assert (response.status_code, response.json()["version"]["authorName"], response.json()["version"]["number"]) == (201, "Alice", 2)
    assert {group for group, payload in notices if payload["type"] == "artifact"} == {
        f"member-{membership(cast, user).pk}" for user in (cast.bob, cast.alice)
    }
    conflict = post(bob, f"{artifact}versions/", {"content": "# Book April\n\n<b>now</b>\n", "base": 1})
    assert (conflict.status_code, conflict.json()["latest"]["number"]) == (409, 2)
    assert alice.patch(artifact, {"title": "Mine"}, content_type="application/json").status_code == 404  # its name is the owner's
    assert alice.get("/o/acme/api/artifacts/").json()["items"] == []

    path = f"{SHARES}{link['id']}/"
    patch(bob, path, {"right": "comment"})
    assert post(alice, f"{artifact}versions/", {"content": "# Book May\n", "base": 2}).status_code == 404
    patch(bob, path, {"right": "edit"})
    assert alice.get(artifact).status_code == 200
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(policy={POLICY_KEY: "off"})
    assert alice.get(artifact).status_code == 404
    assert page_of(alice, link).status_code == 404
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(policy={})
    bob.delete(path)
    assert alice.get(artifact).status_code == 404


def test_editing_a_conversation_covers_the_documents_that_its_branch_shows(cast: Cast, bob: Client, talk: Talk) -> None:
    share(bob, **talk.target(), **named_audience(cast, cast.alice, cast.vera, right="edit", follows=True))
    artifact = f"/o/acme/api/artifacts/{talk.artifact.pk}/"
    alice, vera = signed_in(cast.alice), signed_in(cast.vera)
    assert post(alice, f"{artifact}versions/", {"content": "New.\n", "base": 1}).status_code == 201
    assert vera.get(artifact).status_code == 200
    assert post(vera, f"{artifact}versions/", {"content": "Newer.\n", "base": 2}).status_code == 403  # a viewer of the organization
    with tenant_tx(cast.acme.pk):
        talk.answer.parts.filter(kind="artifact_reference").delete()
    assert alice.get(artifact).status_code == 404


def test_a_picture_in_a_shared_conversation_stays_its_owners(cast: Cast, bob: Client, talk: Talk) -> None:
    share(bob, **talk.target(), **named_audience(cast, cast.alice, right="edit", follows=True))
    artifact = f"/o/acme/api/artifacts/{talk.artifact.pk}/"
    with tenant_tx(cast.acme.pk):
        Artifact.objects.filter(pk=talk.artifact.pk).update(kind="image")
    alice = signed_in(cast.alice)
    answers = [post(alice, f"{artifact}versions/", {"content": "x", "base": 1}), post(alice, f"{artifact}revert/", {"number": 1})]
    assert [answer.json()["error"]["code"] for answer in answers] == ["not_editable"] * 2
    assert post(bob, f"{artifact}revert/", {"number": 1}).status_code == 200


def test_search_engines_list_only_what_owner_and_organization_let_them(cast: Cast, bob: Client, nobody: Client, talk: Talk) -> None:
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(policy={POLICY_KEY: "public"})
    body = {**talk.target(), "audience": "public", "isListed": True}
    assert post(bob, SHARES, body).status_code == 403
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(policy={POLICY_KEY: "listed"})
    assert post(bob, SHARES, {**body, "password": "tea at nine"}).status_code == 400
    link, other = share(bob, **body), share(bob, **talk.target())
    listed_page, unlisted_page = open_link(nobody, link), open_link(nobody, other)
    assert (listed_page["X-Robots-Tag"], b'content="index, follow"' in listed_page.content) == ("all", True)
    assert ("noindex" in unlisted_page["X-Robots-Tag"], b"noindex" in unlisted_page.content) == (True, True)
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(policy={POLICY_KEY: "public"})
    assert "noindex" in open_link(nobody, link)["X-Robots-Tag"]
    for policy in ("public", "listed"):  # what was narrowed does not come back with a wider choice
        assert sharing_policy_set(actor=cast.actor(cast.alice), policy=policy) == 0
        assert "noindex" in open_link(nobody, link)["X-Robots-Tag"]
