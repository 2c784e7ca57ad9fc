"""The review of members' templates on the admin site, with its events."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.gallery.conftest import BASE, BRIEF, put, template_titles
from tests.rest.conftest import post, signed_in
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
ADMIN = "/o/acme/admin/gallery/template/"


def decide(client: Client, template: Any, action: str, number: int = 1, **more: str) -> Any:
    return client.post(f"{ADMIN}{template['id']}/decide/", {"action": action, "number": str(number), **more}, follow=True)


def test_a_version_is_sent_back_changed_approved_replaced_and_withdrawn(cast: Cast, bob: Client, alice: Client, brief: Any) -> None:
    one = f"{BASE}{brief['id']}/"
    assert "Market brief" not in alice.get(ADMIN).content.decode(), "what is private is its owner's alone"
    post(bob, f"{one}submit/")
    page = alice.get(f"{ADMIN}{brief['id']}/change/").content.decode()
    assert "# Market brief: {{market}}" in page
    assert "Market: text, required" in page
    assert "Say what should change." in decide(alice, brief, "send_back").content.decode()
    decide(alice, brief, "send_back", reason="Add sources.")
    mine = bob.get(one).json()
    assert (mine["state"], mine["reason"]) == ("private", "Add sources.")
    text = {name: value for name, value in BRIEF.items() if name != "kind"}
    put(bob, one, {**text, "body": f"{BRIEF['body']}\nSources: {{{{sources}}}}\n"})
    post(bob, f"{one}submit/")
    assert "wait any more. Its author" in decide(alice, brief, "approve", number=1).content.decode(), "only what was read is published"
    decide(alice, brief, "approve", number=2)
    vera = signed_in(cast.vera)
    assert vera.get(one).json()["reviewer"] == "Alice"
    put(bob, one, {**text, "title": "Market brief, new"})
    post(bob, f"{one}submit/")
    assert template_titles(vera) == ["Market brief"], "the published one stays until the new one is"
    html = alice.get(f"{ADMIN}{brief['id']}/change/").content.decode()
    assert '<li class="removed">Sources: {{sources}}</li>' in html
    assert '<li class="added">Market brief, new</li>' in html
    decide(alice, brief, "approve", number=3)
    assert template_titles(vera) == ["Market brief, new"]
    decide(alice, brief, "withdraw")
    assert (template_titles(vera), bob.get(one).json()["state"]) == ([], "withdrawn")
    assert [event.action for event in events(cast.acme) if event.action.startswith("template.")] == [
        "template.submit",
        "template.send_back",
        "template.submit",
        "template.publish",
        "template.submit",
        "template.publish",
        "template.withdraw",
    ]


def test_only_admins_of_the_organization_decide(cast: Cast, bob: Client, alice: Client, brief: Any) -> None:
    post(bob, f"{BASE}{brief['id']}/submit/")
    other = f"/o/other/admin/gallery/template/{brief['id']}/"
    for client, page in ((bob, f"{ADMIN}{brief['id']}/"), (signed_in(cast.charlie), f"{ADMIN}{brief['id']}/")):
        assert client.get(f"{page}change/").status_code == 404
        assert client.post(f"{page}decide/", {"action": "approve", "number": "1"}).status_code == 404
    assert signed_in(cast.charlie).post(f"{other}decide/", {"action": "approve", "number": "1"}).status_code == 404
    assert bob.get(f"{BASE}{brief['id']}/").json()["state"] == "in_review"
