"""Owners are told of each share of a budget once in a period for each account, and of budgets of their own organization alone."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from accounts.mail.outbox import MAX_PER_ADDRESS_AND_HOUR
from accounts.models import OutgoingMail
from accounts.organizations.budget_mails import budgets_alert
from accounts.tasks import budgets_alert_task
from limits.alerts import LOCK_SPACE
from limits.models import Budget, BudgetAccount
from limits.periods import FIRST_DAY
from tenants.context import tenant_tx
from tenants.models import MemberGroup, Organization, User
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.admin_config.pages import ACME, save
from tests.limits.test_budgets_page import LIST, budget, change, membership_of, spend
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events
from tests.support.stores.failing_rows import refused_rows

__all__ = ["seeded_cast", "signed_in"]
pytestmark = pytest.mark.django_db(databases=["default", "auth", "system"])

STEPS = [50, 80, 95]


def alert_subject(cast: Cast) -> str:
    """Send what is due; return the subject of the mail to Acme's owner, empty if there is none."""
    OutgoingMail.objects.all().delete()
    count = budgets_alert_task()
    subjects = list(OutgoingMail.objects.filter(kind="budget", recipient=cast.alice.email).values_list("subject", flat=True))
    assert len(subjects) == count < 2
    return subjects[0].removeprefix("A budget of Acme ") if subjects else ""


def test_each_share_is_told_once_and_of_several_the_highest(seeded_cast: Cast, signed_in: SignedIn) -> None:
    row = budget(seeded_cast, alert_percents=STEPS)
    spend(seeded_cast, row, 2.4)
    assert alert_subject(seeded_cast) == ""
    spend(seeded_cast, row, 0.2)
    assert [alert_subject(seeded_cast), alert_subject(seeded_cast)] == ["has reached 50 %", ""]
    spend(seeded_cast, row, 2.2)
    assert alert_subject(seeded_cast) == "has reached 95 %"
    mail = OutgoingMail.objects.get()
    assert "$4.80 of $5.00 (96 %) is spent of the budget “All members together”, " in mail.text
    assert f"/o/acme/admin/limits/budget/{row.pk}/change/" in mail.text
    spend(seeded_cast, row, 0.3)
    assert [alert_subject(seeded_cast), alert_subject(seeded_cast)] == ["is used up", ""], "whatever the shares are"
    [first, second, third] = events(seeded_cast.acme, "budget.warn")  # webhooks get them
    assert first.detail | {"starts_on": ""} == {
        "alert_percent": 50,
        "percent": 52,
        "spent_usd": "2.60000000",
        "amount_usd": "5.00",
        "starts_on": "",
        "holder": "",
    }
    assert (second.object_id, second.detail["alert_percent"], second.detail["percent"]) == (str(row.pk), 95, 96)
    assert (third.detail["alert_percent"], third.detail["percent"]) == (100, 102)
    assert "told owners how much of a budget is spent: All members together" in (
        signed_in(seeded_cast.alice).get(f"{ACME}security/auditevent/").content.decode()
    )


@pytest.mark.parametrize("percents", [[50], [50, 100]])
def test_a_budget_that_is_used_up_is_told_of_once_in_a_period(seeded_cast: Cast, percents: list[int]) -> None:
    row = budget(seeded_cast, alert_percents=percents)
    spend(seeded_cast, row, 2.6)
    assert alert_subject(seeded_cast) == "has reached 50 %"
    spend(seeded_cast, row, 2.3)
    assert alert_subject(seeded_cast) == ""
    spend(seeded_cast, row, 0.1)
    assert [alert_subject(seeded_cast), alert_subject(seeded_cast)] == ["is used up", ""]
    with tenant_tx(seeded_cast.acme.pk):
        BudgetAccount.objects.update(spent_usd=7)  # by calls that went on
    assert alert_subject(seeded_cast) == "", "owners know"


def test_a_raised_amount_says_nothing_twice_and_hides_nothing_new(seeded_cast: Cast, signed_in: SignedIn) -> None:
    row, alice = budget(seeded_cast, alert_percents=STEPS), signed_in(seeded_cast.alice)
    page = f"{LIST}{row.pk}/change/"
    spend(seeded_cast, row, 4.1)
    assert alert_subject(seeded_cast) == "has reached 80 %"
    assert save(alice, page, amount_usd="5.10").status_code == 302
    assert alert_subject(seeded_cast) == "", "80 % still, of which owners know"
    assert save(alice, page, amount_usd="8").status_code == 302
    assert alert_subject(seeded_cast) == "", "half of the new amount is less than what they know"
    spend(seeded_cast, row, 2.3)
    assert [alert_subject(seeded_cast), alert_subject(seeded_cast)] == ["has reached 80 %", ""], "of more money"
    assert save(alice, page, amount_usd="6.50").status_code == 302
    assert [alert_subject(seeded_cast), alert_subject(seeded_cast)] == ["has reached 95 %", ""], "a lower amount reaches the next one"


