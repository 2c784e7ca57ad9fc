"""Search: what is found, whose it is, how it is shown, and what leaves the index."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.db import connection, connections
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from agents.messages import AssistantText, Entry, ToolResult, UserMessage
from bench.many_rows.search import WORD, WRITER, fill, plan_of
from chat.conversations.ownership import conversations_hand_over
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part, SearchText, SearchWord
from chat.search.indexing import conversation_index
from chat.search.search_sql import COMMON_ONE_IN
from chat.search.snippets import highlight, snippet
from chat.search.words import query_words, trigrams
from chat.storage.run_writes import part_rows
from chat.tasks import texts_index
from tenants.context import tenant_tx
from tenants.models import User
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, signed_in
from tests.support.cast import Cast
from tests.usage.call_rows import LoggedCalls

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


def say(cast: Cast, user: User, conversation_id: UUID, *entries: Entry) -> UUID:
    """Add a message that is not indexed yet."""
    with tenant_tx(cast.actor(user).organization_id):
        is_question = isinstance(entries[0], UserMessage)
        message = Message.objects.create(conversation_id=conversation_id, role=Message.Role.USER if is_question else Message.Role.ASSISTANT)
        Part.objects.bulk_create(part_rows(message_id=message.pk, position=0, entries=[StoredEntry(entry) for entry in entries]))
    return message.pk


def told(cast: Cast, user: User, *texts: str, title: str = "Tea") -> tuple[UUID, list[UUID]]:
    """An indexed conversation of these messages."""
    conversation_id = make_conversation(cast, user, title)
    messages = [
        say(cast, user, conversation_id, AssistantText(text) if number % 2 else UserMessage(text)) for number, text in enumerate(texts)
    ]
    index(cast, user, conversation_id)
    return conversation_id, messages


def index(cast: Cast, user: User, conversation_id: UUID) -> None:
    with tenant_tx(cast.actor(user).organization_id):
        assert conversation_index(conversation_id)


def search(client: Client, q: str = "", slug: str = "acme", **query: Any) -> Any:
    response = client.get(f"/o/{slug}/api/search/?{urlencode({'q': q, **query})}")
    assert response.status_code == 200, response.content
    return response.json()


def texts(hit: Any, name: str = "snippet") -> str:
    return "".join(f"[{piece['text']}]" if piece["hit"] else piece["text"] for piece in hit[name])


def test_messages_are_found_by_the_beginnings_of_their_words(cast: Cast) -> None:
    conversation_id, (question, answer) = told(cast, cast.alice, "Rank the **Kenyan** farms by Zölle", "They paid at customs in Kenya.")
    alice = signed_in(cast.alice)
    [hit] = search(alice, "CUSTOMS ken")["items"]
    assert (hit["conversationId"], hit["messageId"], hit["role"]) == (str(conversation_id), str(answer), "assistant")
    assert texts(hit) == "They paid at [customs] in [Ken]ya."
    [hit] = search(alice, "zoll keny")["items"]
    assert (hit["messageId"], texts(hit)) == (str(question), "Rank the [Keny]an farms by [Zöll]e")
    assert search(alice, "customs coffee")["items"] == []


def test_a_restored_conversation_is_found_again(cast: Cast) -> None:
    conversation_id, _ = told(cast, cast.alice, "Pay at customs")
    alice = signed_in(cast.alice)
    assert alice.delete(f"/o/acme/api/conversations/{conversation_id}/").status_code == 204
    assert alice.post(f"/o/acme/api/conversations/{conversation_id}/restore/", content_type="application/json").status_code == 200
    index(cast, cast.alice, conversation_id)
    assert [hit["conversationId"] for hit in search(alice, "customs")["items"]] == [str(conversation_id)]


def test_a_title_is_found_at_once_and_comes_first(cast: Cast) -> None:
    told(cast, cast.alice, "The customs of the port")
    make_conversation(cast, cast.alice, "Customs form")
    make_conversation(cast, cast.alice, "Zölle")
    assert [texts(hit, "title") for hit in search(signed_in(cast.alice), "zöll")["items"]] == ["[Zöll]e"]
    titled, said = search(signed_in(cast.alice), "custom")["items"]
    assert (texts(titled, "title"), titled["messageId"]) == ("[Custom]s form", None)
    assert texts(said) == "The [custom]s of the port"


@pytest.mark.parametrize("typed", ["custms", "cusotms", "customz kenia"])
def test_a_typing_error_finds_what_was_meant(cast: Cast, typed: str) -> None:
    told(cast, cast.alice, "They paid at customs in Kenya")
    found = search(signed_in(cast.alice), typed)
    assert "[customs]" in texts(found["items"][0])
    assert "customs" in found["similar"]


def test_nobody_finds_what_others_wrote(cast: Cast) -> None:
    told(cast, cast.alice, "The secret of Mombasa", title="Mombasa")
    told(cast, cast.charlie, "Mombasa is mine", title="Own")
    for typed in ("mombasa", "mombassa"):
        assert search(signed_in(cast.bob), typed)["items"] == []
        [theirs] = search(signed_in(cast.charlie), typed, slug="other")["items"]
        assert texts(theirs) == "[Mombasa] is mine"
    assert signed_in(cast.charlie).get("/o/acme/api/search/?q=mombasa").status_code == 404
    assert Client().get("/o/acme/api/search/?q=mombasa").status_code == 401


def test_the_functions_know_no_other_organization(cast: Cast) -> None:
    """They run with the owner's rights, and still see only the organization of the transaction."""
    told(cast, cast.alice, "Mombasa")
    member = cast.actor(cast.alice).membership_id
    key = member.hex[:8]
    asked: list[str | UUID] = [member, f"'{key}mombasa'", "1970-01-01", "9999-01-01"]
    for organization, count in ((cast.acme, 1), (cast.other, 0)):
        with tenant_tx(organization.pk), connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM chat_search_texts(%s, %s::tsquery, %s, %s, 10)", asked)
            assert cursor.fetchone() == (count,)
            cursor.execute("SELECT count(*) FROM chat_search_words(%s, %s, 0.3, 3)", [member, [key + each for each in trigrams("mombasa")]])
            assert cursor.fetchone() == (count,)


