"""The histogram above the list of runs: what its bars count, where they lead, and what it says of filters that it can't follow."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.explorer.histogram import Histogram
from chat.models import Run
from chat.overview.rollup import figures_fill
from tenants.context import tenant_tx
from tests.chat.admin_pages.activity import Activity, acme, alice, other
from tests.support.accounts.cast import Cast

__all__ = ["acme", "alice", "other"]

pytestmark = pytest.mark.django_db(databases=["default", "system"])

RUNS = "/o/acme/admin/chat/run/"
NOON = (timezone.now() - timedelta(days=2)).replace(hour=12, minute=0, second=0, microsecond=0)
AT_NOON = NOON + timedelta(minutes=5)


def histogram_of(client: Client, query: str = "") -> Histogram | None:
    response = client.get(f"{RUNS}{query}")
    assert response.status_code == 200
    histogram: Histogram | None = response.context["histogram"]
    return histogram


def bars(client: Client, query: str = "") -> dict[str, list[str]]:
    """The bars that are not empty, as the table for screen readers has them."""
    histogram = histogram_of(client, query)
    assert histogram is not None
    return {place.label: list(place.cells) for place in histogram.chart.places if {*place.cells} - {"0", "\N{EN DASH}"}}


def hour_label(at: datetime) -> str:
    return f"{at.day} {at:%b}, {at:%H}:00"


def hour_query(at: datetime) -> str:
    return f"?period=ended&first={at:%Y-%m-%dT%H}%3A00&last={at + timedelta(hours=1):%Y-%m-%dT%H}%3A00"


def test_bars_count_how_runs_ended_from_sums_and_from_runs_since(acme: Activity, other: Activity, alice: Client) -> None:
    acme.run(AT_NOON)
    acme.run(AT_NOON, status="failed", error="timeout")
    acme.run(AT_NOON, status="stopped")
    acme.run(AT_NOON, trial=True)
    acme.run(AT_NOON + timedelta(hours=3))
    acme.run(timezone.now(), status="thinking")
    other.run(AT_NOON)
    expected = {hour_label(NOON): ["1", "1", "1"], hour_label(NOON + timedelta(hours=3)): ["1", "0", "0"]}
    assert bars(alice) == expected
    assert figures_fill(organization_id=acme.organization_id, until=time.monotonic() + 60)
    assert bars(alice) == expected
    now = timezone.now()
    acme.run(now)
    assert bars(alice)[hour_label(now)] == ["1", "0", "0"]


def test_a_bar_leads_to_the_runs_that_it_counts(acme: Activity, alice: Client) -> None:
    run, later = acme.run(AT_NOON), acme.run(AT_NOON + timedelta(hours=1))
    histogram = histogram_of(alice, "?state=done&member=alice")
    assert histogram is not None
    assert [*histogram.chart.y_labels] == ["1", "", "0"], "there is no half of a run"
    [place] = [place for place in histogram.chart.places if place.label == hour_label(NOON)]
    assert place.link is not None
    page = alice.get(f"{RUNS}{place.link.href}")
    assert str(run.pk) in page.content.decode()
    assert str(later.pk) not in page.content.decode()
    assert (page.context["filters"].state, page.context["filters"].member) == ("done", "alice")
    [marked_place] = [place for place in page.context["histogram"].chart.places if place.link.is_shown]
    assert marked_place.label == hour_label(NOON), "the day around it, in which it is marked"
    assert len(page.context["histogram"].chart.places) == 24
    assert "Ended" in page.content.decode()


def test_bars_of_a_span_are_marked_in_the_days_around_it(acme: Activity, alice: Client) -> None:
    run, later = acme.run(AT_NOON), acme.run(AT_NOON + timedelta(hours=3))
    for first, hours, bar_count in ((NOON - timedelta(hours=1), 3, 24), (NOON + timedelta(hours=11), 3, 48)):
        query = f"?period=ended&first={first:%Y-%m-%dT%H}%3A00&last={first + timedelta(hours=hours):%Y-%m-%dT%H}%3A00"
        histogram = histogram_of(alice, query)
        assert histogram is not None
        labels = [place.label for place in histogram.chart.places if place.link and place.link.is_shown]
        assert labels == [hour_label(first + timedelta(hours=hour)) for hour in range(hours)]
        assert len(histogram.chart.places) == bar_count
    text = alice.get(
        f"{RUNS}?period=ended&first={NOON:%Y-%m-%dT%H}%3A00&last={NOON + timedelta(hours=2):%Y-%m-%dT%H}%3A00"
    ).content.decode()
    assert str(run.pk) in text
    assert str(later.pk) not in text


def test_the_bars_of_whole_days_are_all_of_the_span(acme: Activity, alice: Client) -> None:
    acme.run(AT_NOON)
    histogram = histogram_of(
        alice, f"?period=ended&first={NOON - timedelta(days=1):%Y-%m-%d}T00%3A00&last={NOON + timedelta(days=1):%Y-%m-%d}T00%3A00"
    )
    assert histogram is not None
    assert len(histogram.chart.places) == 48
    assert not any(place.link and place.link.is_shown for place in histogram.chart.places)


@pytest.mark.parametrize(
    ("query", "bar_count", "title"),
    [
        ("?period=1", {25}, "hour"),
        ("", {169}, "hour"),
        ("?period=30", {31}, "day"),
        ("?period=days&first={first}&last={last}", {48}, "hour"),
        ("?period=ended&first=2020-01-01&last=2020-03-01T00:00%2B02:00", {60}, "day"),
        ("?period=ended&first=0001-01-01&last=9999-01-01", {2, 3, 4}, "day"),
        ("?period=all", {2, 3, 4}, "day"),
        ("?period=ended&first=2999-01-01&last=2999-03-01", {24}, "hour"),
        ("?period=ended&first=9999-12-31T23:00&last=9999-12-31T23:30", {24}, "hour"),
        ("?period=ended&first=0001-01-01&last=0001-01-01T02:00", {24}, "hour"),
    ],
)
def test_a_longer_time_has_coarser_bars(acme: Activity, alice: Client, query: str, bar_count: set[int], title: str) -> None:
    acme.run(AT_NOON)
    histogram = histogram_of(alice, query.format(first=NOON.date(), last=(NOON + timedelta(days=1)).date()))
    assert histogram is not None
    assert len(histogram.chart.places) in bar_count
    assert f"by {title}" in histogram.chart.title


def test_a_time_of_years_is_drawn_by_month(acme: Activity, alice: Client) -> None:
    for at in (datetime(2025, 11, 30, 23, 59, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 31, 8, tzinfo=UTC)):
        acme.run(at)
    assert bars(alice, "?period=all") == {"November 2025": ["1", "0", "0"], "January 2026": ["2", "0", "0"]}
    histogram = histogram_of(alice, "?period=all")
    assert histogram is not None
    january = histogram.chart.places[2]
    assert january.label == "January 2026"
    assert january.link is not None
    assert "first=2026-01-01T00%3A00&last=2026-02-01T00%3A00" in january.link.href
    assert bars(alice, january.link.href) == {"1 Jan": ["1", "0", "0"], "31 Jan": ["1", "0", "0"]}


@pytest.mark.parametrize("is_summed", [False, True])
def test_a_bar_counts_all_of_its_step_where_the_time_begins_or_ends_within_it(acme: Activity, alice: Client, is_summed: bool) -> None:
    for at in (datetime(2025, 8, 10, tzinfo=UTC), datetime(2025, 8, 25, tzinfo=UTC), datetime(2026, 1, 25, 8, 40, tzinfo=UTC)):
        acme.run(at)
    if is_summed:
        assert figures_fill(organization_id=acme.organization_id, until=time.monotonic() + 60)
    assert bars(alice, "?period=days&first=2025-08-20&last=2026-01-20") == {"August 2025": ["2", "0", "0"], "January 2026": ["1", "0", "0"]}
    assert bars(alice, "?period=ended&first=2026-01-25T06:10&last=2026-01-25T08:20") == {"25 Jan, 08:00": ["1", "0", "0"]}


@pytest.mark.parametrize(
    ("query", "ignored"),
    [
        ("?state=failed&period=30", []),
        ("?member=bob&tool=search", ["Member", "Tool"]),
        ("?agent=chat&assistant=-&called=gemini", ["Agent", "Model"]),
        ("?text=kestrel&rating=up&cost=1&seconds=2&tokens=3", ["Words in chats", "Rating", "Cost", "Duration", "Tokens"]),
    ],
)
def test_it_names_the_filters_that_its_bars_do_not_follow(acme: Activity, alice: Client, query: str, ignored: list[str]) -> None:
    acme.run(AT_NOON)
    histogram = histogram_of(alice, query)
    assert histogram is not None
    assert histogram.ignored == ignored
    assert ("t follow" in alice.get(f"{RUNS}{query}").content.decode()) == bool(ignored)


def test_the_state_chooses_the_bars_and_what_goes_on_has_none(acme: Activity, alice: Client) -> None:
    acme.run(AT_NOON)
    acme.run(AT_NOON, status="failed")
    assert bars(alice, "?state=failed") == {hour_label(NOON): ["1"]}
    for state in ("running", "waiting", "stuck"):
        assert histogram_of(alice, f"?state={state}") is None


@pytest.mark.parametrize(
    "query",
    ["?period=ended", "?period=ended&first=x&last=y", "?period=ended&first=2026-02-01&last=2026-01-01", "?period=days&first=&last="],
)
def test_a_time_that_is_none_is_the_last_week(acme: Activity, alice: Client, query: str) -> None:
    filters = alice.get(f"{RUNS}{query}").context["filters"]
    assert (filters.period, filters.first, filters.last) == ("7", "", "")


def test_it_needs_one_statement_on_an_index(acme: Activity, cast: Cast, alice: Client) -> None:
    run = acme.run(AT_NOON)
    with CaptureQueriesContext(connection) as queries:
        alice.get(RUNS)
    on_hours: list[Any] = [query for query in queries if "chat_hourfigures" in query["sql"]]
    assert len(on_hours) == 1
    with tenant_tx(cast.acme.pk):
        assert Run.objects.filter(pk=run.pk, finished_at__gte=NOON).exists()
    assert bars(alice, hour_query(NOON)) == {hour_label(NOON): ["1", "0", "0"]}
