"""Projects: a member's own folders, with instructions, files and conversations; nobody else's."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from chat.models import Conversation, Project
from chat.projects import services
from files.knowledge.models import KnowledgeFile
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, post, signed_in
from tests.rest.project_requests import API, PROJECTS, add_file, make_project
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


def move(client: Client, conversation_ids: list[UUID], project_id: str | None) -> Any:
    return post(
        client, f"{API}/conversation-batches/", {"ids": [str(each) for each in conversation_ids], "act": "move", "projectId": project_id}
    )


def test_a_project_is_made_changed_and_listed_by_name(alice: Client) -> None:
    second = make_project(alice, " Tea ", color=3, description="Lanes")
    first = make_project(alice)
    assert [(item["id"], item["name"]) for item in alice.get(PROJECTS).json()["items"]] == [(first, "Harbour tariffs"), (second, "Tea")]
    changed = alice.patch(f"{PROJECTS}{first}/", {"instructions": "Euros only. ", "color": 6}, content_type="application/json").json()
    assert (changed["instructions"], changed["color"], changed["name"]) == ("Euros only.", 6, "Harbour tariffs")
    assert alice.get(f"{PROJECTS}{first}/").json() == changed


@pytest.mark.parametrize(
    "body", [{"name": " "}, {"name": "x" * 81}, {"name": "a", "color": 7}, {"name": "a", "instructions": "x" * 8001}, {"name": "\x00"}]
)
def test_a_project_that_does_not_fit_is_refused(alice: Client, body: dict[str, Any]) -> None:
    assert post(alice, PROJECTS, body).status_code == 400
    assert alice.get(PROJECTS).json()["items"] == []


def test_a_member_has_so_many_and_no_more(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_PROJECTS", 1)
    make_project(alice)
    assert post(alice, PROJECTS, {"name": "Another"}).status_code == 400


def test_conversations_are_moved_in_and_out_listed_and_found(cast: Cast, alice: Client) -> None:
    project_id = make_project(alice)
    tea, coffee = make_conversation(cast, cast.alice, "Tea fees"), make_conversation(cast, cast.alice, "Coffee fees")
    assert move(alice, [tea, coffee], project_id).json()["ids"]
    inside = alice.get(f"{API}/conversations/?projectId={project_id}").json()["items"]
    assert [(item["title"], item["projectId"]) for item in inside] == [("Coffee fees", project_id), ("Tea fees", project_id)]
    assert alice.get(f"{PROJECTS}{project_id}/").json()["conversationCount"] == 2
    out = alice.patch(f"{API}/conversations/{tea}/", {"projectId": None}, content_type="application/json").json()
    assert out["projectId"] is None
    coffee_json = alice.patch(f"{API}/conversations/{coffee}/", {"title": "Fees"}, content_type="application/json").json()
    assert coffee_json["projectId"] == project_id, "what is not named stays"
    hits = alice.get(f"{API}/search/?q=fees&projectId={project_id}").json()["items"]
    assert [(hit["conversationId"], hit["projectId"]) for hit in hits] == [(str(coffee), project_id)]
    conversation = post(alice, f"{API}/conversations/", {"title": "New", "projectId": project_id}).json()
    assert conversation["projectId"] == project_id


def test_the_artifacts_of_its_conversations_are_listed_the_last_changed_first(cast: Cast, alice: Client) -> None:
    project_id = make_project(alice)
    inside, away, outside = (make_conversation(cast, cast.alice, title) for title in ("Tea", "Old", "Coffee"))
    move(alice, [inside, away], project_id)
    for title, conversation_id in (("Fees", inside), ("Rates", inside), ("Old fees", away), ("Beans", outside)):
        make_artifact(cast.actor(cast.alice), title=title, conversation_id=conversation_id)
    post(alice, f"{API}/conversation-batches/", {"ids": [str(away)], "act": "archive"})
    page = alice.get(f"{PROJECTS}{project_id}/artifacts/?limit=1").json()
    assert [(item["title"], item["conversationId"]) for item in page["items"]] == [("Rates", str(inside))]
    rest = alice.get(f"{PROJECTS}{project_id}/artifacts/?cursor={page['nextCursor']}").json()
    assert ([item["title"] for item in rest["items"]], rest["nextCursor"]) == (["Fees"], None)


@pytest.mark.parametrize("fate", ["keep", "delete"])
def test_a_deleted_project_keeps_or_takes_its_conversations(cast: Cast, alice: Client, fate: str) -> None:
    project_id, conversation_id = make_project(alice), make_conversation(cast, cast.alice, "Tea")
    move(alice, [conversation_id], project_id)
    add_file(alice, project_id)
    assert alice.delete(f"{PROJECTS}{project_id}/?conversations={fate}").status_code == 204
    conversations = alice.get(f"{API}/conversations/").json()["items"]
    assert [(item["title"], item["projectId"]) for item in conversations] == ([("Tea", None)] if fate == "keep" else [])
    if fate == "delete":
        assert post(alice, f"{API}/conversations/{conversation_id}/restore/").json()["projectId"] is None
    with tenant_tx(cast.acme.pk):
        assert not Project.objects.exists()
        assert not KnowledgeFile.objects.exists()
    assert [event.object_id for event in events(cast.acme, "project.delete")] == [project_id]


def test_a_project_is_its_members_alone(cast: Cast, alice: Client) -> None:
    """A colleague, a reader and another organization get what a missing one gives."""
    project_id = make_project(alice, instructions="A secret")
    file_id = add_file(alice, project_id).json()["id"]
    own = make_conversation(cast, cast.bob, "Bob's")
    calls: list[tuple[str, str, Any]] = [
        ("get", "", None),
        ("patch", "", {"name": "Mine now"}),
        ("delete", "?conversations=delete", None),
        ("get", "artifacts/", None),
        ("get", "files/", None),
        ("delete", f"files/{file_id}/", None),
        ("post", f"files/{file_id}/readings/", None),
        ("post", f"files/{file_id}/attachments/", None),
    ]
    for user, slug in ((cast.bob, "acme"), (cast.charlie, "acme"), (cast.charlie, "other")):
        client = signed_in(user)
        for target_id in (project_id, str(uuid4())):
            for method, rest, body in calls:
                answer = getattr(client, method)(f"/o/{slug}/api/projects/{target_id}/{rest}", body, content_type="application/json")
                assert answer.status_code == 404, (user, method, rest)
                assert b"secret" not in answer.content
            assert add_file(client, target_id, slug=slug).status_code == 404
    bob = signed_in(cast.bob)
    assert move(bob, [own], project_id).status_code == 404
    assert post(bob, f"{API}/conversations/", {"projectId": project_id}).status_code == 404
    assert bob.get(PROJECTS).json()["items"] == bob.get(f"{API}/conversations/?projectId={project_id}").json()["items"] == []
    vera = signed_in(cast.vera)
    assert post(vera, PROJECTS, {"name": "Hers"}).status_code == 403
    assert alice.get(f"{PROJECTS}{project_id}/").json()["fileCount"] == 1
    with tenant_tx(cast.other.pk):
        assert not Project.objects.exists(), "row security"
        assert not Conversation.objects.exclude(project=None).exists()
