"""Pinned and archived conversations, and acts on several at once: what lists and search show of them, for whom, at what cost."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, connections
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from artifacts.models import Artifact
from chat.conversations import filing
from chat.conversations.lists import list_cursor, pinned_first
from chat.models import Conversation
from tenants.context import tenant_tx
from tenants.rest.pagination import PAGE_SIZE
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, post, signed_in
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]

API = "/o/acme/api"
BATCHES = f"{API}/conversation-batches/"


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


def change(client: Client, conversation_id: UUID, slug: str = "acme", **fields: Any) -> Any:
    return client.patch(f"/o/{slug}/api/conversations/{conversation_id}/", fields, content_type="application/json")


def titles(client: Client, query: str = "") -> list[str]:
    return [item["title"] for item in client.get(f"{API}/conversations/?{query}").json()["items"]]


def test_pinned_ones_come_first_on_every_page(cast: Cast, alice: Client) -> None:
    ids = [make_conversation(cast, cast.alice, title) for title in "abcde"]
    for place in (0, 2):
        assert change(alice, ids[place], pinned=True).json()["pinned"] is True
    page_titles: list[str] = []
    cursor: str | None = ""
    for _ in range(5):
        page = alice.get(f"{API}/conversations/?limit=1&cursor={cursor}").json()
        page_titles += [item["title"] for item in page["items"]]
        cursor = page["nextCursor"]
    assert (page_titles, cursor) == (["c", "a", "e", "d", "b"], None)
    assert alice.get(f"{API}/conversations/?cursor=pnonsense").status_code == 400
    assert change(alice, ids[0], pinned=False).json()["pinned"] is False
    assert titles(alice) == ["c", "e", "d", "b", "a"]


def test_the_first_page_has_room_for_all_pinned_ones_and_others() -> None:
    assert filing.MAX_PINNED < PAGE_SIZE


def test_only_so_many_can_be_pinned(cast: Cast, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filing, "MAX_PINNED", 1)
    first, second = (make_conversation(cast, cast.alice) for _ in range(2))
    assert change(alice, first, pinned=True).status_code == 200
    assert change(alice, first, pinned=True).status_code == 200, "the same one again"
    response = change(alice, second, pinned=True)
    assert (response.status_code, response.json()["error"]["message"]) == (400, "At most 1 chats can be pinned. Unpin one first.")


def test_an_archived_one_is_in_the_archive_alone_and_search_marks_it(cast: Cast, alice: Client) -> None:
    active_id, archived_id = make_conversation(cast, cast.alice, "Green tea"), make_conversation(cast, cast.alice, "Black tea")
    change(alice, archived_id, pinned=True)
    item = change(alice, archived_id, archived=True).json()
    assert (item["archived"], item["pinned"]) == (True, False)
    assert (titles(alice), titles(alice, "archived=true")) == (["Green tea"], ["Black tea"])
    hits = alice.get(f"{API}/search/?q=tea").json()["items"]
    assert {hit["conversationId"]: hit["archived"] for hit in hits} == {str(active_id): False, str(archived_id): True}
    assert alice.get(f"{API}/conversations/{archived_id}/").json()["archived"] is True
    change(alice, archived_id, archived=False)
    assert titles(alice, "archived=true") == []
    assert change(alice, archived_id, pinned=True).json()["archived"] is False


def test_what_no_list_shows_cannot_be_filed(cast: Cast, alice: Client) -> None:
    temporary = make_conversation(cast, cast.alice)
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(pk=temporary).update(listed=False, expires_at=Now())
    assert change(alice, temporary, pinned=True).status_code == 400
    assert post(alice, BATCHES, {"ids": [str(temporary)], "act": "archive"}).json() == {"ids": []}


def test_several_are_archived_deleted_and_restored_together(cast: Cast, alice: Client) -> None:
    ids = [make_conversation(cast, cast.alice, title) for title in "abc"]
    make_artifact(cast.actor(cast.alice), title="Notes", conversation_id=ids[0])
    selection = [str(each) for each in ids[:2]]
    assert set(post(alice, BATCHES, {"ids": [*selection, str(uuid4())], "act": "archive"}).json()["ids"]) == set(selection)
    assert (titles(alice), set(titles(alice, "archived=true"))) == (["c"], {"a", "b"})
    post(alice, BATCHES, {"ids": selection, "act": "unarchive"})
    assert set(post(alice, BATCHES, {"ids": selection, "act": "delete"}).json()["ids"]) == set(selection)
    assert titles(alice) == ["c"]
    assert set(post(alice, BATCHES, {"ids": selection, "act": "restore"}).json()["ids"]) == set(selection)
    assert titles(alice) == ["c", "b", "a"]
    with tenant_tx(cast.acme.pk):
        assert Artifact.objects.get(title="Notes").deleted_at is None
    [deleted] = events(cast.acme, "conversation.delete_several")
    assert (deleted.object_label, set(deleted.detail["ids"])) == ("2 conversations", set(selection))


@pytest.mark.parametrize("act", ["archive", "delete", "restore"])
def test_a_batch_of_many_makes_as_many_statements_as_one_of_two(cast: Cast, alice: Client, act: str) -> None:
    def statements(number: int) -> int:
        ids = [str(make_conversation(cast, cast.alice)) for _ in range(number)]
        if act == "restore":
            post(alice, BATCHES, {"ids": ids, "act": "delete"})
        with CaptureQueriesContext(connection) as queries:
            assert len(post(alice, BATCHES, {"ids": ids, "act": act}).json()["ids"]) == number
        return len(queries)

    statements(2)
    assert statements(9) == statements(2)


def test_nobody_else_files_or_deletes_them(cast: Cast, alice: Client) -> None:
    conversation_id = make_conversation(cast, cast.alice, "Tea")
    for user, slug, status in ((cast.bob, "acme", 404), (cast.charlie, "other", 404), (cast.charlie, "acme", 404)):
        assert change(signed_in(user), conversation_id, slug, pinned=True).status_code == status
        for act in ("archive", "move", "delete", "restore"):
            answer = post(signed_in(user), f"/o/{slug}/api/conversation-batches/", {"ids": [str(conversation_id)], "act": act})
            assert answer.json() == {"ids": []} if slug == "other" or user is cast.bob else answer.status_code == 404
    assert change(signed_in(cast.vera), conversation_id, pinned=True).status_code == 403
    assert post(signed_in(cast.vera), BATCHES, {"ids": [str(conversation_id)], "act": "delete"}).status_code == 403
    assert titles(alice) == ["Tea"]


def test_each_page_of_a_long_list_comes_from_the_index(cast: Cast) -> None:
    """10,000 conversations, 300 of them archived: pinned first, the archive and a project, under row security."""
    actor = cast.actor(cast.alice)
    with tenant_tx(cast.acme.pk), connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO chat_project (id, organization_id, owner_id, name, description, color, instructions, created_at, updated_at)
            VALUES (gen_random_uuid(), %(organization)s, %(owner)s, 'Tea', '', 1, '', now(), now());
            INSERT INTO chat_conversation
                (id, organization_id, owner_id, title, title_source, client_id, created_at, updated_at, is_pinned, archived_at, project_id)
            SELECT gen_random_uuid(), %(organization)s, %(owner)s, 'Tea', 'user', '', now(), now() - number * interval '1 minute',
                number %% 500 = 0, CASE WHEN number %% 33 = 1 AND number %% 500 > 0 THEN now() END,
                CASE WHEN number %% 40 = 1 THEN (SELECT id FROM chat_project LIMIT 1) END
            FROM generate_series(1, 10000) AS number;
            """,
            {"organization": actor.organization_id, "owner": actor.membership_id},
        )
        cursor.execute("SELECT id FROM chat_project LIMIT 1")
        [project_id] = cursor.fetchone() or [None]
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE chat_conversation")  # otherwise the plan is for the rows of the tests before
    with tenant_tx(cast.acme.pk):
        own = Conversation.objects.filter(owner_id=actor.membership_id, deleted_at=None, listed=True)
        first = list(pinned_first(own.filter(archived_at=None), "")[:41])
        plans = {
            "conversation_list": [
                pinned_first(own.filter(archived_at=None), cursor) for cursor in ("", list_cursor(first[3]), list_cursor(first[40]))
            ],
            "conversation_archive": [own.filter(archived_at__isnull=False).order_by("-updated_at", "-id")],
            "conversation_project": [own.filter(archived_at=None, project_id=project_id).order_by("-updated_at", "-id")],
        }
        for index, queries in plans.items():
            for rows in queries:
                plan = rows[:41].explain(analyze=True, buffers=False)
                assert f"Index Scan using {index}" in plan, plan
                assert "Sort" not in plan, plan
    assert [row.is_pinned for row in first] == [True] * 20 + [False] * 21
