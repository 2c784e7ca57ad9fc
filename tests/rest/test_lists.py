"""The lists of the REST API: pages, filters, whose rows they hold, and how many queries they take."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from artifacts.services import version_create
from chat.models import Conversation, Message, ModelCall
from security.api_tokens import api_token_create
from tenants.context import tenant_tx
from tenants.models import User
from tests.artifacts.support import CONVERSATION, agent_version, make_artifact
from tests.rest.conftest import make_conversation, post, signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]
BASE = "/o/acme/api/"


def page(client: Client, path: str, **query: Any) -> Any:
    response = client.get(f"{BASE}{path}?{urlencode(query)}")
    assert response.status_code == 200, response.content
    return response.json()


def all_pages(client: Client, path: str, **query: Any) -> list[Any]:
    items: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        list_page = page(client, path, cursor=cursor, limit=2, **query)
        assert len(list_page["items"]) <= 2
        items += list_page["items"]
        cursor = list_page["nextCursor"]
    return items


def queries_of(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"{BASE}{path}").status_code == 200
    return len(queries)


def add_calls(cast: Cast, user: User, *, model: str, cost: float | None, count: int = 1, is_estimated: bool = False) -> None:
    conversation_id = make_conversation(cast, user)
    usage = {"input_tokens": 10, "output_tokens": 2, "thinking_tokens": 1, "cached_tokens": 4, "cache_write_tokens": 3, "tool_tokens": 5}
    with tenant_tx(cast.actor(user).organization_id):
        for _ in range(count):
            ModelCall.objects.create(
                conversation_id=conversation_id,
                kind="title",
                agent_key="a",
                model=model,
                prompt_hash="h",
                entry_count=0,
                settings={},
                usage=usage,
                cost_usd=cost,
                is_estimated=is_estimated,
                duration_ms=1,
            )


def test_conversations_are_filtered_by_title_activity_and_running(cast: Cast) -> None:
    alice = signed_in(cast.alice)
    for title in ("Green tea", "Coffee", "Black TEA"):
        make_conversation(cast, cast.alice, title)
    with tenant_tx(cast.acme.pk):
        Conversation.objects.filter(title="Coffee").update(updated_at=timezone.now() - timedelta(days=2))
    since = (timezone.now() - timedelta(days=1)).isoformat()
    assert [item["title"] for item in all_pages(alice, "conversations/")] == ["Black TEA", "Green tea", "Coffee"]
    assert [item["title"] for item in page(alice, "conversations/", q="tea")["items"]] == ["Black TEA", "Green tea"]
    assert [item["title"] for item in page(alice, "conversations/", updatedSince=since)["items"]] == ["Black TEA", "Green tea"]
    assert page(alice, "conversations/", running="true")["items"] == []
    assert len(page(alice, "conversations/", running="false")["items"]) == 3
    assert page(alice, "conversations/", q="100%")["items"] == []
    assert page(alice, "conversations/", updatedSince="0034-10-28T10:12:16+21:29")["items"]  # PostgreSQL knows no such distance from UTC
    assert alice.get(f"{BASE}conversations/?updatedSince=0001-01-01T00:00:00%2B21:29").status_code == 400


def test_artifacts_and_versions_are_paged_newest_first(cast: Cast) -> None:
    alice, actor = signed_in(cast.alice), cast.actor(cast.alice)
    artifacts = [make_artifact(actor).artifact for _ in range(3)]
    with tenant_tx(actor.organization_id):
        for parent in (1, 2):
            version_create(artifact=artifacts[0], version=agent_version(f"v{parent}", parent=parent))
    assert [item["id"] for item in all_pages(alice, "artifacts/", conversation=CONVERSATION)] == [
        str(row.pk) for row in reversed(artifacts)
    ]
    assert [item["number"] for item in all_pages(alice, f"artifacts/{artifacts[0].pk}/versions/")] == [3, 2, 1]
    assert page(alice, "artifacts/", kind="text")["items"]
    assert alice.get(f"{BASE}artifacts/?kind=song").status_code == 400


def test_usage_is_summed_by_model_day_and_conversation(cast: Cast) -> None:
    add_calls(cast, cast.alice, model="m1", cost=0.5, count=2)
    add_calls(cast, cast.alice, model="m2", cost=None, is_estimated=True)
    add_calls(cast, cast.bob, model="m1", cost=1.0)
    alice, bob = signed_in(cast.alice), signed_in(cast.bob)
    models = all_pages(alice, "usage/", group="model")
    assert [(item["key"], item["calls"], item["costUsd"], item["unpricedCalls"], item["estimatedCalls"]) for item in models] == [
        ("m1", 2, 1.0, 0, 0),
        ("m2", 1, None, 1, 1),
    ]
    kinds = ("inputTokens", "cachedTokens", "cacheWriteTokens", "toolTokens", "outputTokens", "thinkingTokens")
    assert [models[0][kind] for kind in kinds] == [20, 8, 6, 10, 4, 2]
    assert [item["calls"] for item in page(alice, "usage/", whose="organization")["items"]] == [4]
    assert [item["calls"] for item in page(bob, "usage/")["items"]] == [1]
    assert len(all_pages(alice, "usage/", group="conversation")) == 2
    assert page(alice, "usage/", to="2020-01-01")["items"] == []
    assert bob.get(f"{BASE}usage/?whose=organization").status_code == 403
    assert page(alice, "usage/", **{"from": "2024-11-27", "to": "2025-12-31"})["items"] == []
    too_long = alice.get(f"{BASE}usage/?from=2024-11-26&to=2025-12-31")
    assert (too_long.status_code, "at most 400 days" in too_long.json()["error"]["message"]) == (400, True)


def test_models_and_agents_are_those_of_the_live_release(acme: Workspace, cast: Cast) -> None:
    vera = signed_in(cast.vera)
    models, agents = page(vera, "models/")["items"], page(vera, "agents/")["items"]
    assert [model["isDefault"] for model in models].count(True) == 1
    assert {model["provider"] for model in models} == {"google"}
    assert {"chat_model_agent_google", "document_agent_google"} <= {agent["key"] for agent in agents}
    charlie = signed_in(cast.charlie)
    assert charlie.get("/o/other/api/models/").json() == {"items": []}  # nothing published there


def test_a_conversation_can_be_made_before_anything_is_said(acme: Workspace, cast: Cast) -> None:
    alice = signed_in(cast.alice)
    response = post(alice, f"{BASE}conversations/", {"title": "Tea"})
    assert (response.status_code, response.json()["title"]) == (201, "Tea")
    assert page(alice, f"conversations/{response.json()['id']}/messages/") == {"items": [], "nextCursor": None}
    assert post(alice, f"{BASE}conversations/").json()["title"] == "New conversation"
    assert post(signed_in(cast.vera), f"{BASE}conversations/", {"title": "Tea"}).status_code == 403


def test_lists_take_as_many_queries_for_many_rows_as_for_few(acme: Workspace, cast: Cast) -> None:
    alice, actor = signed_in(cast.alice), cast.actor(cast.alice)
    paths = ["conversations/", "artifacts/", "usage/?group=conversation", "models/", "agents/"]

    def more() -> dict[str, int]:
        make_artifact(actor)
        add_calls(cast, cast.alice, model="m", cost=1.0)
        return {path: queries_of(alice, path) for path in paths}

    more()  # the release is loaded once
    few = more()
    assert [more() for _ in range(4)] == [few] * 4
    assert few["conversations/"] == 6  # the session's member, the page, and four of its transaction


def test_lists_show_no_rows_of_other_members(cast: Cast) -> None:
    conversation_id = make_conversation(cast, cast.alice)
    artifact = make_artifact(cast.actor(cast.alice)).artifact
    add_calls(cast, cast.alice, model="m1", cost=1.0)
    for user, slug in ((cast.bob, "acme"), (cast.charlie, "other")):
        other = signed_in(user)
        for path in (f"conversations/{conversation_id}/messages/", f"artifacts/{artifact.pk}/versions/"):
            assert other.get(f"/o/{slug}/api/{path}").status_code == 404
        for path in ("conversations/", "artifacts/", f"artifacts/?conversation={CONVERSATION}", "usage/"):
            assert other.get(f"/o/{slug}/api/{path}").json()["items"] == []
    charlie = signed_in(cast.charlie)
    for path in ("conversations/", "artifacts/", "usage/", "models/", "agents/", "schema/"):
        assert charlie.get(f"{BASE}{path}", headers={"Accept": "application/json"}).status_code == 404


def test_a_token_opens_the_same_calls_without_an_organization(cast: Cast) -> None:
    conversation_id = make_conversation(cast, cast.alice)
    actor = cast.actor(cast.alice)
    with tenant_tx(actor.organization_id):
        _, text = api_token_create(actor=actor, name="t", scopes=["read"], days=None)
    program, headers = Client(enforce_csrf_checks=True), {"Authorization": f"Bearer {text}"}
    assert [item["id"] for item in program.get("/api/conversations/", headers=headers).json()["items"]] == [str(conversation_id)]
    assert program.post("/api/conversations/", "{}", content_type="application/json", headers=headers).status_code == 403  # scope
    assert program.get("/o/other/api/conversations/", headers=headers).status_code == 404
    assert program.get("/o/acme/api/keys/", headers=headers).status_code == 403  # a browser's session alone
    assert program.get("/api/keys/", headers=headers).status_code == 404
    assert signed_in(cast.alice).get("/api/conversations/").status_code == 401  # a session names no organization


@pytest.mark.parametrize(
    ("path", "cursor"),
    [("conversations/", "1790000000000000-" + "0" * 32), ("artifacts/", "1-" + "f" * 32), ("usage/", "ff00e9"), ("usage/", "7a")],
)
def test_any_cursor_of_the_form_that_the_schema_states_is_valid(cast: Cast, path: str, cursor: str) -> None:
    assert page(signed_in(cast.alice), path, cursor=cursor)["nextCursor"] is None


@pytest.mark.parametrize("path", ["conversations/", "artifacts/", "usage/"])
def test_another_cursor_is_refused_by_name(cast: Cast, path: str) -> None:
    response = signed_in(cast.alice).get(f"{BASE}{path}?cursor=../x")
    assert (response.status_code, "cursor" in response.json()["error"]["message"]) == (400, True)


def test_a_position_in_a_conversation_that_is_not_there_is_404(cast: Cast) -> None:
    conversation_id = make_conversation(cast, cast.alice)
    with tenant_tx(cast.acme.pk):
        question = Message.objects.create(conversation_id=conversation_id, role=Message.Role.USER)
        Conversation.objects.filter(pk=conversation_id).update(head=question)
    assert signed_in(cast.alice).get(f"{BASE}conversations/{conversation_id}/messages/?cursor={'0' * 32}").status_code == 404


def test_whole_numbers_may_be_written_with_a_point(cast: Cast) -> None:
    alice = signed_in(cast.alice)
    artifact = make_artifact(cast.actor(cast.alice)).artifact
    path = f"{BASE}artifacts/{artifact.pk}/versions/"
    valid_response = alice.post(path, '{"content": "# Green tea", "base": 1.0}', content_type="application/json")
    invalid_response = alice.post(path, '{"content": "# Black tea", "base": 1.5}', content_type="application/json")
    assert (valid_response.status_code, invalid_response.status_code) == (201, 400)
