"""The index of a search: what is in it, what leaves it, and that searches use it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import connection, connections

from agents.messages import AssistantText, ToolResult, UserMessage
from bench.many_rows.search import WORD, WRITER, document_plan_of, fill, plan_of
from chat.conversations.ownership import conversations_hand_over
from chat.entries import StoredEntry
from chat.models import Conversation, Part, SearchText, SearchWord
from chat.search.indexing import AT_ONCE, conversation_index, due_conversations
from chat.search.search_sql import COMMON_ONE_IN
from chat.storage.run_writes import part_rows
from chat.tasks import texts_index
from tenants.context import tenant_tx
from tests.rest.conftest import make_conversation, signed_in
from tests.rest.searches import conversation_with, index, say, search
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


def test_an_answer_is_indexed_again_when_it_has_grown(cast: Cast) -> None:
    conversation_id, (_, answer) = conversation_with(cast, cast.alice, "Hi", "First")
    with tenant_tx(cast.acme.pk):
        Part.objects.bulk_create(part_rows(message_id=answer, position=1, entries=[StoredEntry(AssistantText("Mombasa"))]))
    index(cast, cast.alice, conversation_id)
    assert len(search(signed_in(cast.alice), "mombasa")["items"]) == 1


def test_what_is_no_message_text_is_not_indexed(cast: Cast) -> None:
    conversation_id = make_conversation(cast, cast.alice)
    say(cast, cast.alice, conversation_id, AssistantText("Seen\x00"), ToolResult("c1", "read", {"hidden": "Mombasa"}))
    index(cast, cast.alice, conversation_id)
    alice = signed_in(cast.alice)
    assert search(alice, "mombasa")["items"] == []
    assert len(search(alice, "seen")["items"]) == 1


def test_deleted_messages_leave_the_index(cast: Cast) -> None:
    conversation_id, (question, _) = conversation_with(cast, cast.alice, "Mombasa", "Coffee")
    alice = signed_in(cast.alice)
    response = alice.delete(f"/o/acme/api/conversations/{conversation_id}/messages/{question}/")
    assert response.status_code == 204
    assert search(alice, "mombasa")["items"] == []
    with tenant_tx(cast.acme.pk):
        assert not SearchText.objects.filter(message_id=question).exists()
        assert not SearchWord.objects.filter(word="mombasa").exists()


def test_deleted_conversations_leave_the_index_and_come_back_when_they_are_restored(cast: Cast) -> None:
    conversation_id, _ = conversation_with(cast, cast.alice, "Mombasa", title="Port")
    alice = signed_in(cast.alice)
    assert alice.delete(f"/o/acme/api/conversations/{conversation_id}/").status_code == 204
    assert search(alice, "mombasa")["items"] == search(alice, "port")["items"] == []
    with tenant_tx(cast.acme.pk):
        assert not SearchText.objects.exists()
        assert not SearchWord.objects.exists()
        Conversation.objects.update(deleted_at=None)
    index(cast, cast.alice, conversation_id)
    assert len(search(alice, "mombasa")["items"]) == 1


def test_conversations_that_another_member_takes_over_are_found_by_them_alone(cast: Cast) -> None:
    conversation_id, _ = conversation_with(cast, cast.alice, "Mombasa")
    alice, bob = cast.actor(cast.alice), cast.actor(cast.bob)
    with tenant_tx(cast.acme.pk):
        conversations_hand_over(alice.membership_id, bob.membership_id)
    index(cast, cast.bob, conversation_id)
    assert search(signed_in(cast.alice), "mombasa")["items"] == []
    assert len(search(signed_in(cast.bob), "mombasa")["items"]) == 1


def test_what_no_list_shows_is_not_found(cast: Cast) -> None:
    conversation_id, _ = conversation_with(cast, cast.alice, "Mombasa", title="Port")
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=conversation_id).update(listed=False)
    alice = signed_in(cast.alice)
    assert search(alice, "mombasa")["items"] == search(alice, "port")["items"] == search(alice)["items"] == []


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_the_background_task_indexes_what_has_changed_and_nothing_else(cast: Cast) -> None:
    first = make_conversation(cast, cast.alice)
    say(cast, cast.alice, first, UserMessage("Mombasa"))
    second = make_conversation(cast, cast.charlie)
    say(cast, cast.charlie, second, UserMessage("Mombasa"))
    assert texts_index() == 2
    assert texts_index() == 0
    assert [hit["conversationId"] for hit in search(signed_in(cast.alice), "mombasa")["items"]] == [str(first)]
    assert [hit["conversationId"] for hit in search(signed_in(cast.charlie), "mombasa", slug="other")["items"]] == [str(second)]


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_long_conversation_is_indexed_in_parts_and_to_its_end(cast: Cast) -> None:
    """Each part locks it for a short time, in which nobody can send into it."""
    conversation_id = make_conversation(cast, cast.alice)
    for number in range(2 * AT_ONCE + 1):
        say(cast, cast.alice, conversation_id, UserMessage(f"Harbour {number}"))
    with tenant_tx(cast.acme.pk):
        assert not conversation_index(conversation_id)
        assert SearchText.objects.count() == AT_ONCE
    assert texts_index() == 1
    with tenant_tx(cast.acme.pk):
        assert SearchText.objects.count() == 2 * AT_ONCE + 1


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_long_messages_and_many_new_words_are_indexed_in_parts_too(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few of them would lock the conversation for as long as hundreds of short ones."""
    monkeypatch.setattr("chat.search.indexing.MAX_NEW_WORDS", 3)
    conversation_id = make_conversation(cast, cast.alice)
    say(cast, cast.alice, conversation_id, UserMessage("Mombasa " + "tea " * 6000))
    say(cast, cast.alice, conversation_id, UserMessage("Cloves, ginger, pepper and saffron from Zanzibar"))
    with tenant_tx(cast.acme.pk):
        assert not conversation_index(conversation_id)
        assert SearchText.objects.count() == 1  # the second begins too far down
        assert not conversation_index(conversation_id)
        assert SearchText.objects.count() == 1
        assert SearchWord.objects.count() == 4  # three of the second's are there already
    assert texts_index() == 1
    alice = signed_in(cast.alice)
    assert len(search(alice, "zanzibar")["items"]) == len(search(alice, "zanzbar")["items"]) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_a_round_reads_few_rows_of_each_organization_and_at_least_one(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.search.due_rows.MAX_ROWS_READ", 4)
    acmes = [make_conversation(cast, cast.alice) for _ in range(3)]
    others = make_conversation(cast, cast.charlie)
    assert [due.id for due in due_conversations(10)] == [acmes[0], others, acmes[1]]
    monkeypatch.setattr("chat.search.due_rows.MAX_ROWS_READ", 1)
    assert [due.id for due in due_conversations(10)] == [acmes[0], others]


COUNT_SQL = """
SELECT (SELECT count(*) FROM chat_searchtext WHERE organization_id = %s AND words @@ %s::tsquery),
    (SELECT count(*) FROM chat_searchtext WHERE organization_id = %s AND words @@ %s::tsquery)
"""


@pytest.mark.django_db(transaction=True, databases=["default", "system", "owner"])
def test_a_search_uses_the_index_and_its_filters_reach_the_oldest_of_many_hits(cast: Cast) -> None:
    """In 10,000 messages, one test because they cost seconds; `python -m bench.many_rows.search` makes half a million."""
    actor = cast.actor(cast.alice)
    with connections["owner"].cursor() as cursor:
        fill(cursor, organization_id=cast.acme.pk, member_id=actor.membership_id, conversations=100, messages=10_000, documents=1000)
        cursor.execute("SELECT word FROM chat_searchword ORDER BY word LIMIT 1 OFFSET 100")
        [word] = cursor.fetchone() or [""]
        tsquery = f"'{actor.membership_id.hex[:8]}{word}':*"
        cursor.execute(f"SELECT {WORD.format('%(n)s')}", {"n": 1})
        [frequent] = cursor.fetchone() or [""]
        plan = partial(plan_of, cursor, organization_id=cast.acme.pk, member_id=actor.membership_id)
        search_plan = plan(tsquery=tsquery)
        document_plan = document_plan_of(cursor, organization_id=cast.acme.pk, member_id=actor.membership_id, tsquery=tsquery)
        walks = [
            plan(tsquery=f"'{actor.membership_id.hex[:8]}{frequent}':*", **options)
            for options in (dict[str, Any](), {"agent": WRITER}, {"with_document": True})
        ]
        key = actor.membership_id.hex[:8]
        cursor.execute(f"SELECT {WORD.format('%(n)s')}", {"n": 300})
        [rare] = cursor.fetchone() or [""]
        both = f"'{key}{frequent}':* & '{key}{rare}':*"
        cursor.execute("SELECT message_id FROM chat_searchtext WHERE organization_id = %s AND words @@ %s::tsquery", [cast.acme.pk, both])
        with_both = {message_id for (message_id,) in cursor.fetchall()}
        cursor.execute(COUNT_SQL, [cast.acme.pk, f"'{key}{frequent}':*", cast.acme.pk, f"'{key}{rare}':*"])
        [[with_frequent, with_rare]] = cursor.fetchall()
    connections["owner"].close()
    assert with_frequent * COMMON_ONE_IN > 10_000 > with_rare * COMMON_ONE_IN * 2, "one word is common, the other is not"
    with tenant_tx(cast.acme.pk), connection.cursor() as cursor:
        params: list[Any] = [actor.membership_id, both, "1970-01-01", "9999-01-01"]
        cursor.execute("SELECT message_id FROM chat_search_texts(%s, %s::tsquery, %s, %s, 1000)", params)
        assert {message_id for (message_id,) in cursor.fetchall()} == with_both != set()
    assert "Bitmap Index Scan on search_text_words" in search_plan
    assert "Bitmap Index Scan on search_document_words" in document_plan
    for walk in walks:
        assert "search_text_words" not in walk
    for query_plan in (search_plan, document_plan, *walks):
        assert "Seq Scan on chat_search" not in query_plan
    with tenant_tx(cast.acme.pk):
        oldest = Conversation.objects.earliest("updated_at").pk
    alice = signed_in(cast.alice)
    assert str(oldest) not in {hit["conversationId"] for hit in search(alice, frequent, limit=100)["items"]}  # behind the newest thousand
    ids = [hit["conversationId"] for hit in search(alice, frequent, limit=100, hasArtifact="true")["items"] if hit["messageId"]]
    assert len(ids) == 10, "each tenth conversation has a document, the oldest one, too"
    assert str(oldest) in ids
