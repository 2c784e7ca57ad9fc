from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import async_to_sync

from agents.artifact_agents.ports import StoredVersion, WrittenVersion
from agents.artifact_agents.store import DatabaseArtifactStore
from agents.errors import ToolFailed
from artifacts.models import Version
from artifacts.selectors import artifact_previews
from artifacts.services import MAX_ARTIFACT_BYTES, artifacts_delete_of_conversations
from tenants.context import tenant_tx
from tenants.models import User
from tests.support.accounts.cast import Cast
from tests.support.chat.conversations import conversation_row

RUN = UUID("00000000-0000-4000-8000-00000000000a")
CONVERSATION = UUID("00000000-0000-4000-8000-0000000000c0")


def store_of(cast: Cast, user: User, **fields: Any) -> DatabaseArtifactStore:
    actor = cast.actor(user)
    return DatabaseArtifactStore(
        **{
            "organization_id": actor.organization_id,
            "author_id": actor.membership_id,
            "conversation_id": CONVERSATION,
            "run_id": RUN,
            **fields,
        }
    )


def save(store: DatabaseArtifactStore, call_id: str = "call-1", **fields: Any) -> StoredVersion:
    defaults = {
        "artifact_id": store.new_id("call-1"),
        "title": "Tea",
        "kind": "text",
        "parent": None,
        "operation": "create",
        "content": "# Tea\n",
        "is_draft": False,
        "call_id": call_id,
    }
    return async_to_sync(store.save)(WrittenVersion(**{**defaults, **fields}))


def load(store: DatabaseArtifactStore, artifact_id: str, number: int | None = None) -> StoredVersion | None:
    return async_to_sync(store.load)(artifact_id, number)


@pytest.fixture
def store(cast: Cast) -> DatabaseArtifactStore:
    alice = cast.actor(cast.alice)
    conversation_row(organization_id=alice.organization_id, owner_id=alice.membership_id, conversation_id=CONVERSATION)
    return store_of(cast, cast.alice)


def test_what_a_call_saves_is_what_it_finds_when_it_runs_again(store: DatabaseArtifactStore) -> None:
    find = async_to_sync(store.version_of_call)
    assert find("call-1") is None
    version = save(store)
    assert (version.number, version.content, version.is_draft) == (1, "# Tea\n", False)
    assert find("call-1") == version == save(store, content="other")
    assert find("call-2") is None


def test_later_versions_name_their_base_and_author(store: DatabaseArtifactStore) -> None:
    first = save(store)
    second = save(store, "call-2", parent=1, operation="update", content="two")
    assert load(store, first.artifact_id) == second
    assert load(store, first.artifact_id, 1) == first
    with tenant_tx(store.organization_id):
        version = Version.objects.get(number=2)
        assert (version.parent, version.operation, version.author_kind) == (1, "update", "agent")
        assert (version.author_id, version.run_id) == (store.author_id, RUN)


def test_an_unfinished_draft_is_not_the_newest_version(store: DatabaseArtifactStore) -> None:
    draft = save(store, is_draft=True, content="Te")
    assert load(store, draft.artifact_id) == draft, "there is nothing else"
    first = save(store, "call-2", parent=1, operation="update")
    save(store, "call-3", parent=2, operation="update", content="# Te", is_draft=True)
    assert load(store, first.artifact_id) == first
    assert async_to_sync(store.load_before)(first.artifact_id, first.number) is None
    second = save(store, "call-4", parent=2, operation="update", content="two")
    assert async_to_sync(store.load_before)(first.artifact_id, second.number) == first
    save(store, "call-5", parent=4, operation="update", content="# Te", is_draft=True)
    with tenant_tx(store.organization_id):
        previews = artifact_previews(conversation_id=CONVERSATION, owner_id=store.author_id, limit=20, characters=2)
    assert [(preview.number, preview.start) for preview in previews] == [(second.number, "tw")]


def test_a_new_id_belongs_to_the_run_and_the_call(cast: Cast, store: DatabaseArtifactStore) -> None:
    assert store.new_id("a") == store.new_id("a")
    others = {store.new_id("b"), store_of(cast, cast.alice, run_id=uuid4()).new_id("a")}
    assert store.new_id("a") not in others
    assert len(others) == 2


@pytest.mark.parametrize("artifact_id", ["", "tea", "00000000-0000-4000-8000-000000000009"])
def test_ids_that_do_not_exist_are_not_found(store: DatabaseArtifactStore, artifact_id: str) -> None:
    assert load(store, artifact_id) is None


def test_a_model_reaches_only_its_own_conversation(cast: Cast, store: DatabaseArtifactStore) -> None:
    artifact_id = save(store).artifact_id
    strangers = [
        store_of(cast, cast.alice, conversation_id=uuid4()),
        store_of(cast, cast.charlie),
    ]
    for stranger in strangers:
        assert load(stranger, artifact_id) is None
        assert async_to_sync(stranger.titles)() == []
        with pytest.raises(ToolFailed):
            save(stranger, "call-2", artifact_id=artifact_id, parent=1, operation="update")
    assert [title.id for title in async_to_sync(store.titles)()] == [artifact_id]


def test_refusals_are_sentences_for_the_model(store: DatabaseArtifactStore) -> None:
    with pytest.raises(ToolFailed, match="larger than an artifact may be"):
        save(store, content="x" * (MAX_ARTIFACT_BYTES + 1))
    artifact_id = save(store).artifact_id
    with tenant_tx(store.organization_id):
        artifacts_delete_of_conversations(conversation_ids=[CONVERSATION])
    with pytest.raises(ToolFailed, match="does not exist"):
        save(store, "call-2", artifact_id=artifact_id, parent=1, operation="update")
