"""The preview of a link: what it names, what its maker hides, and that the link shows what the preview showed."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from artifacts.models import Artifact
from artifacts.services import version_create
from chat.models import Conversation
from sharing.checks import share_checks
from sharing.content import Piece, SharedContent
from tenants.context import tenant_tx
from tests.artifacts.support import agent_version
from tests.rest.conftest import post
from tests.sharing.conftest import share
from tests.sharing.support import Talk, open_link
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
SHARES = "/o/acme/api/shares/"


def test_the_preview_counts_and_says_what_to_check(bob: Client, talk: Talk) -> None:
    talk.say("Use sk-abcdefghijklmnop1234 and write to j.weber@northwind.example, as in lanes_2026.xlsx and https://example.org/a.pdf")
    preview = bob.get(f"{SHARES}preview/", {"of": "conversation", "target": str(talk.id)}).json()
    assert (preview["messageCount"], preview["artifactCount"], preview["fileCount"], preview["cut"]) == (4, 1, 1, False)
    assert (preview["policy"], preview["organization"]) == ("members", "Acme")
    checks = [(check["kind"], check["text"]) for check in preview["checks"]]
    line = "Use [removed] and write to j.weber@northwind.example, as in lanes_2026.xlsx and https://example.org/a.pdf"
    assert checks == [("secret", line), ("address", "j.weber@northwind.example"), ("file", "lanes_2026.xlsx")]
    document = bob.get(f"{SHARES}preview/", {"of": "artifact", "target": str(talk.artifact.pk)}).json()
    assert [piece["text"].partition("\n")[0] for piece in document["pieces"]] == ["Brief for Jonas", "Book January"]


KEY, ADDRESS = "sk-abcdefghijklmnop1234", "j.weber@northwind.example"


def test_a_key_blocks_a_link_until_it_is_hidden(bob: Client, talk: Talk) -> None:
    talk.say(f"Use {KEY} and write to {ADDRESS}.", answer=f"I wrote to {ADDRESS}.")
    response = post(bob, SHARES, {**talk.target(), "audience": "members", "hidden": [ADDRESS]})
    assert (response.status_code, response.json()["error"]["message"]) == (400, "It contains a key or a password. Hide it first.")
    link = share(bob, **talk.target(), audience="members", hidden=[ADDRESS], hidesKeys=True)
    assert (link["hidden"], link["hidesKeys"]) == ([ADDRESS], True)
    page = open_link(bob, link).content.decode()
    assert "Use [removed] and write to [removed]." in page
    assert KEY not in page
    assert ADDRESS not in page


def test_a_key_that_is_added_later_is_hidden(bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.target(), audience="members", follows=True)
    talk.say(f"Use {KEY}.")
    page = open_link(bob, link).content.decode()
    assert "Use [removed]." in page
    assert KEY not in page


def test_a_document_is_not_the_value_of_its_name() -> None:
    """Each is hidden by itself, so both together can't block a link that hides keys."""
    assert share_checks(SharedContent("Notes", [Piece("artifact", "Tomorrow", "Password:")])) == []


def test_many_addresses_are_named_and_hidden(bob: Client, talk: Talk) -> None:
    addresses = [f"member{number}@northwind.example" for number in range(60)]
    talk.say(" ".join(addresses))
    preview = bob.get(f"{SHARES}preview/", {"of": "conversation", "target": str(talk.id)}).json()
    texts = [check["text"] for check in preview["checks"]]
    assert texts == addresses
    assert "northwind" not in open_link(bob, share(bob, **talk.target(), audience="members", hidden=texts)).content.decode()


def test_a_text_that_cannot_be_kept_is_refused(bob: Client, talk: Talk) -> None:
    assert post(bob, SHARES, {**talk.target(), "hidden": ["bob\0@example.org"]}).status_code == 400


