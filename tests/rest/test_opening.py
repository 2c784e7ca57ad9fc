"""Opening a conversation: the same few statements however long it is, and pages of the branch that is shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.messages import AssistantText, UserMessage
from artifacts.models import Artifact
from artifacts.schemas import artifact_summary
from chat.models import Message
from tenants.context import tenant_tx
from tenants.rest.renderers import as_json
from tests.support.accounts.cast import Cast
from tests.support.chat.branch_rows import BranchRows
from tests.support.chat.conversations import conversation_row

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(cast: Cast) -> BranchRows:
    return BranchRows(cast)


def conversation_json(client: Client, rows: BranchRows, before: UUID | None = None) -> dict[str, Any]:
    response = client.get(f"/o/acme/api/conversations/{rows.conversation_id}/", {"before": str(before)} if before else {})
    assert response.status_code == 200, response.content
    conversation: dict[str, Any] = response.json()
    return conversation


def chain(rows: BranchRows, length: int) -> list[UUID]:
    ids: list[UUID] = []
    for number in range(length):
        entry = AssistantText(f"{number}") if number % 2 else UserMessage(f"{number}")
        ids.append(rows.add(entry, parent=ids[-1] if ids else None))
    rows.show(ids[-1])
    return ids


def ids_of(page: dict[str, Any]) -> list[str]:
    return [message["id"] for message in page["messages"]]


def statements(client: Client, path: str) -> int:
    """What a request asks the database; the test's transaction around it adds savepoints, and an organization to go back to."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return sum(query["sql"].startswith(("SELECT", "select current_setting")) for query in queries)


def test_the_statements_do_not_grow_with_the_history(rows: BranchRows, cast: Cast, client: Client) -> None:
    client.force_login(cast.alice)
    path = f"/o/acme/api/conversations/{rows.conversation_id}/"
    assert statements(client, path) == 3  # the session's member, the transaction's organization, the conversation with its artifacts
    for length in (2, 60):
        chain(rows, length)
        assert statements(client, path) == 4  # and the messages with their runs and parts


@pytest.mark.parametrize("query", ["", "?q=plan", "?running=true"])
def test_a_list_costs_three_statements(query: str, rows: BranchRows, cast: Cast, client: Client) -> None:
    client.force_login(cast.alice)
    assert statements(client, f"/o/acme/api/conversations/{query}") == 3


def test_pages_lead_to_the_root(rows: BranchRows, cast: Cast, client: Client) -> None:
    client.force_login(cast.alice)
    ids = [str(message_id) for message_id in chain(rows, 120)]
    pages = [conversation_json(client, rows)]
    while pages[-1]["hasMore"]:
        pages.append(conversation_json(client, rows, before=UUID(ids_of(pages[-1])[0])))
    assert [ids_of(page) for page in pages] == [ids[70:], ids[20:70], ids[:20]]
    assert conversation_json(client, rows, before=UUID(ids[0]))["messages"] == []


def test_only_the_branch_that_is_shown_is_there(rows: BranchRows, cast: Cast, client: Client) -> None:
    client.force_login(cast.alice)
    question = rows.add(UserMessage("Question"))
    former, answer = (rows.add(AssistantText(text), parent=question) for text in ("Former", "Now"))
    rows.show(answer)
    conversation = conversation_json(client, rows)
    assert ids_of(conversation) == [str(question), str(answer)]
    assert conversation["messages"][1]["parts"][0]["text"] == "Now"
    for before in (former, uuid4()):
        response = client.get(f"/o/acme/api/conversations/{rows.conversation_id}/", {"before": str(before)})
        assert response.status_code == 404


def test_a_message_without_parts_is_shown(rows: BranchRows, cast: Cast, client: Client) -> None:
    """An answer that has only begun."""
    client.force_login(cast.alice)
    question = rows.add(UserMessage("Question"))
    rows.show(rows.add(parent=question))
    assert [message["parts"] for message in conversation_json(client, rows)["messages"]] == [
        [{"type": "text", "text": "Question"}],
        [],
    ]


