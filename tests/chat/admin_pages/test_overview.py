"""The overview of an organization's admin: figures of a period, what waits for an admin, and how much it asks of the database."""

from __future__ import annotations

import time
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from admin_config.models import AppSettings, ModelConfig, ToolSource
from chat.models import HourFigures, MessageFeedback
from chat.overview.budget_chart import budget_chart
from chat.overview.hour_sums import hours_from_rows
from chat.overview.periods import Period, figures_of_period
from chat.overview.rollup import HOUR, figures_fill, figures_rebuild, hour_of
from chat.overview.sums import Sums, total
from limits.models import Budget, BudgetAccount
from limits.periods import Period as BudgetPeriod, period_start, utc_today
from limits.spending import Spending
from tenants.context import tenant_tx
from tests.admin_config.pages import save
from tests.chat.admin_pages.activity import Activity, acme, alice, other
from tests.support.accounts.cast import Cast

__all__ = ["acme", "alice", "other"]

pytestmark = pytest.mark.django_db(databases=["default", "system"])

OVERVIEW = "/o/acme/admin/"


def page(client: Client, period: str = "7") -> dict[str, Any]:
    response = client.get(OVERVIEW, {"period": period})
    assert response.status_code == 200
    context: dict[str, Any] = {key: response.context[key] for key in ("now", "thumbs", "open", "errors", "changes", "unseen", "overview")}
    return {**context, "text": response.content.decode()}


def fill(activity: Activity) -> int:
    return figures_fill(organization_id=activity.organization_id, until=time.monotonic() + 60)


def test_the_figures_of_a_period_leave_out_trials_and_other_organizations(
    acme: Activity, other: Activity, cast: Cast, alice: Client
) -> None:
    now = timezone.now()
    bob = cast.actor(cast.bob).membership_id
    acme.run(now - timedelta(days=1))
    acme.run(now - timedelta(days=2), owner=bob, status="failed", error="rate_limited", first_token_ms=4000)
    acme.run(now - timedelta(days=9))  # in the period before
    acme.run(now - timedelta(days=1), trial=True, cost_usd=7.25)
    other.run(now - timedelta(days=1), cost_usd=100)
    for _ in range(2):  # first from the rows, then from the sums of hours
        overview = page(alice)
        sums = overview["now"]
        assert (sums.runs, sums.failed, len(sums.members), sums.tokens) == (2, 1, 2, 30)
        assert overview["errors"] == [("rate_limited", "rate limited", 1)]
        assert overview["changes"]["runs"].words == "+100 %"
        assert "$1.00" in overview["text"]
        assert "Trials apart: $7.25" in overview["text"]
        assert sums.first_token_ms(0.5) == pytest.approx(400, rel=0.03)
        assert sums.first_token_ms(0.95) == pytest.approx(4000, rel=0.03)
        assert fill(acme) in {4, 3, 0}


@pytest.mark.parametrize(("has_price", "words"), [(True, "And 1 call of models without a price"), (False, "Unknown")])
def test_a_price_that_is_not_known_is_never_nothing(acme: Activity, alice: Client, has_price: bool, words: str) -> None:
    acme.run(timezone.now() - timedelta(days=1), cost_usd=None)
    if has_price:
        acme.run(timezone.now() - timedelta(days=1), cost_usd=2.0)
    overview = page(alice)
    assert words in overview["text"]
    assert ("$2.00" in overview["text"]) == has_price
    assert 'class="parley-chart-line is-1 is-dot"' in overview["text"], "a day without neighbours is seen"
    assert "<dd>$0</dd>" not in overview["text"]


def test_what_waits_for_an_admin_is_named_with_its_links(acme: Activity, alice: Client) -> None:
    now = timezone.now()
    acme.run(now - timedelta(hours=1), status="thinking")
    acme.run(now + timedelta(minutes=1), status="thinking")
    waiting = acme.run(now, status="waiting_for_approval")
    acme.run(now - timedelta(hours=1), status="thinking", trial=True)
    run = acme.run(now)
    with tenant_tx(acme.organization_id):
        MessageFeedback.objects.create(message_id=run.answer_id, rating="down")
        ToolSource.objects.create(name="Warehouse", kind="mcp", pins={"accepted": [], "found": [{"name": "stock"}]})
    overview = page(alice)
    assert (overview["open"].running, overview["open"].waiting, overview["open"].stuck) == (2, 1, 1)
    for words in ("1 run is stuck", "1 run waits for a member", "1 rating that nobody has seen", "Warehouse: 1 tool to review"):
        assert words in overview["text"]
    assert (overview["thumbs"]["up"], overview["thumbs"]["down"]) == (0, 1)
    response = alice.get(f"{OVERVIEW}chat/run/?state=stuck&period=all")
    assert len(response.context["lines"]) == 2, "the trial's, too: the list shows all runs"
    assert "Waiting for approval" in alice.get(f"{OVERVIEW}chat/run/{waiting.pk}/").content.decode()


