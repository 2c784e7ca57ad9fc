from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import ProgrammingError, transaction

from artifacts.edits import artifact_revert
from artifacts.errors import ArtifactTooLarge, UnknownKind
from artifacts.models import Artifact, Version
from artifacts.selectors import artifact_get_for_member, artifacts_of_conversation, version_for_call, version_get, versions_of
from artifacts.services import MAX_ARTIFACT_BYTES, artifacts_delete_of_conversations, version_create
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.errors import NotAllowed, NotFound
from tests.artifacts.support import CONVERSATION, agent_version, make_artifact
from tests.support.accounts.cast import Cast

RUN = uuid4()


@pytest.fixture
def alice(cast: Cast) -> Actor:
    return cast.actor(cast.alice)


@pytest.fixture
def artifact(alice: Actor) -> Artifact:
    artifact: Artifact = make_artifact(alice).artifact
    return artifact


def test_versions_count_from_one_and_keep_what_they_were_made_from(alice: Actor, artifact: Artifact) -> None:
    with tenant_tx(alice.organization_id):
        version_create(artifact=artifact, version=agent_version("two", parent=1))
        version_create(artifact=artifact, version=agent_version("three", parent=1, is_draft=True))
        versions = versions_of([artifact])[artifact.pk]
        assert [(v.number, v.parent, v.is_draft) for v in versions] == [(1, None, False), (2, 1, False), (3, 1, True)]
        assert [version_get(artifact=artifact, number=n).content for n in (1, 2, 3)] == ["# Tea\n", "two", "three"]
        assert artifact_get_for_member(artifact_id=artifact.pk, actor=alice).latest_number == 3


@pytest.mark.parametrize(
    "change",
    [lambda version: version.save(), lambda version: version.delete(), lambda version: Version.objects.update(content="other")],
    ids=["save", "delete", "update"],
)
def test_the_database_refuses_to_change_or_delete_a_version(alice: Actor, change: Callable[[Version], Any]) -> None:
    version = make_artifact(alice)
    with tenant_tx(alice.organization_id):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            change(version)
        assert Version.objects.get().content == "# Tea\n"


def test_the_same_call_writes_once(alice: Actor, artifact: Artifact) -> None:
    with tenant_tx(alice.organization_id):
        first = version_create(artifact=artifact, version=agent_version("two", run_id=RUN, call_id="call-1"))
        again = version_create(artifact=artifact, version=agent_version("other", run_id=RUN, call_id="call-1"))
        late_draft = version_create(artifact=artifact, version=agent_version("tw", run_id=RUN, call_id="call-1", is_draft=True))
        assert first == again == late_draft
        assert artifact_get_for_member(artifact_id=artifact.pk, actor=alice).latest_number == 2


def test_creating_again_for_the_same_call_returns_the_first_artifact(alice: Actor) -> None:
    version = agent_version("text", operation=Version.Operation.CREATE, run_id=RUN, call_id="call-1")
    assert make_artifact(alice, version=version) == make_artifact(alice, version=version)
    with tenant_tx(alice.organization_id):
        assert Artifact.objects.count() == 1


def test_a_finished_version_follows_the_draft_of_the_same_call(alice: Actor, artifact: Artifact) -> None:
    with tenant_tx(alice.organization_id):
        draft = version_create(artifact=artifact, version=agent_version("tw", run_id=RUN, call_id="c", is_draft=True))
        assert version_for_call(run_id=RUN, call_id="c") == draft
        whole = version_create(artifact=artifact, version=agent_version("two", run_id=RUN, call_id="c"))
        assert version_for_call(run_id=RUN, call_id="c") == whole != draft


def test_calls_of_other_runs_and_without_a_run_are_kept_apart(alice: Actor, artifact: Artifact) -> None:
    with tenant_tx(alice.organization_id):
        for fields in ({"run_id": RUN, "call_id": "c"}, {"run_id": uuid4(), "call_id": "c"}, {}, {}):
            version_create(artifact=artifact, version=agent_version("text", **fields))
        assert artifact_get_for_member(artifact_id=artifact.pk, actor=alice).latest_number == 5


def test_reverting_adds_a_version_with_the_old_content(alice: Actor, artifact: Artifact) -> None:
    with tenant_tx(alice.organization_id):
        version_create(artifact=artifact, version=agent_version("two", parent=1))
        version = artifact_revert(artifact_id=artifact.pk, actor=alice, number=1)
        assert (version.number, version.parent, version.content) == (3, 1, "# Tea\n")
        assert (version.operation, version.author_kind, version.author_id) == ("revert", "user", alice.membership_id)


