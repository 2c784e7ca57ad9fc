"""The REST list of usage: what the organization's sums say equals what the log says, and a page reads no more than it shows."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import ModelCall
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.stores.plans import rows_read
from tests.usage.call_rows import USAGE, LoggedCalls
from usage.models import ConversationSum
from usage.reading.lists import Days, usage_list
from usage.rollup import usage_fill

pytestmark = pytest.mark.django_db(databases=["default", "system"])

NOW = timezone.now()
DAYS = {"from": str((NOW - timedelta(days=40)).date()), "to": str((NOW + timedelta(days=1)).date())}  # a test may run into midnight
GROUPS = ("day", "model", "conversation")
NOON = datetime(2026, 5, 10, 12, tzinfo=UTC)
MAY = {"from": "2026-05-01", "to": "2026-05-31"}


@pytest.fixture
def bob(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.bob)
    return client


def fill(logged: LoggedCalls) -> None:
    usage_fill(organization_id=logged.organization_id, until=time.monotonic() + 60)


def page(client: Client, **query: str) -> dict[str, Any]:
    answer = client.get("/o/acme/api/usage/", query)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def all_items(client: Client, **query: str) -> list[dict[str, Any]]:
    """The items of all pages, of two each."""
    items: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        batch = page(client, cursor=cursor, limit="2", **query)
        assert len(batch["items"]) == 2 or batch["nextCursor"] is None
        items += batch["items"]
        cursor = batch["nextCursor"]
    return [{**item, "costUsd": None if item["costUsd"] is None else round(item["costUsd"], 9)} for item in items]


def log_some(logged: LoggedCalls) -> None:
    """Five conversations on many days, three models, one of them without a price."""
    conversations = [logged.conversation() for _ in range(5)]
    for number in range(24):
        at = NOW - number * timedelta(hours=31, minutes=7)
        logged.call(
            at,
            run=logged.run(conversations[number % 5], at),
            model=("gemini-2.5-flash", "gemini-2.5-pro", "own-model")[number % 3],
            cost_usd=None if number % 3 == 2 else 0.1 / (number + 1),
            usage={name: tokens * (number + 1) for name, tokens in USAGE.items()},
            is_estimated=number % 4 == 0,
        )


def test_the_organization_used_what_its_only_user_did(acme: LoggedCalls, other: LoggedCalls, alice: Client, bob: Client) -> None:
    log_some(acme)
    other.call(NOW - timedelta(days=3), cost_usd=99.0)

    def both(group: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return all_items(alice, group=group, whose="organization", **DAYS), all_items(bob, group=group, **DAYS)

    for group in GROUPS:  # from the calls, as nothing is added up yet
        of_all, own = both(group)
        assert of_all == own
        assert sum(item["calls"] for item in of_all) == 24
    fill(acme)
    fill(other)
    newest = acme.conversation()
    acme.call(timezone.now(), run=acme.run(newest, timezone.now()), model="new-model")
    acme.call(timezone.now(), conversation=newest, kind="title")
    for group in GROUPS:  # from the sums, and from the calls since
        of_all, own = both(group)
        assert of_all == own
        assert sum(item["calls"] for item in of_all) == 26
        assert sum(item["toolTokens"] for item in of_all) == USAGE["tool_tokens"] * (24 * 25 // 2 + 2)


def test_a_conversation_counts_with_the_days_that_were_asked_for(acme: LoggedCalls, alice: Client) -> None:
    often, once, trial = acme.conversation(), acme.conversation(), acme.conversation(trial=True)
    for day in range(3):
        acme.call(NOON + timedelta(days=day), run=acme.run(often, NOON), cost_usd=1.0)
    acme.call(NOON + timedelta(days=2), conversation=once, kind="title", cost_usd=None)
    acme.call(NOON + timedelta(days=2), run=acme.run(trial, NOON))  # paid for like others
    fill(acme)

    def calls(**days: str) -> dict[str, tuple[int, float | None]]:
        items = all_items(alice, group="conversation", whose="organization", **days)
        return {item["key"]: (item["calls"], item["costUsd"]) for item in items}

    assert calls(**MAY) == {str(often.pk): (3, 3.0), str(once.pk): (1, None), str(trial.pk): (1, 0.0125)}
    assert calls(**{"from": "2026-05-10", "to": "2026-05-11"}) == {str(often.pk): (2, 2.0)}
    assert calls(**{"from": "2026-05-13", "to": "2026-05-31"}) == {}
    for days in (
        {"from": "9999-12-01", "to": "9999-12-31"},
        {"from": "0001-01-01", "to": "0001-01-31"},
        {"from": "2026-05-31", "to": "2026-05-01"},
    ):
        assert calls(**days) == {}
    of_a_model = page(alice, group="model", whose="organization", limit="1", **MAY)
    assert page(alice, group="conversation", whose="organization", cursor=b"no id".hex(), **MAY)["items"][0]["key"] in calls(**MAY)
    assert of_a_model["items"][0]["calls"] == 5


def test_what_was_purged_stays_in_the_sums(acme: LoggedCalls, alice: Client) -> None:
    acme.call(NOON, cost_usd=2.0)
    fill(acme)
    with tenant_tx(acme.organization_id):
        ModelCall.objects.all().delete()  # as a purge does
    for group in GROUPS:
        [item] = all_items(alice, group=group, whose="organization", **MAY)
        assert (item["calls"], item["costUsd"], item["toolTokens"]) == (1, 2.0, 3)


@pytest.mark.parametrize("group", GROUPS)
def test_a_month_that_is_added_up_is_not_read_from_the_log(acme: LoggedCalls, alice: Client, group: str) -> None:
    counts = set()
    for number in (2, 20):
        for place in range(number):
            acme.call(NOON + timedelta(hours=7 * place), model=f"model {place}")
        fill(acme)
        alice.get("/o/acme/api/usage/", {"whose": "organization", **MAY})
        with CaptureQueriesContext(connection) as queries:
            page(alice, group=group, whose="organization", **MAY)
        assert not any("chat_modelcall" in query["sql"] for query in queries)
        assert sum("usage_" in query["sql"] for query in queries) == 2
        counts.add(len(queries))
    assert len(counts) == 1


DAYS_FILLED = 10
CONVERSATIONS = 1000
_FILL = """
insert into usage_conversationsum (id, organization_id, day, conversation_id, member_id, is_trial, calls, answers, failed_calls, estimated_calls, unpriced_calls,
    unpriced_tokens, input_tokens, cached_tokens, cache_write_tokens, tool_tokens, output_tokens, thinking_tokens, cost_usd)
