"""The admin's pages of usage: figures with filters in the address, exports, the statement, and how much they ask of the database."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.formats import date_format

from admin_config.defaults.prices import FIRST_DAY
from admin_config.models import ModelConfig, ModelPrice
from artifacts import exports
from chat.models import ModelCall
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events
from tests.usage.call_rows import LoggedCalls
from usage.models import Reconciliation, RepricedSum, Repricing
from usage.rollup import usage_fill
from usage.tasks import usage_sum

pytestmark = pytest.mark.django_db(databases=["default", "system"])

USAGE = "/o/acme/admin/usage/usagesum/"
NOW = timezone.now()
DAYS = {"from": str((NOW - timedelta(days=9)).date()), "to": str((NOW + timedelta(days=1)).date())}  # a test may run into midnight


def fill(logged: LoggedCalls) -> None:
    usage_fill(organization_id=logged.organization_id, until=time.monotonic() + 60)


def content(response: Any) -> str:
    async def read() -> str:
        return b"".join([piece async for piece in response.streaming_content]).decode()

    return async_to_sync(read)()


def test_the_page_shows_the_same_calls_as_its_table_its_export_and_the_list_of_runs(
    acme: LoggedCalls, other: LoggedCalls, alice: Client, cast: Cast
) -> None:
    at = NOW - timedelta(days=2)
    run = acme.run(acme.conversation(), at)
    acme.call(at, run=run)
    acme.call(at, run=run, kind="sub_agent", agent_key="document_agent_google", cost_usd=1.5, error_code="timeout")
    acme.call(at, model="own=model", provider="openai", cost_usd=None)
    other.call(at, cost_usd=99.0)
    fill(acme)

    page = alice.get(USAGE, {**DAYS, "open": "chat_model_agent_google"})
    text = page.content.decode()
    table = page.context["table"]
    assert [(line.label, line.sums.calls, line.cost) for line in table.lines] == [
        ("Document agent (Google Gemini)", 1, "$1.50"),
        ("Chat agent (Google Gemini)", 2, "$0.0125 + 1.1 k tokens"),
    ]
    assert [part.label for part in table.lines[1].parts] == ["gemini-2.5-flash", "own=model"]
    assert table.lines[1].parts[1].cost == "Unknown"
    assert "1.1 k tokens" in text
    assert "Set a price" in text
    assert "$99" not in text

    response = alice.get(USAGE, {**DAYS, "agent": "document_agent_google", "by": "model"})
    assert response.context["table"].total.sums.calls == 1
    assert "Agent: <strong>Document agent (Google Gemini)</strong>" in response.content.decode()
    assert [line.run.pk for line in alice.get(table.lines[0].runs).context["lines"]] == [run.pk]
    for by in ("assistant", "provider", "model", "member", "project", "token", "kind", "day", "week", "month"):
        assert alice.get(USAGE, {**DAYS, "by": by}).context["table"].total.sums.calls == 3
    [month] = [line for line in alice.get(USAGE, {**DAYS, "by": "month"}).context["table"].lines if line.sums.calls]
    assert month.label == date_format(at, "F Y")
    [day] = alice.get(f"{USAGE}{alice.get(f'{USAGE}{month.href}').context['table'].lines[0].href}").context["table"].lines
    assert (day.label, day.times.whole_p95) == (date_format(at, "j M Y"), pytest.approx(2000, rel=0.05))
    assert alice.get(USAGE, {"from": "x", "by": "\x00", "member": "no", "month": "9999-99", "open": "%s"}).status_code == 200

    german = alice.get(USAGE, DAYS, headers={"Accept-Language": "de"}).content.decode()
    for part in ("1,50 $", "0,0125 $ + 1,1 Tsd. Tokens", "3 Aufrufe"):
        assert part in german
    assert not re.search(r"\$\d|\d \$\d|>\d+\.\d+ (k|M|B|%|s)<", german), "no figure stays English"

    lines = list(csv.DictReader(io.StringIO(content(alice.post(f"{USAGE}export/", {**DAYS, "format": "csv"})))))
    assert sorted((line["model"], line["cost_usd"], line["member_name"]) for line in lines) == [
        ("gemini-2.5-flash", "0.0125", "Bob"),
        ("gemini-2.5-flash", "1.5", "Bob"),
        ("own=model", "", "Bob"),
    ]
    objects = [
        json.loads(line)
        for line in content(alice.post(f"{USAGE}export/", {**DAYS, "format": "jsonl", "provider": "openai"})).split("\n")
        if line
    ]
    assert [(one["calls"], one["unpriced_tokens"], one["cost_usd"]) for one in objects] == [(1, 1057, None)]
    assert len(events(cast.acme, "usage.export")) == 2
    client = Client()
    for user in (cast.bob, cast.charlie):
        client.force_login(user)
        assert client.get(USAGE).status_code == 404
        assert client.post(f"{USAGE}export/", {"format": "csv"}).status_code == 404


def test_the_page_asks_the_same_number_of_statements_however_much_happened(acme: LoggedCalls, alice: Client) -> None:
    counts = set()
    for number in (3, 40):
        for place in range(number):
            acme.call(NOW - timedelta(hours=5 * place), model=f"model {place}", cost_usd=place + 1.0)
        fill(acme)
        alice.get(USAGE, DAYS)
        with CaptureQueriesContext(connection) as queries:
            alice.get(USAGE, {**DAYS, "by": "member"})
        selects = [query["sql"] for query in queries if query["sql"].lower().startswith(("select", "with"))]
        counts.add(len(selects))
    assert len(counts) == 1
    assert counts.pop() - 8 <= 13, "seven are those of every page of the admin, and one asks for the currency"


def test_a_statement_has_unknown_prices_in_tokens_and_calculations_beside_the_total(acme: LoggedCalls, alice: Client, cast: Cast) -> None:
    first = NOW.replace(day=1, hour=0, minute=30)
    before = first - timedelta(days=1)
    acme.call(first, cost_usd=2.0, model="gemini-2.5-flash")
    for at in (before, first):
        acme.call(at, cost_usd=None, model="gemini-2.5-pro")
    with tenant_tx(acme.organization_id):
        model = ModelConfig.objects.get(model_id="gemini-2.5-pro")
        ModelPrice.objects.filter(model=model).delete()
    both = {"from": str(before.date()), "to": str(NOW.date())}
    assert b"None of the models" in alice.post(f"{USAGE}reprice/", both, follow=True).content
    with tenant_tx(acme.organization_id):
        assert not Repricing.objects.exists()
        ModelPrice.objects.create(model=model, valid_from=FIRST_DAY, input_usd=1, cached_usd=0.1, output_usd=10, source="admin")
    page = alice.post(f"{USAGE}reprice/", both, follow=True)
    assert f"0 of {(NOW.date() - before.date()).days + 1} days" in page.content.decode(), "a worker does it"
    usage_sum()  # goes on with what a worker lost
    alice.post(f"{USAGE}reprice/", both)  # and once more, which counts no call twice
    usage_sum()
    with tenant_tx(acme.organization_id):
        assert Repricing.objects.count() == 2
        cost = float(RepricedSum.objects.filter(day=first.date()).latest("repricing__created_at").cost_usd)
        assert cost == pytest.approx((590 * 1 + 400 * 0.1 + 10 * 1 + 57 * 10) / 1e6)
        assert ModelCall.objects.filter(cost_usd=None).count() == 2, "the log is as it was"
    assert "2,114 tokens that had no price" in alice.get(USAGE, both).content.decode()
    text = alice.get(f"{USAGE}statement/").content.decode()
    assert "$2.00 + 1.1 k tokens" in text
    day = date_format(first, "j F")
    assert f"gemini-2.5-pro, {day} to {day} {first.year}: 1,057 tokens without a price come to $0.0012" in text, "of this month alone"
    table = alice.post(f"{USAGE}statement/", {"format": "csv"}).content.decode()
    assert "By model,gemini-2.5-pro,1,1000,400,50,7,1057,\n" in table
    assert alice.post(f"{USAGE}statement/", {"format": "pdf"}).content.startswith(b"%PDF")
    assert [one.detail["format"] for one in events(cast.acme, "usage.export")] == ["csv", "pdf"]
    assert len(events(cast.acme, "usage.reprice")) == 3


def test_a_pdf_that_has_to_wait_says_so(acme: LoggedCalls, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "MAX_SLOT_WAIT_S", 0.01)
    slot_count = 0
    while exports.slots.acquire(blocking=False):
        slot_count += 1
    try:
        answer = alice.post(f"{USAGE}statement/", {"format": "pdf"}, headers={"accept": "text/html"})
    finally:
        for _ in range(slot_count):
            exports.slots.release()
    assert (answer.status_code, "Other files are being made" in answer.content.decode()) == (503, True)


@pytest.mark.parametrize("days", [("9999-12-31", "9999-12-31"), ("2026-02-02", "2026-01-01"), ("0001-01-01", "2026-01-01"), ("x", "")])
def test_days_that_no_page_can_show_get_a_clear_error(acme: LoggedCalls, alice: Client, days: tuple[str, str]) -> None:
    period = {"from": days[0], "to": days[1]}
    page = alice.get(USAGE, period)
    assert (page.status_code, "Choose a first and a last day between 2001 and 2100" in page.content.decode()) == (200, True)
    assert alice.post(f"{USAGE}export/", {**period, "format": "csv"}, headers={"accept": "application/json"}).status_code == 400


def test_a_providers_file_is_compared_and_a_bad_one_says_where(acme: LoggedCalls, alice: Client, cast: Cast) -> None:
    at = NOW - timedelta(days=3)
    acme.call(at, provider="anthropic", model="claude-sonnet-4-5")
    day = at.date()
    head = "usage_date_utc,model_version,usage_input_tokens_no_cache,usage_input_tokens_cache_read,usage_output_tokens\n"
    assert compared(alice, f"{head}{day},claude-sonnet-4-5-20250929,600,400,57\n") == []
    [difference] = compared(alice, f"{head}{day},claude-sonnet-4-5-20250929,600,400,58\n")
    assert (difference["field"], difference["provider"], difference["ledger"]) == ("output_tokens", "58", "57")
    missing = compared(alice, f"{head}{day},other,1,0,0\n{day - timedelta(days=1)},other,0,0,0\n")
    assert {(one["model"], one["ledger"]) for one in missing} == {
        ("other", "0"),
        ("claude-sonnet-4-5", "1000"),
        ("claude-sonnet-4-5", "400"),
        ("claude-sonnet-4-5", "57"),
    }
    own = {"column_day": "When", "column_model": "Which", "column_input_tokens": "Read"}
    assert compared(alice, f"When,Which,Read\n{day},claude-sonnet-4-5,1000\n", **own) == []
    acme.call(at, provider="anthropic", model="claude-sonnet-4-5", cost_usd=None)
    [unknown] = compared(alice, f"day,model,cost_usd\n{day},claude-sonnet-4-5,0.0125\n")
    assert unknown["ledger"] == "0.0125 + unknown"
    for bad, words in {
        f"{head}9999-12-31,m,1,0,0\n": "is no day between 2001 and 2100",
        f"{head}no day,m,1,0,0\n": "Line 2: &#x27;no day&#x27; is no day",
        f"{head}{day},m,x,0,0\n": "is no number",
        "a,b\n1,2\n": "no columns for day, model and tokens",
        "\x00": "no columns for day, model and tokens",
    }.items():
        text = send(alice, bad).content.decode()
        assert words in text
    with tenant_tx(acme.organization_id):
        assert Reconciliation.objects.count() == 5
    assert len(events(cast.acme, "usage.reconcile")) == 5


def compared(client: Client, text: str, **own: str) -> list[dict[str, str]]:
    """The differences of the newest comparison."""
    differences: list[dict[str, str]] = send(client, text, **own).context["done"][0][0].differences
    return differences


def send(client: Client, text: str, **own: str) -> Any:
    upload = SimpleUploadedFile("usage.csv", text.encode(), content_type="text/csv")
    return client.post(f"{USAGE}reconcile/", {"provider": "anthropic", "file": upload, **own}, follow=True)
