"""Templates by REST: whose they are, who sees which version, and what is made of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from artifacts.models import Artifact
from gallery.models import TemplateVersion
from gallery.ownership import templates_delete
from tenants.context import tenant_tx
from tests.gallery.conftest import BASE, BRIEF, put, template_titles
from tests.rest.conftest import make_conversation, post, signed_in
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


def test_a_template_is_its_owners_until_it_is_published_and_never_another_organizations(
    cast: Cast, bob: Client, alice: Client, brief: Any
) -> None:
    one = f"{BASE}{brief['id']}/"
    assert ([*brief["placeholders"]][1]["name"], brief["state"]) == ("reader", "private"), "each gap of a document is asked for"
    assert (template_titles(bob), template_titles(alice)) == (["Market brief"], [])
    foreign = [(alice, one), (signed_in(cast.charlie), one), (signed_in(cast.charlie), one.replace("acme", "other"))]

    def assert_foreign_see_nothing() -> None:
        for client, path in foreign:
            assert client.get(path).status_code == 404
            assert put(client, path, _text()).status_code == 404
            assert client.delete(path).status_code == 404
            for act, body in (("submit", None), ("withdraw", None), ("fill", {"values": None}), ("use", {"values": None})):
                assert post(client, f"{path}{act}/", body).status_code == 404

    assert_foreign_see_nothing()
    changed = put(bob, one, {**_text(), "title": "Market brief, short"}).json()
    assert (changed["latestVersion"], [row["number"] for row in changed["versions"]]) == (2, [2, 1])
    assert bob.get(one, {"version": 1}).json()["title"] == "Market brief"
    assert bob.get(one, {"version": 3}).status_code == 404
    assert post(bob, f"{one}submit/").json()["state"] == "in_review"
    assert template_titles(alice) == ["Market brief, short"], "admins see what waits for them"
    foreign.pop(0)
    assert_foreign_see_nothing()
    assert post(bob, f"{one}withdraw/").json()["state"] == "private"
    assert bob.delete(one).status_code == 204


def test_a_version_never_changes(cast: Cast, brief: Any) -> None:
    with tenant_tx(cast.acme.pk), pytest.raises(Exception, match="permission denied"):
        TemplateVersion.objects.update(body="x")


def test_using_one_makes_an_artifact_in_a_new_conversation_or_in_an_own_one(cast: Cast, bob: Client, brief: Any) -> None:
    use = f"{BASE}{brief['id']}/use/"
    wrong = post(bob, use, {"values": {"market": " "}})
    assert (wrong.status_code, wrong.json()["error"]["message"]) == (400, "“Market” is empty.")
    assert post(bob, use, {"values": {"market": "Tea", "nobody": "x"}}).status_code == 400
    artifact = post(bob, use, {"values": {"market": "Tea", "reader": "Ann"}}).json()
    assert (artifact["title"], artifact["kind"], artifact["content"]) == ("Market brief: Tea", "text", "# Market brief: Tea\n\nFor Ann.\n")
    messages = bob.get(f"/o/acme/api/conversations/{artifact['conversationId']}/messages/").json()["items"]
    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert artifact["id"] in str(messages[1])
    own, foreign = make_conversation(cast, cast.bob), make_conversation(cast, cast.alice)
    assert post(bob, use, {"values": None, "conversation": str(own)}).json()["conversationId"] == str(own)
    assert post(bob, use, {"values": None, "conversation": str(foreign)}).status_code == 404
    assert bob.get(f"{BASE}{brief['id']}/").json()["uses"] == 2, "what failed is no use"
    with tenant_tx(cast.acme.pk):
        assert Artifact.objects.filter(conversation_id=own).get().title == "Market brief"


def test_viewers_read_and_make_nothing(cast: Cast, alice: Client) -> None:
    vera = signed_in(cast.vera)
    template = post(alice, BASE, BRIEF).json()
    url = f"{BASE}{template['id']}/"
    assert post(alice, f"{url}submit/").json()["state"] == "published", "an admin's is published at once"
    assert template_titles(vera) == ["Market brief"]
    assert post(vera, f"{url}fill/", {"values": {"market": "Tea"}}).json()["text"] == "# Market brief: Tea\n\nFor .\n"
    for path, body in ((BASE, BRIEF), (f"{url}use/", {"values": None})):
        assert post(vera, path, body).status_code == 403


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"placeholders": [{"name": "buyer"}]}, "The text has no placeholder {{buyer}}. Add it, or remove its field."),
        ({"placeholders": [{"name": "market"}, {"name": "market"}]}, "Two placeholders have the same name."),
        ({"placeholders": [{"name": "market", "kind": "choice"}]}, ""),
        ({"placeholders": [{"name": "market", "kind": "number", "default": "many"}]}, ""),
        ({"title": "\u202e"}, "A template needs a title and a text."),
        ({"kind": "prompt", "body": "x" * 8001, "placeholders": []}, "A prompt can have 8,000 characters."),
    ],
)
def test_what_can_be_no_template_is_refused(bob: Client, change: Any, message: str) -> None:
    response = post(bob, BASE, {**BRIEF, **change})
    assert response.status_code == 400
    assert message in response.json()["error"]["message"]


def test_lists_are_filtered_and_paged_with_the_same_queries_however_long(
    bob: Client, brief: Any, django_assert_max_num_queries: Any
) -> None:
    for number in range(3):
        post(bob, BASE, {**BRIEF, "title": f"Plan {number}", "category": "Plans", "kind": "mermaid", "placeholders": []})
    assert template_titles(bob, q="plan 2") == ["Plan 2"]
    assert template_titles(bob, kind="mermaid", category="Plans") == ["Plan 2", "Plan 1", "Plan 0"]
    assert template_titles(bob, source="organization") == []
    with django_assert_max_num_queries(8):
        first = bob.get(BASE, {"limit": 3}).json()
    assert [item["title"] for item in first["items"]] == ["Plan 2", "Plan 1", "Plan 0"]
    assert {"Plans", "Research"} <= {*first["categories"]}
    last = bob.get(BASE, {"limit": 3, "cursor": first["nextCursor"]}).json()
    assert (last["items"][0]["title"], last["items"][1]["source"], last["nextCursor"]) == ("Market brief", "parley", None)


def test_what_a_removed_member_published_stays(cast: Cast, bob: Client, alice: Client, brief: Any) -> None:
    post(bob, f"{BASE}{brief['id']}/submit/")
    one = f"/o/acme/admin/gallery/template/{brief['id']}/"
    assert alice.post(f"{one}decide/", {"action": "approve", "number": "1"}).status_code == 302
    post(bob, BASE, {**BRIEF, "title": "Private"})
    with tenant_tx(cast.acme.pk):
        templates_delete(cast.actor(cast.bob).membership_id)
    assert (template_titles(bob), template_titles(alice)) == (["Market brief"], ["Market brief"])
    assert alice.get(f"{one}change/?edit=1").status_code == 200, "the organization's own from now on"


def _text() -> dict[str, Any]:
    return {name: value for name, value in BRIEF.items() if name != "kind"}
