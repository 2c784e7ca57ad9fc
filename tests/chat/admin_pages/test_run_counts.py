"""What the list of runs asks for when its page is there: how many runs each view has, and the rows of runs that go on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.conversations.admin_reading import ALWAYS
from chat.explorer import view_counts
from chat.models import MessageFeedback, Run
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.chat.admin_pages.activity import Activity, acme, alice, other
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

__all__ = ["acme", "alice", "other"]

pytestmark = pytest.mark.django_db(databases=["default", "system"])

RUNS = "/o/acme/admin/chat/run/"
FEW_HOURS_AGO = timezone.now() - timedelta(hours=3)


def counts(client: Client, query: str = "", path: str = RUNS) -> dict[str, str]:
    response = client.get(f"{path}counts/{query}")
    assert response.status_code == 200
    count_by_link: dict[str, str] = response.json()
    return count_by_link


def save_view(client: Client, name: str, **filters: str) -> None:
    assert client.post(f"{RUNS}views/", {"name": name, **filters}).status_code == 302


def rate(run: Run, rating: str) -> None:
    assert run.answer_id is not None
    MessageFeedback.objects.create(message_id=run.answer_id, rating=rating)


def test_each_view_has_its_count_under_its_link(acme: Activity, other: Activity, alice: Client, cast: Cast) -> None:
    finished_run, failed_run = acme.run(FEW_HOURS_AGO), acme.run(FEW_HOURS_AGO, status="failed", error="timeout")
    acme.run(FEW_HOURS_AGO, status="thinking")
    other.run(FEW_HOURS_AGO)
    with tenant_tx(cast.acme.pk):
        rate(finished_run, "down")
    save_view(alice, "Alice's failures", member="alice", state="failed")
    save_view(alice, "Nobody's", member="nobody at all")
    save_view(alice, "Praised", rating="up")
    count_by_link = counts(alice, "?state=failed")
    assert count_by_link == {
        "?": "3",
        "?state=running": "1",
        "?state=waiting": "0",
        "?state=failed": "1",
        "?rating=down": "1",
        "?state=failed&member=alice": "1",
        "?member=nobody+at+all": "0",
        "?rating=up": "0",
    }
    assert {*count_by_link} == {href for _, href, _ in alice.get(RUNS).context["views"]}
    assert str(failed_run.pk) in alice.get(f"{RUNS}?state=failed&member=alice").content.decode()


def test_views_that_each_list_has_are_counted_in_the_time_that_is_shown(acme: Activity, alice: Client) -> None:
    acme.run(FEW_HOURS_AGO)
    assert counts(alice, "?period=ended&first=2020-01-01&last=2020-02-01")["?period=ended&first=2020-01-01&last=2020-02-01"] == "0"
    assert counts(alice, "?period=30")["?period=30"] == "1"


def test_counting_ends_at_its_limit(acme: Activity, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_counts, "MAX_COUNT", 2)
    for more, label in ((2, "2"), (1, "2+"), (4, "2+")):
        for _ in range(more):
            acme.run(FEW_HOURS_AGO)
        assert counts(alice)["?"] == label


def test_a_view_of_words_is_not_counted_because_a_search_is_an_event(acme: Activity, alice: Client, cast: Cast) -> None:
    assert alice.post(f"{RUNS}policy/", {"policy": ALWAYS}).status_code == 302
    save_view(alice, "Of tea", text="tea")
    assert counts(alice)["?text=tea"] == ""
    assert not list(events(cast.acme, "run.search"))


def test_more_views_need_no_more_statements(acme: Activity, alice: Client) -> None:
    acme.run(FEW_HOURS_AGO)
    save_view(alice, "Alice", member="alice")
    with CaptureQueriesContext(connection) as few:
        counts(alice)
    for number in range(20):
        save_view(alice, f"View {number}", member=f"member {number}", rating="up" if number % 2 else "down", cost=str(number))
    with CaptureQueriesContext(connection) as many:
        assert len(counts(alice)) == 26
    assert len(many) == len(few), [query["sql"][:200] for query in many]
    about_runs = [query for query in many if "chat_run" in query["sql"] and "chat_runview" not in query["sql"]]
    assert len(about_runs) == 1


def rows(client: Client, *run_ids: Any, path: str = RUNS) -> str:
    response = client.get(f"{path}rows/", {"run": [str(run_id) for run_id in run_ids]})
    assert response.status_code == 200
    return response.content.decode()


def test_the_rows_of_runs_that_go_on_are_asked_for_again(acme: Activity, alice: Client, cast: Cast) -> None:
    run, done = acme.run(FEW_HOURS_AGO, status="thinking"), acme.run(FEW_HOURS_AGO)
    page = alice.get(RUNS).content.decode()
    assert f'data-run="{run.pk}" data-live' in page
    assert f'data-run="{done.pk}">' in page
    assert "Running" in rows(alice, run.pk)
    with tenant_tx(cast.acme.pk):
        Run.objects.filter(pk=run.pk).update(status="failed", error_code="rate_limited", finished_at=timezone.now(), cost_usd=0.25)
    row = rows(alice, run.pk)
    assert "data-live" not in row
    for words in ("Failed", "rate limited", "$0.2500", str(run.pk)):
        assert words in row
    assert str(done.pk) not in row


def test_rows_are_a_pages_at_most_in_one_statement(acme: Activity, alice: Client) -> None:
    ids = [acme.run(FEW_HOURS_AGO, status="thinking").pk for _ in range(3)]
    with CaptureQueriesContext(connection) as queries:
        assert rows(alice, *ids).count("<tr") == 3
    assert len([query for query in queries if "chat_run" in query["sql"]]) == 1
    assert rows(alice, *[uuid4() for _ in range(60)], ids[0]).count("<tr") == 0


def test_nobody_else_and_no_other_organization_gets_counts_or_rows(acme: Activity, other: Activity, alice: Client, cast: Cast) -> None:
    run, theirs = acme.run(FEW_HOURS_AGO, status="thinking"), other.run(FEW_HOURS_AGO, status="thinking")
    charlie, bob, auditor = Client(), Client(), Client()
    for client, user in ((charlie, cast.charlie), (bob, cast.bob), (auditor, cast.vera)):
        client.force_login(user)
    Membership.objects.filter(user=cast.vera, organization=cast.acme).update(role=Membership.Role.AUDITOR)
    assert str(theirs.pk) not in rows(alice, theirs.pk, run.pk)
    assert "<tr" not in rows(charlie, run.pk, path=RUNS.replace("acme", "other"))
    assert counts(charlie, path=RUNS.replace("acme", "other"))["?"] == "1"
    for client in (charlie, bob):
        assert client.get(f"{RUNS}counts/").status_code == client.get(f"{RUNS}rows/", {"run": str(run.pk)}).status_code == 404
    assert (counts(auditor)["?"], str(run.pk) in rows(auditor, run.pk)) == ("1", True)


@pytest.mark.parametrize("query", ["?run=x", "?run=1&run=%00"])
def test_ids_that_are_none_are_not_found(alice: Client, query: str) -> None:
    assert alice.get(f"{RUNS}rows/{query}").status_code == 404
    assert rows(alice) == rows(alice, uuid4())
