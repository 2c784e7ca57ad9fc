from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from artifacts.anchors import anchor_make
from artifacts.models import Artifact, Suggestion
from artifacts.selectors import artifact_get_for_member
from artifacts.services import NewSuggestion, suggestions_add, version_create
from tenants.context import tenant_tx
from tenants.models import User
from tests.artifacts.support import agent_version, make_artifact
from tests.support.accounts.cast import Cast

TEXT = "Tea is good.\nTea is drank in the morning.\nTea is cheap 🍵.\n"
RUN = uuid4()


@pytest.fixture
def artifact(cast: Cast) -> Artifact:
    artifact: Artifact = make_artifact(cast.actor(cast.alice), TEXT).artifact
    return artifact


def suggest(cast: Cast, artifact: Artifact, *changes: tuple[str, str], call_id: str = "call") -> list[UUID]:
    """Return the ids of all that the call suggested."""
    items = []
    for original, replacement in changes:
        anchor = anchor_make(TEXT, original)
        assert anchor is not None
        items.append(NewSuggestion(anchor=anchor, replacement=replacement, comment="Better."))
    with tenant_tx(cast.acme.pk):
        suggestions = suggestions_add(artifact=artifact, version_number=1, call_id=call_id, run_id=RUN, items=items)
        return [suggestion.pk for suggestion in suggestions]


def decide(user: User, artifact: Artifact, ids: Any, decision: str = "accept") -> Any:
    client = Client()
    client.force_login(user)
    body = {"ids": ids if ids == "all" else [str(suggestion_id) for suggestion_id in ids], "decision": decision}
    path = f"/o/acme/api/artifacts/{artifact.pk}/suggestions/decide/"
    return client.post(path, json.dumps(body), content_type="application/json")


def edit(cast: Cast, artifact: Artifact, content: str) -> None:
    alice = cast.actor(cast.alice)
    with tenant_tx(alice.organization_id):
        member_artifact = artifact_get_for_member(artifact_id=artifact.pk, actor=alice)
        version_create(artifact=member_artifact, version=agent_version(content, parent=member_artifact.latest_number))


def test_a_call_that_is_repeated_suggests_once_and_goes_on(cast: Cast, artifact: Artifact) -> None:
    first = suggest(cast, artifact, ("good", "great"))
    assert suggest(cast, artifact, ("good", "great"), ("drank", "drunk"))[:1] == first
    with tenant_tx(cast.acme.pk):
        assert Suggestion.objects.count() == 2


def test_all_accepted_ones_make_one_version(cast: Cast, artifact: Artifact) -> None:
    suggest(cast, artifact, ("drank", "drunk"), ("good", "great"), ("🍵.", "and warm."))
    body = decide(cast.alice, artifact, "all").json()
    assert body["content"] == "Tea is great.\nTea is drunk in the morning.\nTea is cheap and warm.\n"
    assert (body["version"]["number"], body["version"]["operation"], body["version"]["authorName"]) == (2, "edit", "Alice")
    assert [suggestion["status"] for suggestion in body["suggestions"]] == ["accepted"] * 3


def test_a_draft_that_broke_off_takes_no_suggestion_its_place(cast: Cast, artifact: Artifact) -> None:
    suggest(cast, artifact, ("drank", "drunk"))
    with tenant_tx(cast.acme.pk):
        version_create(artifact=artifact, version=agent_version("Tea is", parent=1, is_draft=True))
    body = decide(cast.alice, artifact, "all").json()
    assert (body["content"], body["version"]["parent"]) == (TEXT.replace("drank", "drunk"), 1)


def test_anchors_survive_edits_elsewhere_and_what_is_gone_is_stale(cast: Cast, artifact: Artifact) -> None:
    ids = suggest(cast, artifact, ("drank", "drunk"), ("good", "great"))
    edit(cast, artifact, "# All about tea\n\nWhite tea is fine.\nTea is drank in the morning.\n")
    body = decide(cast.alice, artifact, ids).json()
    assert body["content"] == "# All about tea\n\nWhite tea is fine.\nTea is drunk in the morning.\n"
    assert [suggestion["status"] for suggestion in body["suggestions"]] == ["accepted", "stale"]
    again = decide(cast.alice, artifact, ids).json()  # nothing that was decided is decided anew
    assert again["version"]["number"] == body["version"]["number"]
    assert [suggestion["status"] for suggestion in again["suggestions"]] == ["accepted", "stale"]
    assert decide(cast.alice, artifact, ids[1:], "reject").json()["suggestions"][0]["status"] == "rejected"


def test_of_two_suggestions_for_the_same_words_the_first_is_applied(cast: Cast, artifact: Artifact) -> None:
    suggest(cast, artifact, ("is drank in", "is drunk in"), ("drank", "had"))
    body = decide(cast.alice, artifact, "all").json()
    assert "Tea is drunk in the morning." in body["content"]
    assert [suggestion["status"] for suggestion in body["suggestions"]] == ["accepted", "stale"]


def test_rejected_ones_change_nothing_and_are_gone_from_the_list(cast: Cast, artifact: Artifact) -> None:
    first, second = suggest(cast, artifact, ("good", "great"), ("drank", "drunk"))
    body = decide(cast.alice, artifact, [first], "reject").json()
    assert (body["version"]["number"], body["content"]) == (1, TEXT)
    client = Client()
    client.force_login(cast.alice)
    path = f"/o/acme/api/artifacts/{artifact.pk}/"
    response = client.get(path)
    assert [(item["id"], item["original"], item["start"]) for item in response.json()["suggestions"]] == [(str(second), "drank", 20)]
    decide(cast.alice, artifact, [second], "reject")
    assert client.get(path, headers={"If-None-Match": response["ETag"]}).status_code == 200  # not what the client has


def test_ids_of_another_artifact_are_not_found(cast: Cast, artifact: Artifact) -> None:
    other = make_artifact(cast.actor(cast.alice), TEXT).artifact
    ids = suggest(cast, other, ("good", "great"))
    assert decide(cast.alice, artifact, ids).status_code == 404
    assert decide(cast.alice, artifact, [uuid4()]).status_code == 404