def test_other_shares_say_nothing_twice_and_hide_nothing_new(seeded_cast: Cast, signed_in: SignedIn) -> None:
    row, alice = budget(seeded_cast), signed_in(seeded_cast.alice)
    page = f"{LIST}{row.pk}/change/"
    spend(seeded_cast, row, 4.1)
    assert alert_subject(seeded_cast) == "has reached 80 %"
    for percents in ("70, 80", "81", "80, 95", "50"):
        assert save(alice, page, alert_percents=percents).status_code == 302
        assert alert_subject(seeded_cast) == "", "owners know of more"
    assert save(alice, page, alert_percents="50, 90, 100").status_code == 302
    spend(seeded_cast, row, 0.5)
    assert [alert_subject(seeded_cast), alert_subject(seeded_cast)] == ["has reached 90 %", ""]
    spend(seeded_cast, row, 0.5)
    assert [alert_subject(seeded_cast), alert_subject(seeded_cast)] == ["is used up", ""]
    with tenant_tx(seeded_cast.acme.pk):
        BudgetAccount.objects.update(starts_on="2001-01-01")
    spend(seeded_cast, row, 2.5)
    assert alert_subject(seeded_cast) == "has reached 50 %", "in another period"


def test_of_a_budget_for_each_owners_hear_of_each(seeded_cast: Cast) -> None:
    alice, bob, vera = (membership_of(seeded_cast, name) for name in ("alice", "bob", "vera"))
    row = budget(seeded_cast, scope="each_member", alert_percents=STEPS)
    spend(seeded_cast, row, 4.5, bob.pk)
    spend(seeded_cast, row, 2.8, alice.pk)
    assert alert_subject(seeded_cast) == "has reached 80 %"
    text = OutgoingMail.objects.get().text
    assert text.index("Bob has spent $4.50 of $5.00 (90 %) of the budget “Each member”, ") < text.index("Alice has spent $2.80")
    spend(seeded_cast, row, 4.8, vera.pk)
    spend(seeded_cast, row, 0.1, bob.pk)
    assert alert_subject(seeded_cast) == "has reached 95 %"
    assert "Vera has spent" in (text := OutgoingMail.objects.get().text)
    assert "Bob" not in text
    assert sorted(event.detail["holder"] for event in events(seeded_cast.acme, "budget.warn")) == ["Alice", "Bob", "Vera"]


def test_an_owner_reads_of_it_in_their_language(seeded_cast: Cast) -> None:
    User.objects.filter(pk=seeded_cast.alice.pk).update(language="de")
    spend(seeded_cast, budget(seeded_cast, period="total"), 5.5)
    assert budgets_alert_task() == 1
    mail = OutgoingMail.objects.get()
    assert mail.subject == "Ein Budget von Acme ist aufgebraucht"
    assert "Vom Budget „Alle Mitglieder zusammen“, insgesamt, sind 5,50 $ von 5,00 $ (110 %) ausgegeben." in mail.text
    assert "Antworten enden und Nachrichten werden abgelehnt, bis jemand es erhöht." in mail.text


@pytest.mark.parametrize(
    ("period", "amount", "outlook"),
    [
        ("month", "5", "When it is used up, answers end and messages are refused until it begins anew or somebody raises it."),
        ("total", "5", "When it is used up, answers end and messages are refused until somebody raises it."),
        ("month", "4", "Answers end and messages are refused until it begins anew or somebody raises it."),
        ("total", "4", "Answers end and messages are refused until somebody raises it."),
        ("month", "0", "Answers end and messages are refused until somebody raises it."),
    ],
)
def test_a_mail_says_what_follows(seeded_cast: Cast, period: str, amount: str, outlook: str) -> None:
    row = budget(seeded_cast, period=period)
    spend(seeded_cast, row, 4.1)
    change(seeded_cast, row, amount_usd=amount)
    assert budgets_alert_task() == 1
    assert outlook in OutgoingMail.objects.get().text.splitlines()


def test_many_accounts_are_in_one_mail(seeded_cast: Cast) -> None:
    each = budget(seeded_cast, scope="each_member", period="total")
    with tenant_tx(seeded_cast.acme.pk):
        rows = [BudgetAccount(budget=each, subject_id=uuid4(), starts_on=FIRST_DAY, spent_usd=4 + number / 100) for number in range(25)]
        BudgetAccount.objects.bulk_create(rows)
    with CaptureQueriesContext(connections["default"]) as statements:
        assert alert_subject(seeded_cast) == "has reached 80 %"
    assert sum("limits_budgetaccount" in each["sql"] for each in statements) <= 6, "no statement for each account"
    assert OutgoingMail.objects.get().text.count("is spent of the budget “Each member”, in total.") == 20
    assert "And 5 more, on the budget's page." in OutgoingMail.objects.get().text
    assert [alert_subject(seeded_cast), len(events(seeded_cast.acme, "budget.warn"))] == ["", 25]


