"""My usage has the member's calls of a period, whenever their runs began and ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat.models import Run
from tenants.context import tenant_tx
from tests.support.cast import Cast
from tests.usage.call_rows import LoggedCalls

pytestmark = pytest.mark.django_db

MONTH = {"from": "2026-05-01", "to": "2026-05-31"}
MIDDAY = datetime(2026, 5, 10, 12, tzinfo=UTC)


@pytest.fixture
def bob(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.bob)
    return client


def calls_by_day(client: Client, **period: str) -> dict[str, int]:
    answer = client.get("/o/acme/api/usage/summary/", period)
    assert answer.status_code == 200, answer.content
    return {day["day"]: day["calls"] for day in answer.json()["days"]}


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
    assert calls_by_day(bob, **MONTH) == {"2026-05-01": 1, "2026-05-10": 2, "2026-05-31": 1}
    assert calls_by_day(bob, **{"from": "9999-12-01", "to": "9999-12-31"}) == {}
    assert calls_by_day(bob, **{"from": "0001-01-01", "to": "0001-01-31"}) == {}


def test_a_past_month_looks_up_no_run_that_began_since(acme: LoggedCalls, bob: Client) -> None:
    acme.call(MIDDAY)
    for _ in range(3):
        acme.call(MIDDAY + timedelta(days=60))
    with CaptureQueriesContext(connection) as queries:
        assert calls_by_day(bob, **MONTH) == {"2026-05-10": 1}
    looked_up = [query["sql"] for query in queries if "ARRAY(SELECT" in query["sql"] and '"finished_at" >=' in query["sql"]]
    assert len(looked_up) == 2
    assert all('"created_at" <= \'2026-06-01' in sql for sql in looked_up)
