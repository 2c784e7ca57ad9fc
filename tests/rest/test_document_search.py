"""Search in the texts of documents: what is found of them, whose they are, and what leaves the index."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import connection
from structlog.testing import capture_logs

from agents.messages import UserMessage
from artifacts.models import Artifact, Version
from artifacts.services import artifact_rename, version_create
from chat.conversations.ownership import conversations_hand_over
from chat.models import Conversation, SearchDocument, SearchWord
from chat.search.documents import document_index
from chat.tasks import texts_index
from tenants.context import tenant_tx
from tenants.models import User
from tests.artifacts.support import agent_version, make_artifact
from tests.rest.conftest import make_conversation, signed_in
from tests.rest.searches import conversation_with, index, say, search, texts
from tests.support.accounts.cast import Cast
from tests.support.stores.failing_rows import refused_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]

CHECKLIST = "# Import\n\n1. Ask the broker for the **Kenya** certificate before customs opens.\n"


def write(cast: Cast, user: User, content: str, title: str = "Checklist", kind: str = "text") -> Version:
    """A document in a conversation of its own, indexed."""
    conversation_id = make_conversation(cast, user, "Tea")
    version = make_artifact(cast.actor(user), content, title=title, kind=kind, conversation_id=conversation_id)
    read(cast, user, version.artifact_id)
    return version


def read(cast: Cast, user: User, artifact_id: UUID) -> None:
    with tenant_tx(cast.actor(user).organization_id):
        assert document_index(artifact_id)


def test_a_document_is_found_by_its_text_with_its_title_and_kind(cast: Cast) -> None:
    version = write(cast, cast.alice, CHECKLIST)
    [hit] = search(signed_in(cast.alice), "customs KEN")["items"]
    assert (hit["artifactId"], hit["kind"], hit["version"]) == (str(version.artifact_id), "text", 1)
    assert (hit["messageId"], hit["role"]) == (None, None)
    assert hit["conversationId"] == str(version.artifact.conversation_id)
    assert texts(hit, "title") == "Checklist"
    assert texts(hit) == "Import 1. Ask the broker for the [Ken]ya certificate before [customs] opens."


def test_a_word_of_the_title_counts_as_one_of_the_text(cast: Cast) -> None:
    write(cast, cast.alice, CHECKLIST)
    [hit] = search(signed_in(cast.alice), "checkl broker")["items"]
    assert texts(hit, "title") == "[Checkl]ist"
    assert "[broker]" in texts(hit)


def test_messages_and_documents_are_found_together(cast: Cast) -> None:
    conversation_with(cast, cast.alice, "Pay at customs", "The customs of the port")
    write(cast, cast.alice, CHECKLIST)
    write(cast, cast.alice, "tariff = {'customs': 3}", title="tariff.py", kind="python")
    hits = search(signed_in(cast.alice), "customs")["items"]
    assert sorted(hit["kind"] or hit["role"] for hit in hits) == ["assistant", "python", "text"]


@pytest.mark.parametrize("query", ["certifcate", "certificaet", "brokr"])
def test_a_typing_error_finds_what_was_meant(cast: Cast, query: str) -> None:
    write(cast, cast.alice, CHECKLIST)
    results = search(signed_in(cast.alice), query)
    assert len(results["items"]) == 1
    assert results["similar"]


def test_only_the_newest_whole_version_is_found(cast: Cast) -> None:
    version = write(cast, cast.alice, CHECKLIST)
    with tenant_tx(cast.acme.pk):
        version_create(artifact=version.artifact, version=agent_version("Ask in Mombasa.", parent=1))
        version_create(artifact=version.artifact, version=agent_version("Ask in Zanz", parent=2, is_draft=True))
    read(cast, cast.alice, version.artifact_id)
    alice = signed_in(cast.alice)
    assert search(alice, "broker")["items"] == search(alice, "zanz")["items"] == []
    [hit] = search(alice, "mombasa")["items"]
    assert (hit["version"], texts(hit)) == (2, "Ask in [Mombasa].")


def test_a_place_far_down_in_a_long_document_is_shown(cast: Cast) -> None:
    write(cast, cast.alice, "Nothing much here. " * 800 + "Pay the Zölle of Mombasa. " + "And more of it. " * 800)
    [hit] = search(signed_in(cast.alice), "momb zoll")["items"]
    assert "Pay the [Zöll]e of [Momb]asa." in texts(hit)


def test_a_place_far_down_is_shown_also_in_a_script_without_spaces(cast: Cast) -> None:
    write(cast, cast.alice, "何もない。" * 300 + "この税関は蒙巴薩にある。" + "何もない。" * 300)
    [hit] = search(signed_in(cast.alice), "税関")["items"]
    assert "[税][関]は蒙巴薩" in texts(hit)


def test_nobody_finds_what_others_wrote(cast: Cast) -> None:
    write(cast, cast.alice, "The secret of Mombasa", title="Mombasa")
    write(cast, cast.charlie, "Mombasa is mine", title="Own")
    for query in ("mombasa", "mombassa"):
        assert search(signed_in(cast.bob), query)["items"] == []
        [theirs] = search(signed_in(cast.charlie), query, slug="other")["items"]
        assert texts(theirs) == "[Mombasa] is mine"


def test_the_function_knows_no_other_organization(cast: Cast) -> None:
    """It runs with the owner's rights, and still sees only the organization of the transaction."""
    write(cast, cast.alice, "Mombasa")
    member = cast.actor(cast.alice).membership_id
    statement = "SELECT count(*) FROM chat_search_documents(%s, %s::tsquery, '1970-01-01', 'infinity', 10, null, null, true)"
    for organization_id, count in ((cast.acme.pk, 1), (cast.other.pk, 0)):
        with tenant_tx(organization_id), connection.cursor() as cursor:
            cursor.execute(statement, [member, f"'{member.hex[:8]}mombasa':*"])
            assert cursor.fetchone() == (count,)