@pytest.mark.parametrize("number", [0, 2, 2**40])
def test_reverting_to_a_version_that_never_was_is_not_found(alice: Actor, artifact: Artifact, number: int) -> None:
    with tenant_tx(alice.organization_id), pytest.raises(NotFound):
        artifact_revert(artifact_id=artifact.pk, actor=alice, number=number)


def test_an_artifact_is_loaded_for_its_owner_alone(cast: Cast, artifact: Artifact) -> None:
    for user, may_see in ((cast.alice, True), (cast.bob, False), (cast.vera, False), (cast.charlie, False)):
        actor = cast.actor(user)
        with tenant_tx(actor.organization_id):
            for lock in (False, True):
                if may_see:
                    assert artifact_get_for_member(artifact_id=artifact.pk, actor=actor, lock=lock) == artifact
                else:
                    with pytest.raises(NotFound):
                        artifact_get_for_member(artifact_id=artifact.pk, actor=actor, lock=lock)


def test_viewers_may_not_revert_what_they_see(cast: Cast) -> None:
    vera = cast.actor(cast.vera)
    own = make_artifact(vera).artifact
    with tenant_tx(vera.organization_id):
        assert artifact_get_for_member(artifact_id=own.pk, actor=vera) == own
        with pytest.raises(NotAllowed):
            artifact_revert(artifact_id=own.pk, actor=vera, number=1)


def test_lists_hold_the_members_own_artifacts_of_the_conversation_in_order(cast: Cast, artifact: Artifact) -> None:
    alice, bob = cast.actor(cast.alice), cast.actor(cast.bob)
    second = make_artifact(alice).artifact
    make_artifact(alice, conversation_id=uuid4())
    make_artifact(bob)
    with tenant_tx(alice.organization_id):
        assert artifacts_of_conversation(conversation_id=CONVERSATION, owner_id=alice.membership_id) == [artifact, second]


def test_deleting_a_conversations_artifacts_hides_them_and_ends_their_versions(alice: Actor, artifact: Artifact) -> None:
    with tenant_tx(alice.organization_id):
        assert artifacts_delete_of_conversations(conversation_ids=[CONVERSATION]) == 1
        assert artifacts_delete_of_conversations(conversation_ids=[CONVERSATION]) == 0
        assert artifacts_of_conversation(conversation_id=CONVERSATION, owner_id=alice.membership_id) == []
        with pytest.raises(NotFound):
            artifact_get_for_member(artifact_id=artifact.pk, actor=alice)
        with pytest.raises(NotFound):
            version_create(artifact=artifact, version=agent_version("late"))


def test_deleting_does_not_reach_another_organization(cast: Cast, artifact: Artifact) -> None:
    charlie = cast.actor(cast.charlie)
    own = make_artifact(charlie).artifact
    with tenant_tx(charlie.organization_id):
        assert artifacts_delete_of_conversations(conversation_ids=[CONVERSATION]) == 0
        assert artifacts_delete_of_conversations(conversation_ids=[own.conversation_id]) == 1
        with pytest.raises(NotFound):
            artifact_get_for_member(artifact_id=own.pk, actor=charlie)
    alice = cast.actor(cast.alice)
    with tenant_tx(alice.organization_id):
        assert artifact_get_for_member(artifact_id=artifact.pk, actor=alice) == artifact


@pytest.mark.parametrize(("content", "fits"), [("é" * (MAX_ARTIFACT_BYTES // 2), True), ("é" * (MAX_ARTIFACT_BYTES // 2) + "x", False)])
def test_the_limit_is_one_megabyte_of_utf8(alice: Actor, artifact: Artifact, content: str, fits: bool) -> None:
    with tenant_tx(alice.organization_id):
        if fits:
            assert version_create(artifact=artifact, version=agent_version(content)).number == 2
        else:
            with pytest.raises(ArtifactTooLarge):
                version_create(artifact=artifact, version=agent_version(content))


def test_characters_that_the_database_cannot_hold_do_not_lose_the_text(alice: Actor, artifact: Artifact) -> None:
    with tenant_tx(alice.organization_id):
        version = version_create(artifact=artifact, version=agent_version("a\x00b\ud83dc"))
        version.refresh_from_db()
        assert version.content == "ab?c"


def test_a_title_that_is_too_long_or_odd_is_made_to_fit(alice: Actor) -> None:
    assert make_artifact(alice, title="a\x00" + 300 * "b").artifact.title == "a" + 199 * "b"


def test_an_unknown_kind_is_refused(alice: Actor) -> None:
    with pytest.raises(UnknownKind):
        make_artifact(alice, kind="hologram")
