"""Edits over REST: what others wrote since is merged, shown as a conflict, never dropped (SPEC 7.2)."""

from __future__ import annotations

import json
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from artifacts.edits import agent_version_save
from artifacts.models import Artifact, Version
from artifacts.selectors import artifact_get_for_member, version_get
from artifacts.services import artifact_lock
from tenants.context import tenant_tx
from tenants.models import User
from tests.artifacts.support import agent_version, make_artifact
from tests.artifacts.writers import RandomWriters
from tests.support.accounts.cast import Cast

POEM = "roses\nviolets\nsugar\nyou\n"


@pytest.fixture
def artifact(cast: Cast) -> Artifact:
    """Alice's poem, version 1."""
    artifact: Artifact = make_artifact(cast.actor(cast.alice), POEM).artifact
    return artifact


def send(user: User, method: str, path: str, body: Any, slug: str = "acme") -> Any:
    client = Client()
    client.force_login(user)
    return getattr(client, method)(f"/o/{slug}/api/artifacts/{path}", json.dumps(body), content_type="application/json")


def save(user: User, artifact: Artifact, content: str, base: int, **fields: Any) -> Any:
    return send(user, "post", f"{artifact.pk}/versions/", {"content": content, "base": base, **fields})


def detail(user: User, artifact: Artifact) -> Any:
    return _get(user, f"{artifact.pk}/").json()


def _get(user: User, path: str, slug: str = "acme") -> Any:
    client = Client()
    client.force_login(user)
    return client.get(f"/o/{slug}/api/artifacts/{path}")


def agent_writes(cast: Cast, artifact: Artifact, content: str, parent: int, **fields: Any) -> Version:
    alice = cast.actor(cast.alice)
    with tenant_tx(alice.organization_id):
        member_artifact = artifact_get_for_member(artifact_id=artifact.pk, actor=alice)
        return agent_version_save(artifact=member_artifact, version=agent_version(content, parent=parent, **fields))


def test_an_edit_is_the_next_version_with_its_author_and_what_it_changed(cast: Cast, artifact: Artifact) -> None:
    response = save(cast.alice, artifact, POEM.replace("sugar", "honey"), 1, autosave=True)
    assert response.status_code == 201
    body = response.json()
    assert body["merged"] is False
    version = body["version"]
    assert (version["number"], version["parent"], version["operation"], version["isAutosave"]) == (2, 1, "edit", True)
    assert (version["authorKind"], version["authorName"], version["changedLines"]) == ("user", "Alice", {"added": 1, "removed": 1})


def test_saving_what_stands_there_makes_no_version(cast: Cast, artifact: Artifact) -> None:
    response = save(cast.alice, artifact, POEM, 1)
    assert (response.status_code, response.json()["version"]["number"]) == (200, 1)


def test_what_others_wrote_since_is_merged_in(cast: Cast, artifact: Artifact) -> None:
    save(cast.alice, artifact, POEM.replace("roses", "Roses are red"), 1)
    response = save(cast.alice, artifact, POEM.replace("you", "You"), 1)
    body = response.json()
    assert (response.status_code, body["merged"]) == (201, True)
    assert body["content"] == "Roses are red\nviolets\nsugar\nYou\n"
    assert (body["version"]["number"], body["version"]["parent"]) == (3, 2)


def test_a_draft_that_is_stored_already_undoes_nothing_that_was_written_since(cast: Cast, artifact: Artifact) -> None:
    mine = POEM.replace("sugar", "honey")
    assert save(cast.alice, artifact, mine, 1).json()["version"]["number"] == 2  # the closing page did not wait for this
    latest = POEM.replace("sugar", "salt")
    save(cast.alice, artifact, latest, 2)
    response = save(cast.alice, artifact, mine, 1, autosave=True)
    body = response.json()
    assert (response.status_code, body["version"]["number"], body["content"], body["merged"]) == (200, 3, latest, True)


def test_a_conflict_stores_nothing_and_shows_both_sides(cast: Cast, artifact: Artifact) -> None:
    theirs, yours = POEM.replace("sugar", "honey"), POEM.replace("sugar", "salt").replace("you", "You")
    save(cast.alice, artifact, theirs, 1)
    response = save(cast.alice, artifact, yours, 1)
    body = response.json()
    assert (response.status_code, body["error"]["code"]) == (409, "conflict")
    assert (body["base"], body["latest"], body["yours"]) == ({"number": 1, "content": POEM}, {"number": 2, "content": theirs}, yours)
    kinds = [hunk["kind"] for hunk in body["merged"]]
    assert kinds == ["same", "conflict", "same"]
    assert (body["merged"][1]["theirs"], body["merged"][1]["yours"], body["merged"][2]["yours"]) == ("honey\n", "salt\n", "You\n")
    assert detail(cast.alice, artifact)["latestVersion"] == 2
    merge_response = save(cast.alice, artifact, POEM.replace("sugar", "honey and salt"), 2, operation="merge")
    assert (merge_response.status_code, merge_response.json()["version"]["operation"]) == (201, "merge")


