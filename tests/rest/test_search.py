"""Search: what is found, whose it is, and in which order."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from chat.models import Conversation
from chat.search.words import trigrams
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, signed_in
from tests.rest.searches import conversation_with, index, search, texts
from tests.support.accounts.cast import Cast
from tests.usage.call_rows import LoggedCalls

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


def test_messages_are_found_by_the_beginnings_of_their_words(cast: Cast) -> None:
    conversation_id, (question, answer) = conversation_with(
        cast, cast.alice, "Rank the **Kenyan** farms by Zölle", "They paid at customs in Kenya."
    )
    alice = signed_in(cast.alice)
    [hit] = search(alice, "CUSTOMS ken")["items"]
    assert (hit["conversationId"], hit["messageId"], hit["role"]) == (str(conversation_id), str(answer), "assistant")
    assert texts(hit) == "They paid at [customs] in [Ken]ya."
    [hit] = search(alice, "zoll keny")["items"]
    assert (hit["messageId"], texts(hit)) == (str(question), "Rank the [Keny]an farms by [Zöll]e")
    assert search(alice, "customs coffee")["items"] == []


def test_a_restored_conversation_is_found_again(cast: Cast) -> None:
    conversation_id, _ = conversation_with(cast, cast.alice, "Pay at customs")
    alice = signed_in(cast.alice)
    assert alice.delete(f"/o/acme/api/conversations/{conversation_id}/").status_code == 204
    assert alice.post(f"/o/acme/api/conversations/{conversation_id}/restore/", content_type="application/json").status_code == 200
    index(cast, cast.alice, conversation_id)
    assert [hit["conversationId"] for hit in search(alice, "customs")["items"]] == [str(conversation_id)]


def test_a_title_is_found_at_once_and_comes_first(cast: Cast) -> None:
    conversation_with(cast, cast.alice, "The customs of the port")
    make_conversation(cast, cast.alice, "Customs form")
    make_conversation(cast, cast.alice, "Zölle")
    assert [texts(hit, "title") for hit in search(signed_in(cast.alice), "zöll")["items"]] == ["[Zöll]e"]
    title_hit, text_hit = search(signed_in(cast.alice), "custom")["items"]
    assert (texts(title_hit, "title"), title_hit["messageId"]) == ("[Custom]s form", None)
    assert texts(text_hit) == "The [custom]s of the port"


@pytest.mark.parametrize("query", ["custms", "cusotms", "customz kenia"])
def test_a_typing_error_finds_what_was_meant(cast: Cast, query: str) -> None:
    conversation_with(cast, cast.alice, "They paid at customs in Kenya")
    results = search(signed_in(cast.alice), query)
    assert "[customs]" in texts(results["items"][0])
    assert "customs" in results["similar"]


def test_nobody_finds_what_others_wrote(cast: Cast) -> None:
    conversation_with(cast, cast.alice, "The secret of Mombasa", title="Mombasa")
    conversation_with(cast, cast.charlie, "Mombasa is mine", title="Own")
    for query in ("mombasa", "mombassa"):
        assert search(signed_in(cast.bob), query)["items"] == []
        [theirs] = search(signed_in(cast.charlie), query, slug="other")["items"]
        assert texts(theirs) == "[Mombasa] is mine"
    assert signed_in(cast.charlie).get("/o/acme/api/search/?q=mombasa").status_code == 404
    assert Client().get("/o/acme/api/search/?q=mombasa").status_code == 401


def test_the_functions_know_no_other_organization(cast: Cast) -> None:
    """They run with the owner's rights, and still see only the organization of the transaction."""
    conversation_with(cast, cast.alice, "Mombasa")
    member = cast.actor(cast.alice).membership_id
    key = member.hex[:8]
    params: list[str | UUID] = [member, f"'{key}mombasa'", "1970-01-01", "9999-01-01"]
    for organization, count in ((cast.acme, 1), (cast.other, 0)):
        with tenant_tx(organization.pk), connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM chat_search_texts(%s, %s::tsquery, %s, %s, 10)", params)
            assert cursor.fetchone() == (count,)
            cursor.execute("SELECT count(*) FROM chat_search_words(%s, %s, 0.3, 3)", [member, [key + each for each in trigrams("mombasa")]])
            assert cursor.fetchone() == (count,)