def test_the_draft_is_named_with_who_changed_it(acme: Activity, alice: Client) -> None:
    with tenant_tx(acme.organization_id):
        AppSettings.objects.update(publish_on_save=False)
        model = ModelConfig.objects.filter(provider="google").first()
    assert model is not None
    assert "changes that are not published" not in page(alice)["text"]
    assert save(alice, f"{OVERVIEW}admin_config/modelconfig/{model.pk}/change/", display_name="Other").status_code == 302
    text = page(alice)["text"]
    assert "The draft has changes that are not published" in text
    assert "By Alice (1)" in text


def test_the_sums_of_hours_equal_a_sum_over_the_ledger(acme: Activity, other: Activity) -> None:
    now = timezone.now()
    for number in range(30):
        acme.run(
            now - number * timedelta(hours=7, minutes=13),
            status="failed" if number % 7 == 0 else "done",
            error="timeout" if number % 7 == 0 else "",
            cost_usd=None if number % 5 == 0 else number / 3,
            first_token_ms=None if number % 6 == 0 else 100 + 97 * number,
            trial=number % 11 == 0,
        )
    other.run(now - timedelta(days=3))
    assert fill(acme) > 20
    assert fill(acme) == 0, "nothing has ended since"
    with tenant_tx(acme.organization_id):
        first, end = now - timedelta(days=30), hour_of(now - timedelta(minutes=10))
        expected = hours_from_rows(first, end)
        rows_by_hour = {row["hour"]: row for row in HourFigures.objects.values()}
        assert set(rows_by_hour) == set(expected)
        assert all(_of_row(rows_by_hour[hour]) == _rounded(sums) for hour, sums in expected.items())
        HourFigures.objects.filter(hour__lt=now - timedelta(days=3)).update(runs=999)
    figures_rebuild(organization_id=acme.organization_id, until=time.monotonic() + 60)
    with tenant_tx(acme.organization_id):
        assert total(_of_row(row) for row in HourFigures.objects.values()).runs == total(expected.values()).runs
        period = figures_of_period(Period("30", now))
        assert _rounded(period.now) == _rounded(total(hours_from_rows(period.period.first, now + HOUR).values()))


def test_a_day_that_has_begun_is_compared_with_the_same_hours_of_the_day_before(acme: Activity) -> None:
    noon = datetime(2026, 3, 10, 12, 30, tzinfo=UTC)
    for at in (noon, noon - timedelta(days=1), noon - timedelta(days=1) + timedelta(hours=3)):
        acme.run(at)
    with tenant_tx(acme.organization_id):
        figures = figures_of_period(Period("today", noon))
    assert (figures.now.runs, figures.before.runs, len(figures.steps)) == (1, 1, 24)


