"""What a member used, for the page "My usage" and for the footers of answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat.models import Conversation, ModelCall
from tenants.context import tenant_tx
from tests.rest.conftest import make_conversation, signed_in
from tests.rest.test_lists import add_calls
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


def ledger_reads(client: Client, path: str) -> tuple[Any, int]:
    """The answer, and how many statements read the log of calls."""
    with CaptureQueriesContext(connection) as queries:
        response = client.get(path)
    assert response.status_code == 200, response.content
    return response.json(), sum("chat_modelcall" in query["sql"] for query in queries)


def test_the_summary_has_days_models_and_conversations_in_two_statements(cast: Cast) -> None:
    for _ in range(3):
        add_calls(cast, cast.alice, model="m1", cost=0.5, count=2)
    add_calls(cast, cast.alice, model="m2", cost=None)
    add_calls(cast, cast.bob, model="m1", cost=9.0)
    summary, reads = ledger_reads(signed_in(cast.alice), "/o/acme/api/usage/summary/")
    assert reads == 2
    assert [(day["model"], day["calls"], day["costUsd"], day["unpricedCalls"]) for day in summary["days"]] == [
        ("m1", 6, 3.0, 0),
        ("m2", 1, None, 1),
    ]
    assert [row["costUsd"] for row in summary["conversations"]] == [1.0, 1.0, 1.0, None]
    assert {row["title"] for row in summary["conversations"]} == {"Tea"}


def test_a_deleted_conversation_counts_without_its_title(cast: Cast) -> None:
    add_calls(cast, cast.alice, model="m1", cost=0.5)
    alice = signed_in(cast.alice)
    with tenant_tx(cast.acme.pk):
        conversation_id = Conversation.objects.get().pk
    assert alice.delete(f"/o/acme/api/conversations/{conversation_id}/").status_code == 204
    [row] = alice.get("/o/acme/api/usage/summary/").json()["conversations"]
    assert (row["id"], row["title"], row["costUsd"]) == (None, "", 0.5)


def test_nobody_else_sees_it(cast: Cast) -> None:
    add_calls(cast, cast.alice, model="m1", cost=0.5)
    with tenant_tx(cast.acme.pk):
        conversation_id = ModelCall.objects.get().conversation_id
    charlie = signed_in(cast.charlie)
    assert charlie.get("/o/other/api/usage/summary/").json()["days"] == []
    assert charlie.get(f"/o/other/api/conversations/{conversation_id}/usage/").status_code == 404
    assert charlie.get("/o/acme/api/usage/summary/").status_code == 404
    assert signed_in(cast.bob).get("/o/acme/api/usage/summary/").json()["conversations"] == []
    assert signed_in(cast.bob).get(f"/o/acme/api/conversations/{conversation_id}/usage/").status_code == 404


def test_a_conversation_has_a_total_and_an_unknown_price_is_not_zero(cast: Cast) -> None:
    alice, quiet = signed_in(cast.alice), make_conversation(cast, cast.alice)
    add_calls(cast, cast.alice, model="m1", cost=None, count=2)
    with tenant_tx(cast.acme.pk):
        call = ModelCall.objects.first()
    assert call is not None
    usage, reads = ledger_reads(alice, f"/o/acme/api/conversations/{call.conversation_id}/usage/")
    assert reads == 1
    assert usage["total"] | {"costUsd": None, "unpricedCalls": 2, "inputTokens": 20, "cachedTokens": 8} == usage["total"]
    assert usage["answers"] == []
    assert alice.get(f"/o/acme/api/conversations/{quiet}/usage/").json()["total"]["costUsd"] is None
    assert alice.get(f"/o/acme/api/conversations/{quiet}/usage/?runs=x").status_code == 400