def test_filters(cast: Cast) -> None:
    plain, _ = told(cast, cast.alice, "Coffee one")
    with_document, _ = told(cast, cast.alice, "Coffee two")
    make_artifact(cast.actor(cast.alice), conversation_id=with_document)
    alice = signed_in(cast.alice)
    assert {hit["conversationId"] for hit in search(alice, "coffee")["items"]} == {str(plain), str(with_document)}
    assert [hit["conversationId"] for hit in search(alice, "coffee", hasArtifact="true")["items"]] == [str(with_document)]
    assert [hit["conversationId"] for hit in search(alice, hasArtifact="true")["items"]] == [str(with_document)]
    assert search(alice, "coffee", to="2020-01-01")["items"] == []
    assert len(search(alice, "coffee", **{"from": "2020-01-01"})["items"]) == 2
    assert search(alice, "coffee", agent="nobody")["items"] == []


def test_archived_chats_are_found_unless_one_asks_without_them(cast: Cast) -> None:
    archived, _ = told(cast, cast.alice, "Coffee in the archive", title="Coffee bought")
    listed, _ = told(cast, cast.alice, "Coffee on the table")
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=archived).update(archived_at=Now())
    alice = signed_in(cast.alice)
    assert {hit["conversationId"] for hit in search(alice, "coffee")["items"]} == {str(archived), str(listed)}
    assert {hit["conversationId"] for hit in search(alice, "coffee", withArchived="false")["items"]} == {str(listed)}
    assert {hit["conversationId"] for hit in search(alice, withArchived="false")["items"]} == {str(listed)}


