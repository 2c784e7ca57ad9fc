"""What needs the operator: nothing at first, then one line for each kind, with the organizations that it is about."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from admin_config.models import AppSettings, PlatformDraft, ProviderEndpoint
from admin_config.services.breakers import FAILED
from agents.providers.circuit_breaker import DEFAULT_POLICY, CircuitBreaker
from chat.models import Run
from limits.models import Budget, BudgetAccount, Scope
from limits.periods import period_start, utc_today
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tenants.redis.clients import close_redis
from tests.usage.call_rows import LoggedCalls

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))
    return client


def google_breaker(logged: LoggedCalls, *, later_s: float = 0) -> CircuitBreaker:
    with tenant_tx(logged.organization_id):
        endpoint = ProviderEndpoint.objects.get(provider="google")
    now_ms = round((time.time() + later_s) * 1000)
    return CircuitBreaker(logged.organization_id, endpoint.pk, endpoint.name, now_ms=lambda: now_ms)


async def report(breaker: CircuitBreaker, token: str, outcomes: str) -> None:
    for outcome in outcomes:
        await breaker.report(token, outcome)
    await close_redis()


async def probe_well(breaker: CircuitBreaker) -> None:
    """The pause is over, and the one call that is let through works."""
    async with await breaker.acquire():
        pass
    await close_redis()


def needs(operator: Client) -> dict[str, str]:
    """What is said, and its details."""
    return {need.title: need.detail for need in operator.get("/operator/").context["needs"]}


def open_run(logged: LoggedCalls, lease_expires_at: datetime, *, trial: bool = False) -> None:
    run = logged.run(logged.conversation(trial=trial), timezone.now())
    with tenant_tx(logged.organization_id):
        Run.objects.filter(pk=run.pk).update(status=Run.Status.THINKING, finished_at=None, lease_expires_at=lease_expires_at)


def spend(logged: LoggedCalls, amount: str, *, from_plan: bool) -> None:
    with tenant_tx(logged.organization_id):
        budget = Budget.objects.create(scope=Scope.ORGANIZATION, period="month", amount_usd=Decimal(100), from_plan=from_plan)
        BudgetAccount.objects.create(
            budget=budget, subject_id=logged.organization_id, starts_on=period_start("month", utc_today()), spent_usd=Decimal(amount)
        )


def test_nothing_needs_the_operator_at_first(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    spend(acme, "79", from_plan=True)
    spend(other, "100", from_plan=False)
    open_run(acme, timezone.now() + timedelta(minutes=1))
    assert needs(operator) == {}
    assert "Nothing at the moment." in operator.get("/operator/").content.decode()


def test_each_kind_is_counted_with_its_organizations(operator: Client, acme: LoggedCalls, other: LoggedCalls) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    for logged in (acme, acme, other):
        open_run(logged, long_ago)
    open_run(acme, long_ago, trial=True)
    spend(acme, "92", from_plan=True)
    with tenant_tx(acme.organization_id):
        AppSettings.objects.update(refusals_alert=20)
        for limit, count in (("messages-member-hour", 12), ("messages-member-hour", 9), ("runs-member-day", 19)):
            AuditEvent.objects.create(action="limit.hit", object_kind="limit", object_id=limit, object_label=f"60 {limit}", count=count)
    PlatformDraft.objects.using("auth").create(kind="chat_model_agent", values={"max_steps": 7})
    Organization.objects.filter(pk=other.organization_id).update(is_active=False, suspension_message="Unpaid")
    name, theirs = (Organization.objects.get(pk=logged.organization_id).name for logged in (acme, other))
    assert needs(operator) == {
        "Runs of 2 organizations are stuck": f"{name}: 2; {theirs}: 1",
        "The plan's budget of 1 organization goes to its end": f"{name}: $92.00 of $100.00",
        "A limit of 1 organization refuses again and again": f"Within the last hour: {name}: 21 times “60 messages-member-hour”",
        "Platform defaults: draft with 1 change": "Chat agent",
        "1 organization is suspended": f"{theirs}: Unpaid",
    }


def test_refusals_are_counted_for_each_limit_by_itself(operator: Client, acme: LoggedCalls) -> None:
    with tenant_tx(acme.organization_id):
        AppSettings.objects.update(refusals_alert=20)
        for limit in ("messages-member-hour", "runs-member-day", "budget-1"):
            AuditEvent.objects.create(action="limit.hit", object_kind="limit", object_id=limit, object_label=limit, count=19)
    assert needs(operator) == {}


def test_paused_endpoints_are_named_until_they_work_again(operator: Client, acme: LoggedCalls) -> None:
    name = Organization.objects.get(pk=acme.organization_id).name
    breaker = google_breaker(acme)
    async_to_sync(report)(breaker, "", FAILED * 5)
    assert needs(operator) == {"1 endpoint is paused": f"{name}: Google Gemini"}
    probe = google_breaker(acme, later_s=DEFAULT_POLICY.rest_s)
    async_to_sync(probe_well)(probe)
    assert needs(operator) == {}


def test_that_redis_is_away_is_said_and_not_taken_for_nothing_paused(operator: Client, acme: LoggedCalls, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1"
    page = operator.get("/operator/")
    [need] = page.context["needs"]
    assert (need.title, need.is_urgent) == ("Whether endpoints are paused is not known", True)
    badges = [[badge.words for badge in row.badges] for row in page.context["organizations"]]
    assert badges == [["Never used", "Pauses not known"]] * len(badges), "and not that all is well"
    answer: Any = operator.post("/operator/usage/modelsum/export/", {"format": "jsonl"})
    assert {tuple(orjson.loads(line)["troubles"]) for line in b"".join(answer).splitlines()} == {("quiet", "pauses_unknown")}