def test_a_key_in_the_title_blocks_a_link_too(bob: Client, talk: Talk) -> None:
    with tenant_tx(talk.actor.organization_id):
        Conversation.objects.filter(pk=talk.id).update(title=f"Use {KEY}")
    preview = bob.get(f"{SHARES}preview/", {"of": "conversation", "target": str(talk.id)}).json()
    assert (preview["title"], preview["checks"]) == ("Use [removed]", [{"kind": "secret", "text": "Use [removed]"}])
    assert post(bob, SHARES, {**talk.target(), "audience": "members"}).status_code == 400
    link = share(bob, **talk.target(), audience="members", hidesKeys=True)
    assert KEY not in open_link(bob, link).content.decode()


def test_what_is_hidden_is_not_in_the_name_of_the_link_either(bob: Client, talk: Talk) -> None:
    with tenant_tx(talk.actor.organization_id):
        Conversation.objects.filter(pk=talk.id).update(title=f"Mail to {ADDRESS}")
    link = share(bob, **talk.target(), audience="members", hidden=[ADDRESS])
    assert link["title"] == "Mail to [removed]"
    assert ADDRESS not in open_link(bob, link).content.decode()


def preview_of(client: Client, talk: Talk) -> dict[str, Any]:
    preview: dict[str, Any] = client.get(f"{SHARES}preview/", {"of": "conversation", "target": str(talk.id)}).json()
    return preview


def rename(talk: Talk, title: str) -> None:
    with tenant_tx(talk.actor.organization_id):
        Conversation.objects.filter(pk=talk.id).update(title=title)


@pytest.mark.parametrize("follows", [False, True])
def test_a_link_shows_what_its_maker_looked_at(bob: Client, talk: Talk, follows: bool) -> None:
    """A model writes the title some seconds after the question; a message, or a version of a document, may come, too."""
    body = {**talk.target(), "audience": "members", "follows": follows}
    state = preview_of(bob, talk)["state"]
    rename(talk, f"Mail to {ADDRESS}")
    response = post(bob, SHARES, {**body, "previewed": state})
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")
    assert "has changed since you looked at it" in response.json()["error"]["message"]
    assert bob.get(SHARES).json()["items"] == []

    new_preview = preview_of(bob, talk)
    assert {"kind": "address", "text": ADDRESS} in new_preview["checks"]
    link = share(bob, **body, previewed=new_preview["state"], hidden=[ADDRESS])
    assert link["title"] == "Mail to [removed]"
    talk.say("One more?", answer="One more.")
    assert post(bob, SHARES, {**body, "previewed": new_preview["state"]}).status_code == 409
    assert share(bob, **body, previewed=preview_of(bob, talk)["state"])["title"] == f"Mail to {ADDRESS}"


def test_a_copy_keeps_its_title_and_a_link_that_follows_has_the_newest(bob: Client, talk: Talk) -> None:
    copy = share(bob, **talk.target(), audience="members")
    document = share(bob, **talk.document(), audience="members")
    following = share(bob, **talk.target(), audience="members", follows=True)
    assert "Brief for Jonas" in open_link(bob, copy).content.decode()
    rename(talk, "Nobody saw this")
    with tenant_tx(talk.actor.organization_id):
        Artifact.objects.update(title="Nor this")
    titles = {item["id"]: item["title"] for item in bob.get(SHARES).json()["items"]}
    assert titles == {copy["id"]: "Freight brief", document["id"]: "Brief for Jonas", following["id"]: "Nobody saw this"}
    for link in (copy, document):
        page = open_link(bob, link).content.decode()
        assert "Brief for Jonas" in page
        assert "Nobody saw this" not in page
        assert "Nor this" not in page
    page = open_link(bob, following).content.decode()
    assert "Nobody saw this" in page
    assert "Nor this" in page


def test_a_preview_of_the_latest_version_is_none_of_an_older_one(cast: Cast, bob: Client, talk: Talk) -> None:
    body = {**talk.document(), "audience": "members"}
    with tenant_tx(cast.acme.pk):
        version_create(artifact=talk.artifact, version=agent_version("# Book February\n", parent=1))
    state = bob.get(f"{SHARES}preview/", {"of": "artifact", "target": str(talk.artifact.pk)}).json()["state"]
    assert post(bob, SHARES, {**body, "version": 1, "previewed": state}).status_code == 409
    assert share(bob, **body, version=2, previewed=state)["version"] == 2