def test_chats_are_found_by_the_agents_that_have_worked_in_them(cast: Cast) -> None:
    plain, _ = told(cast, cast.alice, "Coffee")
    logged = LoggedCalls(cast, cast.acme, cast.alice)

    def works(agent_key: str) -> None:
        with tenant_tx(cast.acme.pk):
            logged.call(timezone.now(), run=logged.run(Conversation.objects.get(pk=plain), timezone.now()), agent_key=agent_key)
            Conversation.objects.filter(pk=plain).update(updated_at=Now())
        index(cast, cast.alice, plain)

    def found(agent: str, q: str = "coffee") -> list[str]:
        return [hit["conversationId"] for hit in search(signed_in(cast.alice), q, agent=agent)["items"]]

    works("document_agent_google")
    works("tea_taster")
    assert found("document_agent") == found("tea_taster") == found("tea_taster", q="") == [str(plain)], "the first of them is kept"
    assert found("python_agent") == found("tea") == []
    assert search(signed_in(cast.charlie), "coffee", slug="other", agent="tea_taster")["items"] == []


def test_the_pages_hold_every_conversation_once(cast: Cast) -> None:
    for number in range(5):
        told(cast, cast.alice, f"Coffee {number}", "More coffee")
    alice, seen = signed_in(cast.alice), []
    cursor: str | None = ""
    while cursor is not None:
        found = search(alice, "coffee", limit=2, cursor=cursor)
        seen += [hit["conversationId"] for hit in found["items"]]
        cursor = found["nextCursor"]
    assert len(seen) == len({*seen}) == 5


@pytest.mark.parametrize("typed", ["'", "a & b | !c", "\\", "' | 'x':*", "%_", "\x00", "(((", "🙂", "東京", "ﬁ", "-- ; drop"])
def test_any_query_has_an_answer(cast: Cast, typed: str) -> None:
    told(cast, cast.alice, "Text")
    search(signed_in(cast.alice), typed)


def test_japanese_is_found_by_its_characters(cast: Cast) -> None:
    told(cast, cast.alice, "私は東京に住んでいます")
    assert "[東][京]" in texts(search(signed_in(cast.alice), "東京")["items"][0])


def test_an_answer_is_indexed_again_when_it_has_grown(cast: Cast) -> None:
    conversation_id, (_, answer) = told(cast, cast.alice, "Hi", "First")
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
    conversation_id, (question, _) = told(cast, cast.alice, "Mombasa", "Coffee")
    alice = signed_in(cast.alice)
    response = alice.delete(f"/o/acme/api/conversations/{conversation_id}/messages/{question}/")
    assert response.status_code == 204
    assert search(alice, "mombasa")["items"] == []
    with tenant_tx(cast.acme.pk):
        assert not SearchText.objects.filter(message_id=question).exists()
        assert not SearchWord.objects.filter(word="mombasa").exists()


def test_deleted_conversations_leave_the_index_and_come_back_when_they_are_restored(cast: Cast) -> None:
    conversation_id, _ = told(cast, cast.alice, "Mombasa", title="Port")
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
    conversation_id, _ = told(cast, cast.alice, "Mombasa")
    alice, bob = cast.actor(cast.alice), cast.actor(cast.bob)
    with tenant_tx(cast.acme.pk):
        conversations_hand_over(alice.membership_id, bob.membership_id)
    index(cast, cast.bob, conversation_id)
    assert search(signed_in(cast.alice), "mombasa")["items"] == []
    assert len(search(signed_in(cast.bob), "mombasa")["items"]) == 1


def test_what_no_list_shows_is_not_found(cast: Cast) -> None:
    conversation_id, _ = told(cast, cast.alice, "Mombasa", title="Port")
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


COUNTED = """
SELECT (SELECT count(*) FROM chat_searchtext WHERE organization_id = %s AND words @@ %s::tsquery),
    (SELECT count(*) FROM chat_searchtext WHERE organization_id = %s AND words @@ %s::tsquery)
"""