def test_what_the_member_typed_while_an_agent_wrote_is_merged_into_its_version(cast: Cast, artifact: Artifact) -> None:
    save(cast.alice, artifact, POEM + "and Bob\n", 1)
    version = agent_writes(cast, artifact, POEM.replace("roses", "Roses are red"), 1)
    assert version.content == "Roses are red\nviolets\nsugar\nyou\nand Bob\n"
    assert (version.parent, version.metadata["base"], version.metadata["merged"]) == (2, 1, True)


def test_an_agents_conflict_keeps_both_texts_and_is_shown_until_a_member_joins_them(cast: Cast, artifact: Artifact) -> None:
    member_text, agent_text = POEM.replace("sugar", "salt"), POEM.replace("sugar", "honey")
    save(cast.alice, artifact, member_text, 1)
    assert agent_writes(cast, artifact, agent_text, 1).parent == 1
    details = detail(cast.alice, artifact)
    assert (details["content"], details["latestVersion"]) == (agent_text, 3)
    assert (details["conflict"]["latest"], details["conflict"]["yours"]) == ({"number": 3, "content": agent_text}, member_text)
    still_typing = save(cast.alice, artifact, member_text + "more\n", 2)  # from before the agent's version: not over it in silence
    assert (still_typing.status_code, still_typing.json()["latest"]["content"]) == (409, agent_text)
    assert save(cast.alice, artifact, agent_text, 3, operation="merge").status_code == 201  # "keep the agent's"
    assert detail(cast.alice, artifact)["conflict"] is None


def test_a_conflict_is_joined_also_while_others_go_on_writing(cast: Cast, artifact: Artifact) -> None:
    save(cast.alice, artifact, POEM.replace("sugar", "salt"), 1)
    agent_text = POEM.replace("sugar", "honey")
    agent_writes(cast, artifact, agent_text, 1)
    save(cast.alice, artifact, agent_text + "and Bob\n", 3)  # in another tab
    joined_by_hand = save(cast.alice, artifact, agent_text.replace("honey", "honey, salt"), 3, operation="merge").json()
    assert (joined_by_hand["version"]["operation"], joined_by_hand["merged"]) == ("merge", True)
    details = detail(cast.alice, artifact)
    assert (details["content"], details["conflict"]) == ("roses\nviolets\nhoney, salt\nyou\nand Bob\n", None)


def test_a_draft_that_broke_off_takes_nothing_away_from_what_is_typed(cast: Cast, artifact: Artifact) -> None:
    agent_writes(cast, artifact, "roses\n", 1, is_draft=True)
    body = save(cast.alice, artifact, POEM + "and Bob\n", 1).json()
    assert (body["content"], body["merged"], body["version"]["parent"]) == (POEM + "and Bob\n", False, 1)
    goes_on = save(cast.alice, artifact, "roses and more\n", 2).json()
    assert goes_on["merged"] is True  # made from the draft: joined with what was typed beside it


def test_an_agent_that_is_run_again_after_a_crash_stores_once(cast: Cast, artifact: Artifact) -> None:
    save(cast.alice, artifact, POEM + "and Bob\n", 1)
    call: Any = {"run_id": uuid4(), "call_id": "call-1"}
    assert agent_writes(cast, artifact, "red " + POEM, 1, **call) == agent_writes(cast, artifact, "red " + POEM, 1, **call)


def test_a_patch_changes_nothing_outside_of_the_selection(cast: Cast) -> None:
    artifact = make_artifact(cast.actor(cast.alice), "🌹 roses\nviolets\n").artifact
    selection: Any = {"operation": "patch", "start": 3, "end": 8}  # "roses", in UTF-16 code units
    for content in ("🌹 Roses\nViolets\n", "🌹 Roses\n", "🌹Roses\nviolets\n", ""):
        response = save(cast.alice, artifact, content, 1, **selection)
        assert (response.status_code, response.json()["error"]["code"]) == (400, "outside_selection"), content
    for wrong in ({"start": 1}, {"end": 99}, {"start": 8}, {"end": None}):
        response = save(cast.alice, artifact, "🌹 Roses\nviolets\n", 1, **{**selection, **wrong})
        assert (response.status_code, response.json()["error"]["code"]) == (400, "selection_invalid"), wrong
    assert save(cast.alice, artifact, "🌹 tulips and\nroses\nviolets\n", 1, **selection).json()["version"]["operation"] == "patch"


