"""A member's own usage: it equals a sum over the log of their calls, and costs no more when others use more."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import Conversation, ModelCall, Run
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.usage.call_rows import USAGE, LoggedCalls
from usage.rollup import usage_fill

pytestmark = pytest.mark.django_db(databases=["default", "system"])

NOW = timezone.now()
DAYS = {"from": str((NOW - timedelta(days=40)).date()), "to": str((NOW + timedelta(days=1)).date())}  # a test may run into midnight
MONTH = {"from": "2026-05-01", "to": "2026-05-31"}
MIDDAY = datetime(2026, 5, 10, 12, tzinfo=UTC)
GROUPS: dict[str, Callable[[ModelCall], str]] = {
    "day": lambda call: str(call.created_at.astimezone(UTC).date()),
    "model": lambda call: call.model,
    "conversation": lambda call: str(conversation_of(call).pk),
}
FIELDS = {"".join(word.title() if place else word for place, word in enumerate(name.split("_"))): name for name in USAGE}


@pytest.fixture
def bob(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.bob)
    return client


@pytest.fixture
def of_alice(acme: LoggedCalls, cast: Cast) -> LoggedCalls:
    return LoggedCalls(cast, cast.acme, cast.alice)


def conversation_of(call: ModelCall) -> Conversation:
    conversation = call.run.conversation if call.run else call.conversation
    assert conversation is not None
    return conversation


def fill(logged: LoggedCalls) -> None:
    usage_fill(organization_id=logged.organization_id, until=time.monotonic() + 60)


def answer_of(client: Client, path: str, **query: str) -> dict[str, Any]:
    answer = client.get(f"/o/acme/api/usage/{path}", query)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def calls_by_day(client: Client, **days: str) -> dict[str, int]:
    return {day["day"]: day["calls"] for day in answer_of(client, "summary/", **days)["days"]}


def all_items(client: Client, group: str, **days: str) -> list[dict[str, Any]]:
    """The items of all pages, of two each, with costs that can be compared."""
    items: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        batch = answer_of(client, "", group=group, cursor=cursor, limit="2", **days)
        items += batch["items"]
        cursor = batch["nextCursor"]
    return [item | {"costUsd": rounded(item["costUsd"])} for item in items]


def rounded(cost: float | Decimal | None) -> float | None:
    return None if cost is None else round(float(cost), 9)


def in_python(logged: LoggedCalls, group: str) -> list[dict[str, Any]]:
    """What the list should say, from the rows of the log."""
    with tenant_tx(logged.organization_id):
        calls = [call for call in ModelCall.objects.select_related("run__conversation", "conversation") if is_own(call, logged.member_id)]
    calls_by_key: dict[str, list[ModelCall]] = {}
    for call in calls:
        calls_by_key.setdefault(GROUPS[group](call), []).append(call)
    return [{"key": key, **sums_of(calls_by_key[key])} for key in sorted(calls_by_key)]


def is_own(call: ModelCall, member_id: UUID) -> bool:
    conversation = conversation_of(call)
    return conversation.owner_id == member_id and not conversation.is_trial


def sums_of(calls: list[ModelCall]) -> dict[str, Any]:
    costs = [Decimal(repr(call.cost_usd)) for call in calls if call.cost_usd is not None]
    return {
        "calls": len(calls),
        "unpricedCalls": len(calls) - len(costs),
        "estimatedCalls": sum(call.is_estimated for call in calls),
        "costUsd": rounded(sum(costs)) if costs else None,
        **{field: sum(call.usage[name] for call in calls) for field, name in FIELDS.items()},
    }


def log_some(logged: LoggedCalls, price: float = 0.1) -> None:
    """Five conversations on many days, three models, one of them without a price; and trials."""
    conversations = [logged.conversation() for _ in range(5)]
    trial = logged.conversation(trial=True)
    for number in range(24):
        at = NOW - number * timedelta(hours=31, minutes=7)
        logged.call(
            at,
            run=logged.run(conversations[number % 5], at),
            model=("gemini-2.5-flash", "gemini-2.5-pro", "own-model")[number % 3],
            cost_usd=None if number % 3 == 2 else price / (number + 1),
            usage={name: tokens * (number + 1) for name, tokens in USAGE.items()},
            is_estimated=number % 4 == 0,
            error_code="timeout" if number % 7 == 0 else "",
        )
    at = NOW - timedelta(days=2)
    run = logged.run(conversations[0], at)
    logged.call(at, run=logged.run(trial, at))
    logged.call(at, run=logged.run(trial, at, replay_of=run))
    logged.call(at, conversation=trial, kind="judge")


def test_it_equals_a_sum_over_the_members_calls(
    acme: LoggedCalls, of_alice: LoggedCalls, other: LoggedCalls, alice: Client, bob: Client
) -> None:
    log_some(acme)
    log_some(of_alice, price=7.0)
    log_some(other, price=99.0)

    def check(calls: int) -> None:
        for client, logged in ((bob, acme), (alice, of_alice)):
            for group in GROUPS:
                assert all_items(client, group, **DAYS) == in_python(logged, group)
            summary = answer_of(client, "summary/", **DAYS)
            assert sum(day["calls"] for day in summary["days"]) == calls
            for group in ("day", "model"):
                of_keys = in_python(logged, group)
                parts = [[day for day in summary["days"] if day[group] == item["key"]] for item in of_keys]
                assert [sum(part["inputTokens"] for part in each) for each in parts] == [item["inputTokens"] for item in of_keys]
                assert sum(len(each) for each in parts) == len(summary["days"])
            expected = sorted(
                in_python(logged, "conversation"), key=lambda item: (-(item["costUsd"] or 0), -item["inputTokens"], item["key"])
            )
            rows = [row | {"costUsd": rounded(row["costUsd"])} for row in summary["conversations"]]
            assert [{**row, "key": row["id"]} | item for row, item in zip(rows, expected, strict=True)] == [
                {**row, "key": row["id"]} for row in rows
            ]

    check(24)  # from the calls, as nothing is added up yet
    for logged in (acme, other):
        fill(logged)
    check(24)
    for logged in (acme, of_alice, other):
        newest = logged.conversation()
        logged.call(timezone.now(), run=logged.run(newest, timezone.now()), model="new-model")
        logged.call(timezone.now(), conversation=newest, kind="title")
    check(26)  # from the sums, and from the calls since


def test_answers_are_those_of_chats_that_did_not_fail(acme: LoggedCalls, bob: Client) -> None:
    conversation = acme.conversation()
    answered, failed = acme.run(conversation, MIDDAY), acme.run(conversation, MIDDAY)
    acme.call(MIDDAY, run=answered, error_code="overloaded")  # another model takes over
    acme.call(MIDDAY, run=answered, model="gemini-2.5-pro")
    acme.call(MIDDAY, run=answered, model="gemini-2.5-pro", step=2)
    acme.call(MIDDAY, run=answered, kind="sub_agent")
    acme.call(MIDDAY, run=failed, error_code="timeout")
    acme.call(MIDDAY, conversation=conversation, kind="title")
    for _ in range(2):  # first from the calls, then from the sums
        summary = answer_of(bob, "summary/", **MONTH)
        assert [(day["model"], day["answers"], day["calls"]) for day in summary["days"]] == [
            ("gemini-2.5-flash", 0, 4),
            ("gemini-2.5-pro", 1, 2),
        ]
        assert [(row["answers"], row["calls"]) for row in summary["conversations"]] == [(1, 6)]
        fill(acme)
    usage = bob.get(f"/o/acme/api/conversations/{conversation.pk}/usage/?runs={failed.pk},{answered.pk}").json()
    assert (usage["total"]["answers"], {one["runId"]: one["answers"] for one in usage["answers"]}) == (
        1,
        {str(failed.pk): 0, str(answered.pk): 1},
    )


def test_calls_count_on_their_day_whenever_their_run_began_and_ended(acme: LoggedCalls, other: LoggedCalls, bob: Client) -> None:
    begins, ends = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
    run = acme.run(acme.conversation(), begins - timedelta(days=2))
    with tenant_tx(acme.organization_id):
        Run.objects.filter(pk=run.pk).update(finished_at=begins + timedelta(hours=2))
    acme.call(begins - timedelta(days=2), run=run)
    acme.call(begins + timedelta(hours=1), run=run)
    open_run = acme.run(acme.conversation(), ends - timedelta(seconds=1), status="waiting_for_approval")
    with tenant_tx(acme.organization_id):
        Run.objects.filter(pk=open_run.pk).update(finished_at=None)
    acme.call(ends - timedelta(seconds=1), run=open_run)
    acme.call(ends + timedelta(days=3), run=open_run)
    acme.call(MIDDAY + timedelta(minutes=1), run=acme.run(acme.conversation(), MIDDAY), kind="suggestions")  # after its run
    acme.call(MIDDAY, conversation=acme.conversation(), kind="title")
    acme.call(MIDDAY, run=acme.run(acme.conversation(trial=True), MIDDAY))  # the organization's
    other.call(MIDDAY)
    for _ in range(2):
        assert calls_by_day(bob, **MONTH) == {"2026-05-01": 1, "2026-05-10": 2, "2026-05-31": 1}
        fill(acme)
    assert calls_by_day(bob, **{"from": "9999-12-01", "to": "9999-12-31"}) == {}
    assert calls_by_day(bob, **{"from": "0001-01-01", "to": "0001-01-31"}) == {}


def test_what_was_purged_stays_and_what_was_handed_over_counts_for_both(
    acme: LoggedCalls, of_alice: LoggedCalls, alice: Client, bob: Client
) -> None:
    moved_chat, purged_chat = acme.conversation(), acme.conversation()
    acme.call(MIDDAY, run=acme.run(moved_chat, MIDDAY), cost_usd=2.0)
    acme.call(MIDDAY, conversation=purged_chat, kind="title", cost_usd=1.0)
    fill(acme)
    with tenant_tx(acme.organization_id):
        ModelCall.objects.filter(conversation=purged_chat).delete()  # as a purge does
        Conversation.objects.filter(pk=purged_chat.pk).delete()
        Conversation.objects.filter(pk=moved_chat.pk).update(owner_id=of_alice.member_id)
    acme.call(timezone.now(), run=acme.run(moved_chat, timezone.now()), cost_usd=4.0)
    rows = answer_of(bob, "summary/", **MONTH)["conversations"]
    assert [(row["id"], row["title"], row["costUsd"]) for row in rows] == [(None, "", 2.0), (None, "", 1.0)]
    assert {item["key"]: item["costUsd"] for item in all_items(bob, "conversation", **MONTH)} == {
        str(moved_chat.pk): 2.0,
        str(purged_chat.pk): 1.0,
    }
    assert all_items(bob, "conversation", **DAYS) == []
    [row] = answer_of(alice, "summary/", **DAYS)["conversations"]
    assert (row["id"], row["title"], row["costUsd"]) == (str(moved_chat.pk), "T", 4.0)
    assert calls_by_day(alice, **MONTH) == {}
    days = {"from": "2026-05-01", "to": DAYS["to"]}
    [item] = [item for item in all_items(alice, "conversation", whose="organization", **days) if item["key"] == str(moved_chat.pk)]
    assert (item["calls"], item["costUsd"]) == (2, 6.0)


@pytest.mark.parametrize(("path", "query", "reads"), [("", {"group": group}, 2) for group in GROUPS] + [("summary/", {}, 3)])
def test_a_month_that_is_added_up_is_not_read_from_the_log(
    acme: LoggedCalls, bob: Client, path: str, query: dict[str, str], reads: int
) -> None:
    counts = set()
    for number in (2, 20):
        for place in range(number):
            acme.call(MIDDAY + timedelta(hours=7 * place), model=f"model {place}")
        fill(acme)
        answer_of(bob, path, **query, **MONTH)
        with CaptureQueriesContext(connection) as queries:
            answer_of(bob, path, **query, **MONTH)
        assert not any("chat_modelcall" in one["sql"] for one in queries)
        assert sum("usage_" in one["sql"] for one in queries) == reads
        counts.add(len(queries))
    assert len(counts) == 1
