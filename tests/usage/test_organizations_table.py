"""The operator's table of organizations: what is wrong at each, its last eight weeks, filters, and the same as a file."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from admin_config.models import AppSettings
from limits.models import Budget, BudgetAccount, OrganizationPlan, Scope
from limits.periods import period_start, utc_today
from security.models import AuditEvent, PlatformEvent
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tests.usage.call_rows import LoggedCalls
from usage.models import ModelSum
from usage.platform.exports import FIELDS
from usage.platform.organization_health import FEWEST_CALLS

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

PAGE, EXPORT = "/operator/", "/operator/usage/modelsum/export/"


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))
    return client


def slugs(operator: Client, **filters: str) -> list[str]:
    return [row.figures.slug for row in operator.get(PAGE, filters).context["organizations"]]


def badges(operator: Client, slug: str) -> list[str]:
    [row] = [row for row in operator.get(PAGE).context["organizations"] if row.figures.slug == slug]
    return [badge.words for badge in row.badges]


def log_calls(logged: LoggedCalls, calls: int, *, failed: int = 0, days_ago: int = 0) -> None:
    with tenant_tx(logged.organization_id):
        ModelSum.objects.create(
            day=utc_today() - timedelta(days=days_ago), kind="chat", agent="a", model=f"m{days_ago}", calls=calls, failed_calls=failed
        )


def log_run(logged: LoggedCalls, *, days_ago: float = 0) -> None:
    logged.run(logged.conversation(), timezone.now() - timedelta(days=days_ago))


def test_what_is_wrong_at_an_organization_is_said_in_words_worst_first(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    log_run(acme)
    log_run(other, days_ago=9.5)
    assert (badges(operator, "acme"), badges(operator, "other")) == (["Healthy"], ["Quiet for 9 days"])
    log_calls(acme, FEWEST_CALLS, failed=2)
    with tenant_tx(acme.organization_id):
        AppSettings.objects.update(refusals_alert=20)
        for limit, count in (("messages-member-hour", 21), ("runs-member-day", 19)):
            AuditEvent.objects.create(action="limit.hit", object_kind="limit", object_id=limit, object_label=limit, count=count)
        budget = Budget.objects.create(scope=Scope.ORGANIZATION, period="month", amount_usd=Decimal(100), from_plan=True)
        account = BudgetAccount.objects.create(
            budget=budget, subject_id=acme.organization_id, starts_on=period_start("month", utc_today()), spent_usd=Decimal("92.7")
        )
    assert badges(operator, "acme") == ["Budget 92 %", "10 % failed", "Limit refused 21 times"]
    with tenant_tx(acme.organization_id):
        account.spent_usd = Decimal(100)
        account.save()
    assert badges(operator, "acme")[0] == "Budget used up"
    Organization.objects.filter(pk=other.organization_id).update(is_active=False, suspension_message="Unpaid")
    assert badges(operator, "other") == ["Suspended"]
    assert ": Unpaid</span>" in operator.get(PAGE).content.decode()
    slugs_by_health = {
        health: slugs(operator, health=health) for health in ("suspended", "budget", "errors", "limits", "paused", "healthy")
    }
    assert slugs_by_health == {
        "suspended": ["other"],
        "budget": ["acme"],
        "errors": ["acme"],
        "limits": ["acme"],
        "paused": [],
        "healthy": [],
    }


def test_few_calls_and_those_of_before_yesterday_say_nothing_of_health(operator: Client, acme: LoggedCalls) -> None:
    log_run(acme)
    log_calls(acme, FEWEST_CALLS - 1, failed=FEWEST_CALLS - 1)
    log_calls(acme, 1000, failed=1000, days_ago=2)
    assert badges(operator, "acme") == ["Healthy"]


def test_filters_find_by_plan_by_last_use_and_together(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    log_run(acme)
    log_run(other, days_ago=20)
    with tenant_tx(acme.organization_id):
        OrganizationPlan.objects.create(plan_id=acme.organization_id, plan_version=1, name="Team")
    assert slugs(operator) == ["acme", "other"]
    assert (slugs(operator, plan="plan:Team"), slugs(operator, plan="none")) == (["acme"], ["other"])
    assert {days: slugs(operator, active=days) for days in ("1", "7", "30", "longer")} == {
        "1": ["acme"], "7": ["acme"], "30": ["acme", "other"], "longer": []
    }  # fmt: skip
    assert slugs(operator, plan="none", active="1") == []
    assert slugs(operator, plan="nonsense", active="'", health="x\x00", sort="x", page="0") == ["acme", "other"], "no filters"
    page = operator.get(PAGE, {"plan": "none", "active": "1"}).content.decode()
    assert "No organization fits these filters." in page
    assert 'href="?plan=none&amp;active=1&amp;sort=calls"' in page, "sorting keeps the filters"


def test_a_filter_keeps_the_order(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    page = operator.get(PAGE, {"sort": "cost", "turned": "1", "plan": "none"}).content.decode()
    search = page[page.index('role="search"') :]
    for name, value in (("sort", "cost"), ("turned", "1")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in search
    assert 'href="?sort=cost&amp;turned=1">Clear filters</a>' in page
    nothing = operator.get(PAGE, {"sort": "cost", "q": "nobody"}).content.decode()
    assert 'href="?sort=cost">Show all</a>' in nothing
    assert 'name="sort"' not in operator.get(PAGE, {"q": "acme"}).content.decode(), "the usual order needs no word"


def test_the_months_budget_is_drawn_as_far_as_it_is_spent(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    acme.call(datetime.now(UTC) - timedelta(minutes=1))
    log_calls(acme, 1)
    month = period_start("month", utc_today())
    with tenant_tx(acme.organization_id):
        plans = Budget.objects.create(scope=Scope.ORGANIZATION, period="month", amount_usd=Decimal(100), from_plan=True)
        account = BudgetAccount.objects.create(budget=plans, subject_id=acme.organization_id, starts_on=month, spent_usd=Decimal("41.5"))
        Budget.objects.create(scope=Scope.ORGANIZATION, period="day", amount_usd=Decimal(1))
        own = Budget.objects.create(scope=Scope.ORGANIZATION, period="month", amount_usd=Decimal(10), is_active=False)
    with tenant_tx(other.organization_id):
        budget = Budget.objects.create(scope=Scope.ORGANIZATION, period="month", amount_usd=Decimal(0))
        BudgetAccount.objects.create(
            budget=budget, subject_id=other.organization_id, starts_on=month - timedelta(days=1), spent_usd=Decimal(5)
        )

    def budget_of(slug: str) -> tuple[str, str, float | None]:
        [row] = [row for row in operator.get(PAGE).context["organizations"] if row.figures.slug == slug]
        return row.budget, row.budget_look, row.figures.budget_percent

    assert (budget_of("acme"), budget_of("other")) == (("41 % of $100.00", "good", 41.5), ("100 % of $0.00", "bad", 100.0))
    page = operator.get(PAGE).content.decode()
    assert '<rect class="is-part is-good" width="41.5" height="6" rx="3"/>' in page
    assert 'title="The month\'s budget of its plan">41 % of $100.00</small>' in page
    assert "style=" not in page[page.index("Table of organizations") : page.index("</tbody>")]
    with tenant_tx(acme.organization_id):
        account.spent_usd = Decimal(80)
        account.save()
        own.is_active, own.last_day = True, utc_today() - timedelta(days=1)
        own.save()
    assert budget_of("acme") == ("80 % of $100.00", "warning", 80.0), "its own has ended"
    with tenant_tx(acme.organization_id):
        own.last_day = None
        own.save()
    assert budget_of("acme") == ("0 % of $10.00", "good", 0.0), "the one of which the least is left"
    lines = {line["slug"]: line for line in map(orjson.loads, export(operator, "jsonl").splitlines())}
    assert (lines["acme"]["budget_usd"], lines["acme"]["budget_spent_usd"], lines["other"]["budget_spent_usd"]) == ("10", "0", "0")
    with tenant_tx(other.organization_id):
        Budget.objects.all().delete()
    assert budget_of("other") == ("", "", None)


def test_each_row_has_a_menu_for_the_organization_as_it_is(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    Organization.objects.filter(pk=other.organization_id).update(is_active=False)
    page = operator.get(PAGE).content.decode()

    def menu(logged: LoggedCalls) -> list[tuple[str, str]]:
        start = page.index(f'id="menu-{logged.organization_id}"')
        return re.findall(r'<a [^>]*href="/operator/(?:tenants|limits)/(\w+)/[^"]*">([^<]+)</a>', page[start : page.index("</ul>", start)])

    change = [("organization", "Open"), ("plan", "Change plan")]
    assert menu(acme) == [*change, ("organization", "Suspend…"), ("organization", "Delete…")]
    assert menu(other) == [*change, ("organization", "Resume, or change the message"), ("organization", "Delete…")]


def test_what_is_left_of_a_deleted_organization_is_not_in_the_table(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    Organization.objects.filter(pk=acme.organization_id).update(slug=f"deleted-{acme.organization_id}", is_active=False)
    assert slugs(operator) == ["other"]


def test_the_trend_has_the_calls_of_eight_weeks_up_to_today(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    for days_ago, calls in ((0, 1), (6, 2), (7, 4), (55, 8), (56, 16)):
        log_calls(acme, calls, days_ago=days_ago)
    rows = {row.figures.slug: row for row in operator.get(PAGE).context["organizations"]}
    assert (rows["acme"].figures.weeks, rows["other"].figures.weeks) == ([8, 0, 0, 0, 0, 0, 4, 3], [0] * 8)
    assert (rows["acme"].spark[:9], rows["other"].spark) == ("M0.0 2.0L", "")


def test_the_page_asks_as_often_for_many_organizations_as_for_few(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connections["system"]) as system, CaptureQueriesContext(connections["auth"]) as auth:
            operator.get(PAGE)
        return len(system) + len(auth)

    few = statements()
    Organization.objects.bulk_create(Organization(name=f"Organization {number}", slug=f"organization-{number}") for number in range(30))
    assert len(slugs(operator)) == 32
    assert statements() == few


def export(operator: Client, form: str, **filters: str) -> str:
    answer: Any = operator.post(EXPORT, {"format": form, **filters})
    assert answer.status_code == 200
    return b"".join(answer).decode()


def test_the_export_has_what_the_filters_show_and_is_in_the_audit_log(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    acme.call(datetime.now(UTC) - timedelta(minutes=1))
    log_calls(acme, 7)
    log_run(other, days_ago=20)
    Organization.objects.filter(pk=other.organization_id).update(name="=1+1")
    lines = [orjson.loads(line) for line in export(operator, "jsonl").splitlines()]
    assert [tuple(line) for line in lines] == [FIELDS] * 2
    by_slug = {line["slug"]: line for line in lines}
    assert (by_slug["acme"]["calls"], by_slug["acme"]["calls_week_8"], by_slug["acme"]["troubles"]) == (7, 7, [])
    [head, row] = csv.reader(io.StringIO(export(operator, "csv", health="quiet")))
    record = dict(zip(head, row, strict=True))
    assert (record["slug"], record["name"], record["troubles"]) == ("other", "'=1+1", "quiet")
    logged = PlatformEvent.objects.using("system").filter(action="usage.operator.export").order_by("created_at")
    assert [event.detail for event in logged] == [{"format": "jsonl", "filters": {}}, {"format": "csv", "filters": {"health": "quiet"}}]


def test_the_export_comes_in_pieces_with_each_organization_once(operator: Client, acme: LoggedCalls) -> None:
    Organization.objects.bulk_create(Organization(name=f"O {number}", slug=f"o-{number}") for number in range(1100))
    lines = [orjson.loads(line)["slug"] for line in export(operator, "jsonl").splitlines()]
    assert sorted(lines) == sorted(Organization.objects.values_list("slug", flat=True))


@pytest.mark.parametrize("send", [{"format": "xls"}, {}])
def test_only_known_formats_are_exported_by_post_and_only_to_operators(
    send: dict[str, str], operator: Client, alice: Client, acme: LoggedCalls
) -> None:
    assert operator.post(EXPORT, send).status_code == 404
    assert operator.get(EXPORT, {"format": "csv"}).status_code == 404
    assert alice.post(EXPORT, {"format": "csv"}).status_code == 404