def test_a_rename_makes_the_new_title_found(cast: Cast) -> None:
    version = write(cast, cast.alice, CHECKLIST)
    with tenant_tx(cast.acme.pk):
        artifact_rename(artifact_id=version.artifact_id, actor=cast.actor(cast.alice), title="Zanzibar")
        assert Artifact.objects.get(pk=version.artifact_id).indexed_number == 0
    read(cast, cast.alice, version.artifact_id)
    alice = signed_in(cast.alice)
    assert len(search(alice, "zanzibar")["items"]) == 1
    assert search(alice, "checklist")["items"] == []


def test_filters_hold_for_documents(cast: Cast) -> None:
    version = write(cast, cast.alice, CHECKLIST)
    alice = signed_in(cast.alice)
    assert len(search(alice, "broker", hasArtifact="true")["items"]) == 1
    assert search(alice, "broker", to="2000-01-01")["items"] == search(alice, "broker", agent="nobody")["items"] == []
    address = f"/o/acme/api/conversations/{version.artifact.conversation_id}/"
    assert alice.patch(address, {"archived": True}, content_type="application/json").status_code == 200
    assert search(alice, "broker", withArchived="false")["items"] == []
    assert len(search(alice, "broker")["items"]) == 1


def test_what_is_deleted_leaves_the_index_and_comes_back_when_it_is_restored(cast: Cast) -> None:
    version = write(cast, cast.alice, CHECKLIST)
    alice = signed_in(cast.alice)
    address = f"/o/acme/api/conversations/{version.artifact.conversation_id}/"
    assert alice.delete(address).status_code == 204
    assert search(alice, "broker")["items"] == []
    with tenant_tx(cast.acme.pk):
        assert not SearchDocument.objects.exists()
        assert not SearchWord.objects.exists()
    assert alice.post(f"{address}restore/", content_type="application/json").status_code == 200
    read(cast, cast.alice, version.artifact_id)
    assert len(search(alice, "broker")["items"]) == 1


def test_documents_that_another_member_takes_over_are_found_by_them_alone(cast: Cast) -> None:
    version = write(cast, cast.alice, CHECKLIST)
    with tenant_tx(cast.acme.pk):
        conversations_hand_over(cast.actor(cast.alice).membership_id, cast.actor(cast.bob).membership_id)
    read(cast, cast.bob, version.artifact_id)
    assert search(signed_in(cast.alice), "broker")["items"] == []
    assert len(search(signed_in(cast.bob), "broker")["items"]) == 1