def test_an_image_has_no_text_to_edit_and_too_much_text_is_told(cast: Cast, artifact: Artifact) -> None:
    image = make_artifact(cast.actor(cast.alice), "", kind="image").artifact
    assert save(cast.alice, image, "text", 1).json()["error"]["code"] == "not_editable"
    number = 1
    for largest in ("é" * 524_288, '"\n' * 524_288):  # however its characters are escaped on the way
        number = save(cast.alice, artifact, largest, number).json()["version"]["number"]
        response = save(cast.alice, artifact, largest + "x", number)
        assert (response.status_code, response.json()["error"]["code"]) == (413, "artifact_too_large")


def test_titles_change_and_any_two_versions_compare(cast: Cast, artifact: Artifact) -> None:
    save(cast.alice, artifact, POEM.replace("sugar", "honey"), 1)
    response = send(cast.alice, "patch", f"{artifact.pk}/", {"title": "  A\n poem "})
    assert (response.status_code, response.json()["title"]) == (200, "A poem")
    assert send(cast.alice, "patch", f"{artifact.pk}/", {"title": " \u0000 "}).status_code == 400
    body = _get(cast.alice, f"{artifact.pk}/diff/?from=2&to=1").json()
    assert (body["added"], body["removed"], body["hunks"][0]["fromStart"]) == (1, 1, 1)
    lines = [(line["op"], line["text"]) for line in body["hunks"][0]["lines"]]
    assert lines == [(" ", "roses"), (" ", "violets"), ("-", "honey"), ("+", "sugar"), (" ", "you")]


def test_other_members_find_no_artifact_and_viewers_only_read(cast: Cast, artifact: Artifact) -> None:
    edit = {"content": "x", "base": 1}
    calls: list[tuple[str, str, Any]] = [
        ("post", f"{artifact.pk}/versions/", edit),
        ("patch", f"{artifact.pk}/", {"title": "x"}),
        ("post", f"{artifact.pk}/suggestions/decide/", {"ids": "all", "decision": "accept"}),
    ]
    for user, slug in ((cast.bob, "acme"), (cast.charlie, "other"), (cast.charlie, "acme")):
        assert {send(user, method, path, body, slug).status_code for method, path, body in calls} == {404}
        assert {_get(user, f"{artifact.pk}/{path}", slug).status_code for path in ("diff/?from=1&to=1", "export/?format=md")} == {404}
    assert send(cast.vera, *calls[2]).status_code == 403  # before anything is looked for
    own = make_artifact(cast.actor(cast.vera)).artifact
    answers = [send(cast.vera, method, path.replace(str(artifact.pk), str(own.pk)), body) for method, path, body in calls]
    assert {answer.status_code for answer in answers} == {403}
    assert save(cast.alice, artifact, "x", 9).status_code == 404


def test_two_writers_and_an_agent_lose_no_line_in_the_database(cast: Cast) -> None:
    writers = RandomWriters(Random(7))
    text = "".join(f"{writers.line('nobody')}\n" for _ in range(20))
    alice = cast.actor(cast.alice)
    artifact = make_artifact(alice, text).artifact
    base_numbers = dict.fromkeys(("tab one", "tab two", "agent"), 1)
    outcomes: list[int] = []
    for _ in range(60):
        name = writers.random.choice([*base_numbers])
        with tenant_tx(alice.organization_id):
            base = version_get(artifact=artifact_lock(artifact), number=base_numbers[name]).content
        mine = writers.edit(base, name)
        if name == "agent":
            base_numbers[name] = agent_writes(cast, artifact, mine, base_numbers[name]).number
        else:
            outcomes.append((response := save(cast.alice, artifact, mine, base_numbers[name])).status_code)
            if response.status_code == 409:  # the member keeps both
                body = response.json()
                assert writers.lost_lines(body["latest"]["content"], body["yours"]) <= writers.lost_lines(body["latest"]["content"])
                response = save(cast.alice, artifact, joined_text(body["merged"]), body["latest"]["number"], operation="merge")
            base_numbers[name] = response.json()["version"]["number"]
        details = detail(cast.alice, artifact)
        texts = [details["content"], *([details["conflict"]["yours"]] if details["conflict"] else [])]
        assert writers.lost_lines(*texts) == set()
        if details["conflict"] and writers.random.random() < 0.5:
            save(
                cast.alice, artifact, joined_text(details["conflict"]["merged"]), details["conflict"]["latest"]["number"], operation="merge"
            )
    assert {201, 409} <= set(outcomes)


def joined_text(hunks: list[dict[str, str]]) -> str:
    texts = [hunk["theirs"] + ("\n" + hunk["yours"] if hunk["kind"] == "conflict" else "") for hunk in hunks]
    return "\n".join(line for text in texts for line in text.splitlines()) + "\n"