def test_a_group_as_a_whole_is_told_of(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        group = MemberGroup.objects.create(name="Sales")
    row = budget(seeded_cast, scope="all_of_group", group=group, alert_percents=STEPS)
    spend(seeded_cast, row, 2.5, group.pk)
    assert alert_subject(seeded_cast) == "has reached 50 %"
    assert "$2.50 of $5.00 (50 %) is spent of the budget “Sales together”, " in OutgoingMail.objects.get().text


def spent_budget_of_other(cast: Cast) -> Budget:
    with tenant_tx(cast.other.pk):
        row = Budget.objects.create(scope="organization", period="total", amount_usd=7)
        BudgetAccount.objects.create(budget=row, subject_id=cast.other.pk, starts_on=FIRST_DAY, spent_usd=6)
    return row


def test_each_organization_hears_of_its_own(seeded_cast: Cast) -> None:
    spend(seeded_cast, budget(seeded_cast), 4.1)
    theirs = spent_budget_of_other(seeded_cast)
    assert budgets_alert_task() == 2
    mails = dict(OutgoingMail.objects.values_list("recipient", "text"))
    assert set(mails) == {seeded_cast.alice.email, seeded_cast.charlie.email}
    assert "$6.00 of $7.00" in mails[seeded_cast.charlie.email]
    assert "/o/other/admin/" in mails[seeded_cast.charlie.email]
    assert "$6.00" not in mails[seeded_cast.alice.email]
    assert [event.object_id for event in events(seeded_cast.other, "budget.warn")] == [str(theirs.pk)]


@pytest.mark.parametrize("name", ["acme", "other"])
def test_an_organization_that_fails_keeps_no_other_from_hearing(seeded_cast: Cast, name: str) -> None:
    spend(seeded_cast, budget(seeded_cast), 4.1)
    spent_budget_of_other(seeded_cast)
    failing: Organization = getattr(seeded_cast, name)
    with refused_rows(OutgoingMail, "about_organization_id", failing.pk):
        assert budgets_alert_task() == 1
    assert OutgoingMail.objects.get().about_organization_id != failing.pk
    assert events(failing, "budget.warn") == []
    assert budgets_alert_task() == 1, "the next round tells of it"


@pytest.mark.parametrize(("hour", "count"), [(0, 1), (2, 0)])
def test_a_day_that_has_just_ended_is_told_of(seeded_cast: Cast, hour: int, count: int) -> None:
    row = budget(seeded_cast, period="day")
    spend(seeded_cast, row, 4.8)
    with tenant_tx(seeded_cast.acme.pk):
        BudgetAccount.objects.update(starts_on="2026-03-09")
    assert budgets_alert(datetime(2026, 3, 10, hour, 30, tzinfo=UTC)) == count
    for mail in OutgoingMail.objects.all():
        assert "of the budget “All members together”, 9 March 2026." in mail.text
        assert "It has begun anew since." in mail.text


def test_what_an_owner_gets_no_mail_about_now_is_told_later(seeded_cast: Cast) -> None:
    row = budget(seeded_cast)
    spend(seeded_cast, row, 4.1)
    others = [OutgoingMail(kind="other", recipient=seeded_cast.alice.email, state="kept") for _ in range(MAX_PER_ADDRESS_AND_HOUR)]
    OutgoingMail.objects.bulk_create(others)
    assert budgets_alert_task() == 0
    assert events(seeded_cast.acme, "budget.warn") == []
    assert alert_subject(seeded_cast) == "has reached 80 %"


@pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])
def test_mails_of_the_same_round_count_for_what_an_owner_gets_no_mail_about(seeded_cast: Cast) -> None:
    spend(seeded_cast, budget(seeded_cast), 4.1)
    spend(seeded_cast, budget(seeded_cast, period="total"), 4.2)
    others = [OutgoingMail(kind="other", recipient=seeded_cast.alice.email, state="kept") for _ in range(MAX_PER_ADDRESS_AND_HOUR - 1)]
    OutgoingMail.objects.bulk_create(others)
    assert [budgets_alert_task(), budgets_alert_task()] == [1, 0]
    OutgoingMail.objects.all().delete()
    assert [budgets_alert_task(), budgets_alert_task()] == [1, 0]
    assert len(events(seeded_cast.acme, "budget.warn")) == 2


def test_two_workers_do_not_tell_twice(seeded_cast: Cast) -> None:
    row = budget(seeded_cast)
    spend(seeded_cast, row, 4.1)
    other_worker = connections["default"].copy()
    try:
        with other_worker.cursor() as cursor:
            cursor.execute("select pg_advisory_lock(hashtextextended(%s, %s))", [str(row.pk), LOCK_SPACE])
        assert alert_subject(seeded_cast) == ""
    finally:
        with other_worker.cursor() as cursor:
            cursor.execute("select pg_advisory_unlock_all()")
        other_worker.close()
    assert alert_subject(seeded_cast) == "has reached 80 %"
