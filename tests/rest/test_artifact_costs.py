"""What is read of artifacts, and what is left where it is."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.artifacts.support import make_artifact
from tests.artifacts.test_edits import save
from tests.rest.conftest import make_conversation, signed_in
from tests.support.accounts.cast import Cast

CONTENT = '"artifacts_version"."content"'
pytestmark = pytest.mark.django_db


def test_a_conversation_of_fifty_artifacts_opens_with_their_summaries_alone(cast: Cast) -> None:
    actor, conversation_id = cast.actor(cast.alice), make_conversation(cast, cast.alice)
    for _ in range(50):
        make_artifact(actor, conversation_id=conversation_id)
    alice, path = signed_in(cast.alice), f"/o/acme/api/conversations/{conversation_id}/"
    with CaptureQueriesContext(connection) as queries:
        body = alice.get(path).json()
    assert len(body["artifacts"]) == 50
    assert set(body["artifacts"][0]) == {"id", "conversationId", "title", "kind", "latestVersion"}
    assert not any("artifacts_version" in query["sql"] for query in queries)


def test_opening_an_artifact_reads_one_content_and_listing_its_versions_none(cast: Cast) -> None:
    artifact = make_artifact(cast.actor(cast.alice)).artifact
    for base in range(1, 6):
        save(cast.alice, artifact, f"text {base}\n", base)
    alice, path = signed_in(cast.alice), f"/o/acme/api/artifacts/{artifact.pk}/"
    counts = []
    for address, contents in ((path, 1), (f"{path}versions/", 0), (f"{path}diff/?from=1&to=6", 2)):
        with CaptureQueriesContext(connection) as queries:
            assert alice.get(address).status_code == 200
        assert sum(CONTENT in query["sql"] for query in queries) == contents, address
        counts.append(len(queries))
    save(cast.alice, artifact, "more\n", 6)
    with CaptureQueriesContext(connection) as queries:
        alice.get(path)
    assert len(queries) == counts[0]
