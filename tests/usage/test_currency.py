"""Costs are shown in the currency of a dated rate; what is stored, exported and limited stays in US dollars (SPEC 8.6)."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from admin_config.models import CurrencyRate
from limits.models import Budget
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events
from tests.usage.call_rows import LoggedCalls

pytestmark = pytest.mark.django_db(databases=["default", "system"])

ADMIN = "/o/acme/admin/"
RATES = f"{ADMIN}admin_config/currencyrate/"
USAGE = f"{ADMIN}usage/usagesum/"
NOW = timezone.now()
THIS_MONTH = NOW.date().replace(day=1)
LAST_MONTH = (THIS_MONTH - timedelta(days=1)).replace(day=1)
BEFORE = (LAST_MONTH - timedelta(days=1)).replace(day=1)


def rate(client: Client, day: Any, currency: str, per_usd: str) -> str:
    """Enter a rate; the page that follows."""
    response = client.post(f"{RATES}add/", {"valid_from": str(day), "currency": currency, "per_usd": per_usd}, follow=True)
    return response.content.decode()


def statement(client: Client, month: Any) -> str:
    return client.get(f"{USAGE}statement/", {"month": f"{month:%Y-%m}"}).content.decode()


def boot_of(client: Client, slug: str) -> Any:
    page = client.get(f"/o/{slug}/").content.decode()
    match = re.search(r'<script id="boot" type="application/json">(.*?)</script>', page)
    assert match
    return json.loads(match[1])["currency"]


def test_costs_are_shown_by_the_rate_of_their_time(acme: LoggedCalls, other: LoggedCalls, alice: Client, cast: Cast) -> None:
    *_, call = [
        acme.call(NOW.replace(year=month.year, month=month.month, day=1, hour=0), cost_usd=8.0)
        for month in (BEFORE, LAST_MONTH, THIS_MONTH)
    ]
    other.call(NOW, cost_usd=8.0)
    with tenant_tx(acme.organization_id):
        Budget.objects.create(scope="organization", amount_usd=20)
    assert "costs are shown in US dollars" in alice.get(RATES).content.decode()
    assert "$8.00" in alice.get(USAGE).content.decode()
    assert boot_of(alice, "acme") == {"code": "USD", "perUsd": 1.0}

    assert "There is already a rate" not in rate(alice, LAST_MONTH, "EUR", "0.5")
    rate(alice, THIS_MONTH, "JPY", "150")
    page = alice.get(USAGE).content.decode()
    assert "¥1,200" in page
    assert "1 US dollar is taken for ¥150" in page
    assert "1 US-Dollar gilt als 150 ¥" in alice.get(USAGE, headers={"accept-language": "de"}).content.decode()
    assert "$8" not in page
    assert "¥1,200" in alice.get(f"{ADMIN}chat/run/{call.run_id}/").content.decode()
    assert "of $20.00" in alice.get(f"{ADMIN}limits/budget/").content.decode()
    assert boot_of(alice, "acme") == {"code": "JPY", "perUsd": 150.0}
    assert "€4.00" in statement(alice, LAST_MONTH)
    unknown = statement(alice, BEFORE)
    assert "$8.00" in unknown
    assert "No rate was entered for this time: costs are in US dollars." in unknown
    file = alice.post(f"{USAGE}statement/", {"month": f"{LAST_MONTH:%Y-%m}", "format": "csv"}).content.decode()
    assert file.splitlines()[-1].endswith("8.000000")
    charlie = Client()
    charlie.force_login(cast.charlie)
    assert boot_of(charlie, "other") == {"code": "USD", "perUsd": 1.0}
    assert len(events(cast.acme, "currencyrate.create")) == 2


def test_a_rate_that_can_not_be_is_refused_with_its_reason(acme: LoggedCalls, alice: Client) -> None:
    rate(alice, THIS_MONTH, "EUR", "0.9")
    assert "There is already a rate from this day on." in rate(alice, THIS_MONTH, "GBP", "0.8")
    assert "One US dollar is 1 US dollar." in rate(alice, LAST_MONTH, "USD", "2")
    assert "Ensure this value is greater than or equal to" in rate(alice, LAST_MONTH, "EUR", "0")
    with tenant_tx(acme.organization_id):
        assert list(CurrencyRate.objects.values_list("currency", flat=True)) == ["EUR"]