select gen_random_uuid(), %s, %s::date + day, conversation, gen_random_uuid(), false, 1, 1, 0, 0, 0, 0, 10, 0, 0, 0, 5, 0, 0.5
from generate_series(0, %s) day, (select gen_random_uuid() as conversation from generate_series(1, %s)) c
"""


@pytest.mark.django_db(databases=["default", "system", "owner"], transaction=True)
def test_a_page_of_conversations_reads_as_many_rows_of_a_day_as_it_shows(acme: LoggedCalls, other: LoggedCalls) -> None:
    with connections["owner"].cursor() as cursor:
        for logged in (acme, other):
            cursor.execute(_FILL, [logged.organization_id, NOON.date(), DAYS_FILLED - 1, CONVERSATIONS])
        cursor.execute("analyze usage_conversationsum")
    connections["owner"].close()
    days = Days(NOON.date(), (NOON + timedelta(days=DAYS_FILLED - 1)).date())
    items: list[Any] = []

    def page_behind(after: str) -> Callable[[], None]:
        return lambda: items.extend(usage_list(days=days, group="conversation", cursor=after, limit=30, member_id=None).items)

    for first in (UUID(int=0), UUID(int=2**127)):  # the first page, and one deep in the list
        items.clear()
        read = rows_read(acme.organization_id, "usage_conversationsum", page_behind(str(first).encode().hex() if first.int else ""))
        assert read <= DAYS_FILLED * 32
        with tenant_tx(acme.organization_id):
            ids = ConversationSum.objects.filter(conversation_id__gt=first).order_by("conversation_id")
            expected = list(ids.values_list("conversation_id", flat=True).distinct()[:30])
        assert [(UUID(item.key), item.calls, item.cost_usd) for item in items] == [(one, DAYS_FILLED, 5.0) for one in expected]
