from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from artifacts.models import Artifact
from artifacts.services import version_create
from tenants.context import tenant_tx
from tenants.models import Membership, User
from tests.artifacts.support import CONVERSATION, agent_version, make_artifact
from tests.support.accounts.cast import Cast

BY_AGENT = {"isDraft": False, "isAutosave": False, "authorKind": "agent", "authorName": "", "agent": "", "runId": None}


@pytest.fixture
def artifact(cast: Cast) -> Artifact:
    """Alice's, with two versions."""
    alice = cast.actor(cast.alice)
    artifact: Artifact = make_artifact(alice).artifact
    with tenant_tx(alice.organization_id):
        version_create(artifact=artifact, version=agent_version("# Green tea\n", parent=1))
    return artifact


def get(user: User | None, path: str, slug: str = "acme") -> Any:
    return signed_in(user).get(f"/o/{slug}/api/artifacts/{path}")


def revert(user: User | None, artifact_id: Any, body: Any, slug: str = "acme") -> Any:
    text = body if isinstance(body, str) else json.dumps(body)
    return signed_in(user).post(f"/o/{slug}/api/artifacts/{artifact_id}/revert/", text, content_type="application/json")


def signed_in(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def test_an_artifact_reads_as_documented(cast: Cast, artifact: Artifact) -> None:
    response = get(cast.alice, f"{artifact.pk}/")
    body = response.json()
    created = [version.pop("createdAt") for version in body["versions"]]
    assert all(moment.endswith("+00:00") for moment in created)
    assert created == sorted(created)
    assert body == {
        "id": str(artifact.pk),
        "conversationId": str(CONVERSATION),
        "title": "Tea",
        "kind": "text",
        "latestVersion": 2,
        "versions": [
            {**BY_AGENT, "number": 1, "operation": "create", "parent": None, "changedLines": {"added": 1, "removed": 0}},
            {**BY_AGENT, "number": 2, "operation": "update", "parent": 1, "changedLines": {"added": 1, "removed": 1}},
        ],
        "content": "# Green tea\n",
        "fileUrl": None,
        "suggestions": [],
        "conflict": None,
        "isOwn": True,
    }


def test_a_version_reads_as_documented(cast: Cast, artifact: Artifact) -> None:
    body = get(cast.alice, f"{artifact.pk}/versions/1/").json()
    assert body.pop("createdAt")
    assert body == {
        **BY_AGENT,
        "number": 1,
        "content": "# Tea\n",
        "operation": "create",
        "parent": None,
        "changedLines": {"added": 1, "removed": 0},
        "fileUrl": None,
    }


def test_reverting_answers_with_the_artifact_and_its_new_version(cast: Cast, artifact: Artifact) -> None:
    response = revert(cast.alice, artifact.pk, {"number": 1})
    assert response.status_code == 200
    body = response.json()
    assert (body["latestVersion"], body["content"]) == (3, "# Tea\n")
    assert (body["versions"][-1]["operation"], body["versions"][-1]["authorKind"]) == ("revert", "user")
    assert get(cast.alice, f"{artifact.pk}/versions/3/").json()["parent"] == 1


def test_others_of_the_organization_and_strangers_get_the_same_404(cast: Cast, artifact: Artifact) -> None:
    answers = [
        *(get(cast.bob, path) for path in (f"{artifact.pk}/", f"{artifact.pk}/versions/1/", f"{uuid4()}/")),
        get(cast.vera, f"{artifact.pk}/"),
        get(cast.charlie, f"{artifact.pk}/"),
        get(cast.charlie, f"{artifact.pk}/", slug="other"),
        get(cast.alice, f"{artifact.pk}/versions/9/"),
        get(cast.alice, f"{artifact.pk}/versions/99999999999/"),
        revert(cast.bob, artifact.pk, {"number": 1}),
        revert(cast.charlie, artifact.pk, {"number": 1}, slug="other"),
        revert(cast.alice, artifact.pk, {"number": 9}),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].json()["error"]["code"] == "not_found"


def test_a_viewer_reads_her_own_artifact_and_may_not_revert_it(cast: Cast) -> None:
    own = make_artifact(cast.actor(cast.vera)).artifact
    assert get(cast.vera, f"{own.pk}/").status_code == 200
    response = revert(cast.vera, own.pk, {"number": 1})
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "not_allowed"
    Membership.objects.filter(user=cast.vera).update(role=Membership.Role.MEMBER)
    assert revert(cast.vera, own.pk, {"number": 1}).status_code == 200


@pytest.mark.parametrize("body", ["", "{", "[]", {}, {"number": "1"}, {"number": 0}, {"number": True}, {"number": 1, "title": "x"}])
def test_a_request_that_cannot_be_understood_is_a_400(cast: Cast, artifact: Artifact, body: Any) -> None:
    response = revert(cast.alice, artifact.pk, body)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "bad_request"


def test_signed_out_and_wrong_methods_are_refused(cast: Cast, artifact: Artifact) -> None:
    assert get(None, f"{artifact.pk}/").status_code == 401
    assert revert(None, artifact.pk, {"number": 1}).status_code == 401
    assert get(cast.alice, f"{artifact.pk}/revert/").status_code == 405
    assert signed_in(cast.alice).delete(f"/o/acme/api/artifacts/{artifact.pk}/").status_code == 405


def test_reverting_needs_the_csrf_token(cast: Cast, artifact: Artifact) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.alice)
    response = client.post(f"/o/acme/api/artifacts/{artifact.pk}/revert/", "{}", content_type="application/json")
    assert response.status_code == 403
