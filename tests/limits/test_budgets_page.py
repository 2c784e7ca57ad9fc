"""Admins set budgets and see what is spent. Each in their own organization alone."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import OutgoingMail
from accounts.tasks import budgets_alert_task
from admin_config.models import Assistant, CurrencyRate
from admin_config.services.agents.assistants import AssistantParts, assistant_save
from limits.budget_accounts import SettledCall, hold_take, holds_settle
from limits.budgets import BudgetKey
from limits.models import Budget, BudgetAccount
from limits.periods import utc_today
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import MemberGroup, Membership
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.admin_config.pages import ACME, errors, save
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

__all__ = ["seeded_cast", "signed_in"]
pytestmark = pytest.mark.django_db(databases=["default", "auth", "system"])

ADD = f"{ACME}limits/budget/add/"
LIST = f"{ACME}limits/budget/"


def membership_of(cast: Cast, name: str) -> Membership:
    with tenant_tx(cast.acme.pk):
        return Membership.objects.get(user=getattr(cast, name), organization=cast.acme)


def budget(cast: Cast, amount: str = "5", scope: str = "organization", **values: Any) -> Budget:
    with tenant_tx(cast.acme.pk):
        return Budget.objects.create(scope=scope, amount_usd=Decimal(amount), **values)


def change(cast: Cast, row: Budget, **values: Any) -> None:
    with tenant_tx(cast.acme.pk):
        Budget.objects.filter(pk=row.pk).update(**values)


def spend(cast: Cast, budget: Budget, cost: float, subject: UUID | None = None) -> None:
    with tenant_tx(cast.acme.pk):
        call_id = uuid4()
        assert not hold_take([BudgetKey(budget.pk, subject or cast.acme.pk)], call_id=call_id, amount_usd=Decimal(1))
        holds_settle([SettledCall(call_id, cost)])


def test_a_group_as_a_whole_has_a_budget(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    with tenant_tx(seeded_cast.acme.pk):
        group = MemberGroup.objects.create(name="Sales")
    with CaptureQueriesContext(connection) as statements:
        form = alice.get(ADD).content.decode()
    assert all(choice in form for choice in ("Each member of Sales", "Sales together"))
    assert sum('FROM "tenants_membergroup"' in each["sql"] for each in statements) == 1
    assert save(alice, ADD, holder=f"all_of_group:{group.pk}", period="month", amount_usd="500").status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        row = Budget.objects.get()
    spend(seeded_cast, row, 12.5, group.pk)
    page = alice.get(LIST).content.decode()
    assert "Sales together" in page
    assert "$12.50 of $500.00" in page
    assert "all_of_group" not in alice.get(f"{ACME}limits/ratelimit/add/").content.decode(), "a limit is for each of its members"
    charlie = signed_in(seeded_cast.charlie)
    assert "Sales" not in charlie.get("/o/other/admin/limits/budget/add/").content.decode()


def test_a_budget_is_made_changed_and_shown(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice, bob = signed_in(seeded_cast.alice), membership_of(seeded_cast, "bob")
    form = {"holder": f"member:{bob.pk}", "period": "month", "amount_usd": "25"}
    assert save(alice, ADD, **form, last_day="2099-11-30", reason="A migration").status_code == 302
    assert errors(save(alice, ADD, **form)) == {"__all__": ["There is already a budget for this. Change that one."]}
    assert save(alice, ADD, **form | {"period": "day"}).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        row = Budget.objects.get(period="month")
    assert save(alice, f"{LIST}{row.pk}/change/", amount_usd="30").status_code == 302
    spend(seeded_cast, row, 12.5, bob.pk)
    html = alice.get(LIST).content.decode()
    assert "$12.50 of $30.00" in html
    assert "Until 30 Nov 2099" in html
    page = alice.get(f"{LIST}{row.pk}/change/").content.decode()
    assert "$12.50 (41 %)" in page
    with tenant_tx(seeded_cast.acme.pk):
        actions = AuditEvent.objects.filter(object_kind="budget").values_list("action", flat=True)
        assert set(actions) == {"budget.create", "budget.change"}


def test_an_assistant_has_a_budget(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    with tenant_tx(seeded_cast.acme.pk):
        parts = AssistantParts(
            prompt="You taste.", call_description="", model=None, sources=(), sub_agents=(), picture=None, without_picture=False
        )
        assistant = assistant_save(Assistant(title="Tea taster"), parts)
    form = {"holder": f"assistant:{assistant.pk}", "period": "day", "amount_usd": "2"}
    assert save(alice, ADD, **form).status_code == 302
    assert errors(save(alice, ADD, **form)) == {"__all__": ["There is already a budget for this. Change that one."]}
    assert "Assistant Tea taster" in alice.get(LIST).content.decode()


def test_a_budget_for_each_shows_who_spent_most(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice, bob = membership_of(seeded_cast, "alice"), membership_of(seeded_cast, "bob")
    row = budget(seeded_cast, scope="each_member")
    spend(seeded_cast, row, 1, alice.pk)
    spend(seeded_cast, row, 6, bob.pk)
    browser = signed_in(seeded_cast.alice)
    html = browser.get(LIST).content.decode()
    assert "$6.00 of $5.00 at most" in html
    assert "Used up" in html
    page = browser.get(f"{LIST}{row.pk}/change/").content.decode()
    assert page.index(">Bob<") < page.index(">Alice<", page.index(">Bob<"))


def test_members_and_the_other_organization_see_no_budget(seeded_cast: Cast, signed_in: SignedIn) -> None:
    row = budget(seeded_cast, "4321")
    assert signed_in(seeded_cast.bob).get(LIST).status_code == 404
    charlie = signed_in(seeded_cast.charlie)
    assert "4,321" not in charlie.get("/o/other/admin/limits/budget/").content.decode()
    assert charlie.get(f"/o/other/admin/limits/budget/{row.pk}/change/").status_code == 302


def test_shares_of_alerts_are_checked_and_sorted(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    assert 'value="80"' in alice.get(ADD).content.decode()
    form = {"holder": "organization", "period": "month", "amount_usd": "25"}
    messages = {
        "": "This field is required.",
        "80, many": "Enter whole numbers with commas between them, such as 50, 80, 95.",
        "80.5": "Enter whole numbers with commas between them, such as 50, 80, 95.",
        "0, 50": "Enter numbers from 1 to 100.",
        "50, 101": "Enter numbers from 1 to 100.",
        "50, 80, 50": "Enter each number once.",
        "10, 20, 30, 40, 50, 60": "Enter at most 5 numbers.",
    }
    for text, message in messages.items():
        assert errors(save(alice, ADD, **form, alert_percents=text)) == {"alert_percents": [message]}
    assert save(alice, ADD, **form, alert_percents="95 %, 50; 80").status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        row = Budget.objects.get()
        assert row.alert_percents == [50, 80, 95]
    page = f"{LIST}{row.pk}/change/"
    assert 'value="50, 80, 95"' in alice.get(page).content.decode()
    assert save(alice, page, alert_percents="50,80,95").status_code == 302
    assert save(alice, page, alert_percents="90").status_code == 302
    [same, changed] = events(seeded_cast.acme, "budget.change")
    assert same.after == {}
    assert (changed.before, changed.after) == ({"alert_percents": [50, 80, 95]}, {"alert_percents": [90]})
    with tenant_tx(seeded_cast.acme.pk):
        Budget.objects.update(from_plan=True, alert_percents=[60, 90])
    assert "60, 90" in alice.get(page).content.decode(), "the plan's is shown, and can't be changed"


def test_owners_read_of_a_budget_in_the_currency_of_their_organization(seeded_cast: Cast, signed_in: SignedIn) -> None:
    spend(seeded_cast, budget(seeded_cast), 4.1)
    with tenant_tx(seeded_cast.other.pk):
        CurrencyRate.objects.create(valid_from=utc_today(), currency="JPY", per_usd=150)
    alice = signed_in(seeded_cast.alice)
    assert "Amounts here are in US dollars" not in alice.get(LIST).content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        CurrencyRate.objects.create(valid_from=utc_today(), currency="EUR", per_usd=Decimal("0.9"))
    assert budgets_alert_task() == 1
    assert "€3.69 of €4.50 (82 %) is spent of the budget" in OutgoingMail.objects.get(kind="budget").text
    assert "€3.69 of €4.50" in alice.get(ACME).content.decode()
    html = alice.get(LIST).content.decode()
    assert "$4.10 of $5.00" in html, "as it was entered"
    assert "in your currency, in which 1 US dollar is €0.9." in html


def test_a_budget_goes_to_its_end_from_its_first_share_over_a_half(seeded_cast: Cast, signed_in: SignedIn) -> None:
    row, alice = budget(seeded_cast, alert_percents=[50, 80, 95]), signed_in(seeded_cast.alice)
    spend(seeded_cast, row, 3.9)
    assert "All members together: budget" not in alice.get(ACME).content.decode()
    spend(seeded_cast, row, 0.2)
    overview = alice.get(ACME).content.decode()
    assert "All members together: budget 82 % spent" in overview
    assert 'change/">82 % of $5.00</a> this month' in overview, "beside the cost"
    assert 'low="80"' in alice.get(LIST).content.decode()
    change(seeded_cast, row, alert_percents=[20])
    assert "All members together: budget" not in alice.get(ACME).content.decode()
    spend(seeded_cast, row, 1)
    assert "All members together: budget used up" in alice.get(ACME).content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        BudgetAccount.objects.update(starts_on="2001-01-01")
    assert "All members together: budget" not in alice.get(ACME).content.decode()


def test_the_overview_lists_a_budget_for_each_once_and_hides_no_other(seeded_cast: Cast, signed_in: SignedIn) -> None:
    each, one = (
        budget(seeded_cast, scope="each_member"),
        budget(seeded_cast, "1", scope="member", membership=membership_of(seeded_cast, "bob")),
    )
    spend(seeded_cast, one, 0.9, membership_of(seeded_cast, "bob").pk)
    with tenant_tx(seeded_cast.acme.pk):
        starts_on = datetime.now(UTC).date().replace(day=1)
        rows = [BudgetAccount(budget=each, subject_id=uuid4(), starts_on=starts_on, spent_usd=4 + number / 100) for number in range(20)]
        BudgetAccount.objects.bulk_create(rows)
    overview = signed_in(seeded_cast.alice).get(ACME).content.decode()
    assert overview.index("Bob: budget 90 % spent") < overview.index("Each member: budget 83 % spent")
    assert overview.count("Each member: budget") == 1