class TestBudget:
    """The chart of the month, where the organization has a budget for months."""

    def budget(self, activity: Activity, period: BudgetPeriod = "month", spent_usd: float = 0.0, scope: str = "organization") -> None:
        with tenant_tx(activity.organization_id):
            budget = Budget.objects.create(scope=scope, period=period, amount_usd=100, alert_percents=[80])
            starts_on = period_start(period, utc_today())
            first = datetime.combine(starts_on, datetime.min.time(), UTC)
            BudgetAccount.objects.create(
                budget=budget, subject_id=activity.organization_id, starts_on=starts_on, spent_usd=spent_usd, created_at=first
            )

    def chart(self, client: Client, period: str = "today") -> Any:
        return client.get(OVERVIEW, {"period": period}).context["budget_chart"]

    def test_there_is_none_without_a_budget_of_the_organization_for_months(self, acme: Activity, other: Activity, alice: Client) -> None:
        self.budget(acme, "day")
        self.budget(other)
        assert self.chart(alice) is None

    @pytest.mark.parametrize("period", ["today", "30"])
    def test_it_ends_today_at_what_the_budget_has_counted(self, acme: Activity, alice: Client, period: str) -> None:
        now = timezone.now()
        acme.run(now.replace(day=1, hour=0, minute=0, second=1), cost_usd=30.0)
        acme.run(now, cost_usd=20.0, trial=True)
        acme.run(now.replace(day=1, hour=0, minute=0, second=0) - timedelta(hours=2), cost_usd=77.0)
        self.budget(acme, spent_usd=50.0)
        for _ in range(2):  # first from the rows, then from the sums of hours
            chart = self.chart(alice, period)
            spending, pace, budget = (series.values for series in chart.series)
            assert len(chart.places) == monthrange(now.year, now.month)[1]
            assert spending[now.day - 1] == 50.0
            assert list(spending[: now.day - 1]) == [30.0] * (now.day - 1)
            assert all(value is None for value in spending[now.day :])
            assert pace[now.day - 1] == 50.0
            assert set(budget) == {100.0}
            fill(acme)
        html = alice.get(OVERVIEW).content.decode()
        assert "Cost against budget, this month" in html
        assert "parley-chart-line is-budget" in html

    def test_what_was_before_the_budget_counts_neither_as_spent_nor_for_its_pace(self) -> None:
        month = {datetime(2026, 6, day, tzinfo=UTC): Sums(cost_usd=10.0) for day in range(1, 11)}
        chart = self.drawn(month, spent_usd=24.0, first_counted=datetime(2026, 6, 8, 14, tzinfo=UTC))
        assert list(chart.series[0].values[:10]) == [0, 0, 0, 0, 0, 0, 0, 8.0, 16.0, 24.0]
        assert chart.note == "At this pace the budget of $100.00 is spent about 18 June."

    def test_days_without_a_call_count_for_the_pace(self) -> None:
        month = {datetime(2026, 6, day, tzinfo=UTC): Sums(cost_usd=10.0 if day > 7 else 0.0) for day in range(1, 11)}
        chart = self.drawn(month, spent_usd=30.0, first_counted=datetime(2026, 6, 8, 14, tzinfo=UTC))
        assert chart.note == "30 % of $100.00. At this pace it lasts for the month."

    def test_calls_with_own_keys_are_the_same_share_of_each_day(self) -> None:
        month = {datetime(2026, 6, day, tzinfo=UTC): Sums(cost_usd=10.0) for day in range(1, 11)}
        assert list(self.drawn(month, spent_usd=25.0).series[0].values[:10]) == [2.5 * day for day in range(1, 11)]

    def test_it_says_when_the_budget_will_be_spent(self) -> None:
        month = {datetime(2026, 6, day, tzinfo=UTC): Sums(cost_usd=6.0) for day in range(1, 11)}
        assert self.drawn(month, spent_usd=60.0).note == "At this pace the budget of $100.00 is spent about 17 June."
        assert self.drawn(month, spent_usd=100.0).note == "The budget of $100.00 is spent."

    def drawn(self, month: Mapping[datetime, Sums], spent_usd: float, first_counted: datetime = datetime(2026, 6, 1, tzinfo=UTC)) -> Any:
        budget = Budget(organization_id=uuid4(), scope="organization", period="month", amount_usd=Decimal(100))
        account = BudgetAccount(
            organization_id=budget.organization_id, budget=budget, spent_usd=Decimal(spent_usd), created_at=first_counted
        )
        chart = budget_chart([Spending("", account, budget.amount_usd)], month, datetime(2026, 6, 11, tzinfo=UTC))
        assert chart is not None
        return chart


@pytest.mark.parametrize("runs", [1, 25])
def test_the_page_asks_the_same_number_of_statements_however_much_happened(acme: Activity, alice: Client, runs: int) -> None:
    for number in range(runs):
        acme.run(timezone.now() - number * timedelta(hours=5))
    fill(acme)
    page(alice)
    with CaptureQueriesContext(connection) as queries:
        page(alice)
    statements = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
    who_asks = [sql for sql in statements if sql.startswith('SELECT "tenants_') or "tenants_organization" in sql[:60]]
    assert (len(statements) - len(who_asks), len(who_asks)) == (18, 4)


def test_members_and_auditors_get_no_figures(acme: Activity, cast: Cast) -> None:
    client = Client()
    client.force_login(cast.bob)
    assert client.get(OVERVIEW).status_code == 404
    client.force_login(cast.charlie)
    assert client.get(OVERVIEW).status_code == 404


def _of_row(row: Mapping[str, Any]) -> Sums:
    names = {name: row[name] for name in Sums.__dataclass_fields__}
    return _rounded(total([Sums(**{**names, "members": set(names["members"])})]))


def _rounded(sums: Sums) -> Sums:
    return replace(sums, cost_usd=round(sums.cost_usd, 6), trial_cost_usd=round(sums.trial_cost_usd, 6))