def test_documents_of_conversations_that_no_list_shows_are_not_indexed(cast: Cast) -> None:
    conversation_id = make_conversation(cast, cast.alice)
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=conversation_id).update(listed=False)
    version = make_artifact(cast.actor(cast.alice), CHECKLIST, conversation_id=conversation_id)
    read(cast, cast.alice, version.artifact_id)
    with tenant_tx(cast.acme.pk):
        assert not SearchDocument.objects.exists()


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_the_background_task_indexes_new_versions_and_nothing_else(cast: Cast) -> None:
    conversation_id = make_conversation(cast, cast.alice)
    index(cast, cast.alice, conversation_id)
    version = make_artifact(cast.actor(cast.alice), "Mombasa", conversation_id=conversation_id)
    other = make_artifact(cast.actor(cast.charlie), "Mombasa")
    texts_index()
    assert texts_index() == 0
    assert [hit["artifactId"] for hit in search(signed_in(cast.alice), "mombasa")["items"]] == [str(version.artifact_id)]
    assert [hit["artifactId"] for hit in search(signed_in(cast.charlie), "mombasa", slug="other")["items"]] == [str(other.artifact_id)]
    with tenant_tx(cast.acme.pk):
        version_create(artifact=version.artifact, version=agent_version("Zanzibar", parent=1))
    assert texts_index() == 1
    assert len(search(signed_in(cast.alice), "zanzibar")["items"]) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_document_with_many_new_words_is_indexed_in_parts_and_to_its_end(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.search.indexing.MAX_NEW_WORDS", 3)
    conversation_id = make_conversation(cast, cast.alice)
    index(cast, cast.alice, conversation_id)
    version = make_artifact(cast.actor(cast.alice), "Cloves, ginger, pepper and saffron", conversation_id=conversation_id)
    with tenant_tx(cast.acme.pk):
        assert not document_index(version.artifact_id)
        assert (SearchWord.objects.count(), SearchDocument.objects.count()) == (3, 0)
    assert texts_index() == 1
    assert len(search(signed_in(cast.alice), "saffron")["items"]) == len(search(signed_in(cast.alice), "safron")["items"]) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_document_without_a_version_is_read_once(cast: Cast) -> None:
    conversation_id = make_conversation(cast, cast.alice)
    index(cast, cast.alice, conversation_id)
    with tenant_tx(cast.acme.pk):
        owner_id = cast.actor(cast.alice).membership_id
        Artifact.objects.create(conversation_id=conversation_id, owner_id=owner_id, title="Empty", kind="text", latest_number=1)
    with capture_logs() as logs:
        assert texts_index() == 1
        assert texts_index() == 0
    assert "text_not_indexed" not in [line["event"] for line in logs]


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_document_that_cannot_be_indexed_keeps_no_other_from_the_index(cast: Cast) -> None:
    make_artifact(cast.actor(cast.alice), "Mombasa")
    make_artifact(cast.actor(cast.charlie), "Mombasa")
    with refused_rows(SearchDocument, "organization_id", cast.acme.pk):
        texts_index()
    assert len(search(signed_in(cast.charlie), "mombasa", slug="other")["items"]) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_the_backlog_of_one_organization_delays_no_other(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.tasks.INDEX_AT_MOST", 2)
    for number in range(3):
        conversation_id = make_conversation(cast, cast.alice, "Mombasa")
        make_artifact(cast.actor(cast.alice), f"Mombasa {number}", conversation_id=conversation_id)
    conversation_id = make_conversation(cast, cast.charlie, "Mombasa")
    version = make_artifact(cast.actor(cast.charlie), "Mombasa", conversation_id=conversation_id)
    say(cast, cast.charlie, conversation_id, UserMessage("To Mombasa, please"))
    assert texts_index() == 4
    hits = search(signed_in(cast.charlie), "mombasa", slug="other")["items"]
    assert {hit["artifactId"] for hit in hits} == {None, str(version.artifact_id)}