def test_an_opened_conversation_has_its_artifacts(rows: BranchRows, cast: Cast, client: Client) -> None:
    client.force_login(cast.alice)
    assert conversation_json(client, rows)["artifacts"] == []
    with tenant_tx(rows.organization_id):
        owner_id = cast.actor(cast.alice).membership_id
        elsewhere = conversation_row(organization_id=rows.organization_id, owner_id=owner_id)
        beside = [rows.conversation_id, rows.conversation_id, rows.conversation_id, elsewhere]
        artifacts = [
            Artifact.objects.create(
                conversation_id=place, owner_id=owner_id, title=f'"{number}" \u00e9\\', kind="text", latest_number=number
            )
            for number, place in enumerate(beside)
        ]
        Artifact.objects.filter(pk=artifacts[1].pk).update(deleted_at=Now())
    assert conversation_json(client, rows)["artifacts"] == [
        as_json(artifact_summary(artifacts[0])),
        as_json(artifact_summary(artifacts[2])),
    ]


def test_a_conversation_opens_for_its_owner_alone(rows: BranchRows, cast: Cast, client: Client) -> None:
    chain(rows, 2)
    for user, slug in ((cast.bob, "acme"), (cast.charlie, "other"), (cast.charlie, "acme")):
        client.force_login(user)
        assert client.get(f"/o/{slug}/api/conversations/{rows.conversation_id}/").status_code == 404


def page_from(client: Client, rows: BranchRows, **query: str) -> Any:
    return client.get(f"/o/acme/api/conversations/{rows.conversation_id}/", query)


def test_a_page_begins_with_a_message_or_at_a_time(rows: BranchRows, client: Client, cast: Cast) -> None:
    client.force_login(cast.alice)
    ids = chain(rows, 8)
    rows.add(UserMessage("Another branch"), parent=ids[2])
    begin = datetime(2026, 5, 1, tzinfo=UTC)
    with tenant_tx(cast.acme.pk):
        for number, message_id in enumerate(ids):
            Message.objects.filter(pk=message_id).update(created_at=begin + timedelta(days=number))
    expected_ids = [str(message_id) for message_id in ids]
    page = page_from(client, rows, **{"from": expected_ids[3]}, limit="2").json()
    assert (ids_of(page), page["hasMore"]) == (expected_ids[3:5], True)
    page = page_from(client, rows, **{"from": expected_ids[0]}).json()
    assert (ids_of(page), page["hasMore"]) == (expected_ids, False)
    page = page_from(client, rows, since="2026-05-03T12:00:00Z", limit="3").json()
    assert (ids_of(page), page["hasMore"]) == (expected_ids[3:6], True)
    assert ids_of(page_from(client, rows, since="2026-05-03T00:00:00Z").json()) == expected_ids[2:]
    assert ids_of(page_from(client, rows, since="2027-01-01T00:00:00Z").json()) == []


def test_a_page_that_is_not_there_is_refused_and_a_message_counts_before_a_time(rows: BranchRows, client: Client, cast: Cast) -> None:
    client.force_login(cast.alice)
    ids = chain(rows, 4)
    elsewhere = rows.add(UserMessage("Another branch"), parent=ids[0])
    assert page_from(client, rows, **{"from": str(elsewhere)}).status_code == 404
    assert page_from(client, rows, **{"from": str(uuid4())}).status_code == 404
    both = page_from(client, rows, **{"from": str(ids[1])}, since="2999-05-03T00:00:00Z").json()
    assert [message["id"] for message in both["messages"]] == [str(each) for each in ids[1:]]
    assert page_from(client, rows, since="yesterday").status_code == 400
    client.force_login(cast.bob)
    assert page_from(client, rows, since="2026-05-03T00:00:00Z").status_code == 404