def test_filters(cast: Cast) -> None:
    plain, _ = conversation_with(cast, cast.alice, "Coffee one")
    with_document, _ = conversation_with(cast, cast.alice, "Coffee two")
    make_artifact(cast.actor(cast.alice), conversation_id=with_document)
    alice = signed_in(cast.alice)
    assert {hit["conversationId"] for hit in search(alice, "coffee")["items"]} == {str(plain), str(with_document)}
    assert [hit["conversationId"] for hit in search(alice, "coffee", hasArtifact="true")["items"]] == [str(with_document)]
    assert [hit["conversationId"] for hit in search(alice, hasArtifact="true")["items"]] == [str(with_document)]
    assert search(alice, "coffee", to="2020-01-01")["items"] == []
    assert len(search(alice, "coffee", **{"from": "2020-01-01"})["items"]) == 2
    assert search(alice, "coffee", agent="nobody")["items"] == []


def test_archived_chats_are_found_unless_one_asks_without_them(cast: Cast) -> None:
    archived_id, _ = conversation_with(cast, cast.alice, "Coffee in the archive", title="Coffee bought")
    active_id, _ = conversation_with(cast, cast.alice, "Coffee on the table")
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=archived_id).update(archived_at=Now())
    alice = signed_in(cast.alice)
    assert {hit["conversationId"] for hit in search(alice, "coffee")["items"]} == {str(archived_id), str(active_id)}
    assert {hit["conversationId"] for hit in search(alice, "coffee", withArchived="false")["items"]} == {str(active_id)}
    assert {hit["conversationId"] for hit in search(alice, withArchived="false")["items"]} == {str(active_id)}


def test_chats_are_found_by_the_agents_that_have_worked_in_them(cast: Cast) -> None:
    plain, _ = conversation_with(cast, cast.alice, "Coffee")
    logged = LoggedCalls(cast, cast.acme, cast.alice)

    def works(agent_key: str) -> None:
        with tenant_tx(cast.acme.pk):
            logged.call(timezone.now(), run=logged.run(Conversation.objects.get(pk=plain), timezone.now()), agent_key=agent_key)
            Conversation.objects.filter(pk=plain).update(updated_at=Now())
        index(cast, cast.alice, plain)

    def conversation_ids(agent: str, q: str = "coffee") -> list[str]:
        return [hit["conversationId"] for hit in search(signed_in(cast.alice), q, agent=agent)["items"]]

    works("document_agent_google")
    works("tea_taster")
    assert conversation_ids("document_agent") == conversation_ids("tea_taster") == conversation_ids("tea_taster", q="") == [str(plain)], (
        "the first of them is kept"
    )
    assert conversation_ids("python_agent") == conversation_ids("tea") == []
    assert search(signed_in(cast.charlie), "coffee", slug="other", agent="tea_taster")["items"] == []


def test_the_pages_hold_every_conversation_once(cast: Cast) -> None:
    for number in range(5):
        conversation_with(cast, cast.alice, f"Coffee {number}", "More coffee")
    alice, ids = signed_in(cast.alice), []
    cursor: str | None = ""
    while cursor is not None:
        results = search(alice, "coffee", limit=2, cursor=cursor)
        ids += [hit["conversationId"] for hit in results["items"]]
        cursor = results["nextCursor"]
    assert len(ids) == len({*ids}) == 5


@pytest.mark.parametrize("query", ["'", "a & b | !c", "\\", "' | 'x':*", "%_", "\x00", "(((", "🙂", "東京", "ﬁ", "-- ; drop"])
def test_any_query_has_an_answer(cast: Cast, query: str) -> None:
    conversation_with(cast, cast.alice, "Text")
    search(signed_in(cast.alice), query)


def test_japanese_is_found_by_its_characters(cast: Cast) -> None:
    conversation_with(cast, cast.alice, "私は東京に住んでいます")
    assert "[東][京]" in texts(search(signed_in(cast.alice), "東京")["items"][0])
