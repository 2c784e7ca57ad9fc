"""Comments on passages of a document, which its owner and its editors see beside the text."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.rest.conftest import post, signed_in
from tests.sharing.conftest import share
from tests.sharing.support import Talk
from tests.sharing.test_rights import SHARES, named_audience, patch
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
ANCHOR = {"quote": "Book January", "prefix": "", "suffix": " now", "start": 0}


def beside(client: Client, talk: Talk) -> Any:
    return client.get(f"/o/acme/api/artifacts/{talk.artifact.pk}/comments/")


def place(talk: Talk, version: int = 1) -> dict[str, Any]:
    return {"artifactId": str(talk.artifact.pk), "version": version}


def test_owner_and_editors_see_the_threads_of_a_document_and_nobody_else_does(cast: Cast, bob: Client, talk: Talk) -> None:
    assert beside(bob, talk).json() == {"shareId": None, "items": []}
    link = share(bob, **talk.document(), **named_audience(cast, cast.alice, right="edit", follows=True))
    path = f"{SHARES}{link['id']}/comments/"
    alice = signed_in(cast.alice)
    comment = post(alice, path, {"text": "Why?", "anchor": ANCHOR, **place(talk)}).json()
    assert (comment["anchor"], comment["threadId"]) == (ANCHOR, None)
    reply = post(bob, path, {"text": "It is cheap.", "threadId": comment["id"], **place(talk)}).json()
    for client in (bob, alice):
        listing = beside(client, talk).json()
        assert listing["shareId"] == link["id"]
        assert [(one["text"], one["threadId"], one["mayComment"]) for one in listing["items"]] == [
            ("Why?", None, True),
            ("It is cheap.", comment["id"], True),
        ]
    assert bob.get(SHARES).json()["items"][0]["commentCount"] == 1
    assert patch(bob, f"{path}{reply['id']}/", {"resolved": True}).status_code == 404
    assert patch(bob, f"{path}{comment['id']}/", {"resolved": True}).json()["resolvedBy"] == "Bob"
    assert patch(alice, f"{path}{comment['id']}/", {"resolved": True}).json()["resolvedBy"] == "Bob"  # he was faster
    assert beside(alice, talk).json()["items"][0]["resolvedBy"] == "Bob"
    post(alice, path, {"text": "Not in December.", "threadId": comment["id"], **place(talk)})
    again = beside(bob, talk).json()["items"][0]
    assert (again["resolvedAt"], again["resolvedBy"]) == (None, "")  # an answer opens its thread again
    assert [beside(signed_in(user), talk).status_code for user in (cast.vera, cast.charlie)] == [404, 404]
    other = signed_in(cast.charlie)
    assert other.get(f"/o/other/api/artifacts/{talk.artifact.pk}/comments/").status_code == 404
    assert alice.delete(f"{path}{comment['id']}/").status_code == 204
    assert beside(bob, talk).json()["items"] == []
    patch(bob, f"{SHARES}{link['id']}/", {"right": "comment"})
    assert beside(alice, talk).status_code == 404


def test_a_passage_is_of_a_link_that_shows_the_document_as_it_is_now(cast: Cast, bob: Client, talk: Talk) -> None:
    copy = share(bob, **talk.document(), **named_audience(cast, cast.alice, follows=False))
    new = {"text": "Why?", "anchor": ANCHOR, **place(talk)}
    assert post(signed_in(cast.alice), f"{SHARES}{copy['id']}/comments/", new).status_code == 400
    assert beside(bob, talk).json()["shareId"] is None
    link = share(bob, **talk.target(), **named_audience(cast, cast.alice, right="edit", follows=True))
    path = f"{SHARES}{link['id']}/comments/"
    response = post(bob, f"/o/acme/api/artifacts/{talk.artifact.pk}/versions/", {"base": 1, "content": "# Book February\n"})
    assert response.status_code == 201, response.content
    assert post(bob, path, new).status_code == 201  # somebody else wrote meanwhile
    assert post(bob, path, {**new, "version": 3}).status_code == 404
    [comment] = beside(bob, talk).json()["items"]
    assert post(bob, path, {"text": "Yes.", "threadId": comment["id"], "messageId": str(talk.answer.pk)}).status_code == 404
    assert post(bob, path, {"text": "Yes.", "threadId": str(uuid4()), **place(talk)}).status_code == 404
    for wrong in (
        {**ANCHOR, "quote": ""},
        {**ANCHOR, "quote": "\x00"},
        {**ANCHOR, "quote": "x" * 2001},
        {**ANCHOR, "start": -1},
        {**ANCHOR, "prefix": "x" * 41},
    ):
        assert post(bob, path, {**new, "anchor": wrong}).status_code == 400, wrong
    assert post(bob, path, {**new, "threadId": comment["id"]}).status_code == 400  # a reply has the place of its thread
    odd = post(bob, path, {**new, "anchor": {**ANCHOR, "quote": "a\x00b"}})
    assert odd.json()["anchor"]["quote"] == "ab"
    assert [client.get(path).status_code for client in (bob, signed_in(cast.alice))] == [200, 200]


def test_comments_take_the_same_queries_however_many_links_there_are(cast: Cast, bob: Client, talk: Talk) -> None:
    counts = []
    for _ in range(3):
        link = share(bob, **talk.target(), **named_audience(cast, cast.alice, right="edit", follows=True))
        assert post(bob, f"{SHARES}{link['id']}/comments/", {"text": "Why?", "anchor": ANCHOR, **place(talk)}).status_code == 201
        for client in (bob, signed_in(cast.alice)):
            with CaptureQueriesContext(connection) as queries:
                assert beside(client, talk).status_code == 200
            counts.append(len(queries))
    assert counts[:2] == counts[-2:], counts


def test_an_editor_reads_no_comments_of_links_that_name_others(cast: Cast, bob: Client, talk: Talk) -> None:
    links = [share(bob, **talk.document(), **named_audience(cast, user, right="edit", follows=True)) for user in (cast.alice, cast.vera)]
    for link in links:
        post(bob, f"{SHARES}{link['id']}/comments/", {"text": link["id"], "anchor": ANCHOR, **place(talk)})
    texts = {client: {one["text"] for one in beside(client, talk).json()["items"]} for client in (bob, signed_in(cast.alice))}
    assert list(texts.values()) == [{link["id"] for link in links}, {links[0]["id"]}]


def test_a_link_that_hides_keys_later_shows_no_part_of_one_in_an_anchor(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.document(), **named_audience(cast, cast.alice, right="edit", follows=True))
    path = f"{SHARES}{link['id']}/comments/"
    half = {"quote": "sk-proj-AbCdEfGh", "prefix": "Use ", "suffix": "IjKlMnOpQrStUvWxYz0123456789 now", "start": 4}
    for anchor in (half, ANCHOR):
        assert post(bob, path, {"text": "Why?", "anchor": anchor, **place(talk)}).json()["anchor"] == anchor
    patch(bob, f"{SHARES}{link['id']}/", {"right": "comment"})
    anchors = [one["anchor"] for one in signed_in(cast.alice).get(path).json()["items"]]
    assert [(one["quote"], one["prefix"], one["suffix"]) for one in anchors] == [("[removed]", "", ""), (ANCHOR["quote"], "", "")]