@pytest.mark.django_db(transaction=True, databases=["default", "system", "owner"])
def test_a_search_uses_the_index_and_its_filters_reach_the_oldest_of_many_hits(cast: Cast) -> None:
    """In 10,000 messages, one test because they cost seconds; `python -m bench.many_rows.search` makes half a million."""
    actor = cast.actor(cast.alice)
    with connections["owner"].cursor() as cursor:
        fill(cursor, organization_id=cast.acme.pk, member_id=actor.membership_id, conversations=100, messages=10_000)
        cursor.execute("SELECT word FROM chat_searchword ORDER BY word LIMIT 1 OFFSET 100")
        [word] = cursor.fetchone() or [""]
        wanted = f"'{actor.membership_id.hex[:8]}{word}':*"
        cursor.execute(f"SELECT {WORD.format('%(n)s')}", {"n": 1})
        [frequent] = cursor.fetchone() or [""]
        plan = partial(plan_of, cursor, organization_id=cast.acme.pk, member_id=actor.membership_id)
        told = plan(wanted=wanted)
        walks = [
            plan(wanted=f"'{actor.membership_id.hex[:8]}{frequent}':*", **options)
            for options in (dict[str, Any](), {"agent": WRITER}, {"with_document": True})
        ]
        key = actor.membership_id.hex[:8]
        cursor.execute(f"SELECT {WORD.format('%(n)s')}", {"n": 300})
        [rare] = cursor.fetchone() or [""]
        both = f"'{key}{frequent}':* & '{key}{rare}':*"
        cursor.execute("SELECT message_id FROM chat_searchtext WHERE organization_id = %s AND words @@ %s::tsquery", [cast.acme.pk, both])
        with_both = {message_id for (message_id,) in cursor.fetchall()}
        cursor.execute(COUNTED, [cast.acme.pk, f"'{key}{frequent}':*", cast.acme.pk, f"'{key}{rare}':*"])
        [[with_frequent, with_rare]] = cursor.fetchall()
    connections["owner"].close()
    assert with_frequent * COMMON_ONE_IN > 10_000 > with_rare * COMMON_ONE_IN * 2, "one word is common, the other is not"
    with tenant_tx(cast.acme.pk), connection.cursor() as cursor:
        asked: list[Any] = [actor.membership_id, both, "1970-01-01", "9999-01-01"]
        cursor.execute("SELECT message_id FROM chat_search_texts(%s, %s::tsquery, %s, %s, 1000)", asked)
        assert {message_id for (message_id,) in cursor.fetchall()} == with_both != set()
    assert "Bitmap Index Scan on search_text_words" in told
    for walk in walks:
        assert "search_text_words" not in walk
    for read in (told, *walks):
        assert "Seq Scan on chat_searchtext" not in read
    with tenant_tx(cast.acme.pk):
        oldest = Conversation.objects.earliest("updated_at").pk
    alice = signed_in(cast.alice)
    assert str(oldest) not in {hit["conversationId"] for hit in search(alice, frequent, limit=100)["items"]}  # behind the newest thousand
    found = [hit["conversationId"] for hit in search(alice, frequent, limit=100, hasArtifact="true")["items"]]
    assert len(found) == 10, "each tenth conversation has a document, the oldest one, too"
    assert str(oldest) in found


def test_words_of_a_query() -> None:
    assert query_words("  Zölle, CUSTOMS 2_x don't") == {"zolle": "Zölle", "customs": "CUSTOMS", "2": "2", "x": "x", "don": "don", "t": "t"}
    assert trigrams("cat") == ["  c", " ca", "cat", "at "]


def test_a_snippet_is_read_without_markup() -> None:
    text = "# Tea\n\nA [link](https://example.org/), **bold**, `code`.\n\n| Kind | Colour |\n|---|--:|\n| Sencha | green |\n\n- [x] done\n"
    assert "".join(piece.text for piece in snippet([text], ["tea"])) == "Tea A link, bold, code. Kind · Colour Sencha · green done"
    assert [piece.text for piece in snippet([text], ["example"]) if piece.is_hit] == ["example"]
    code = "Run this:\n\n```python\nteas = tea__count\n```\n"
    assert [[piece.text for piece in snippet([code], [word]) if piece.is_hit] for word in ("python", "count")] == [["python"], ["count"]]


def test_a_snippet_shows_the_place_with_most_words() -> None:
    text = "customs. " + "filler " * 60 + "the customs of Kenya. " + "filler " * 60
    shown = snippet([text], ["customs", "ken"])
    assert [piece.text for piece in shown if piece.is_hit] == ["customs", "Ken"]
    assert shown[0].text.startswith("… ")
    assert shown[-1].text.endswith(" …")
    assert sum(len(piece.text) for piece in shown) < 220
    assert highlight("nothing", ["x"]) == [("nothing", False)]
