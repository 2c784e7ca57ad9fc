"""What limits and budgets refuse is counted, listed, exported and told to owners, each organization's for itself (SPEC 8.5)."""

from __future__ import annotations

from decimal import Decimal
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from accounts.models import OutgoingMail
from accounts.tasks import refusals_warn_task
from admin_config.models import AppSettings
from chat.models import Run
from doubles.script import Text
from limits.models import Budget, BudgetAccount, RateLimit
from security.audit import audit
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import Organization
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.stores.audit_log import counted_to_rows
from tests.support.stores.failing_rows import refused_rows

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

PAGE = "/o/acme/admin/limits/ratelimit/violations/"


def admin(cast: Cast, name: str = "alice") -> Client:
    client = Client()
    client.force_login(getattr(cast, name))
    return client


async def exceed_limit(browser: Browser, times: int) -> None:
    async with chat_socket(browser, "acme") as socket:
        for _ in range(times):
            await socket.send(str(uuid4()), "One more")
            assert (await socket.receive())["type"] == "error"


async def test_refusals_are_counted_listed_exported_and_told(acme: Workspace, cast: Cast, alice: Browser, bob: Browser) -> None:
    def prepare() -> None:
        RateLimit.objects.create(scope="each_member", per_hour=0)
        AppSettings.objects.update_or_create(defaults={"refusals_alert": 5})

    await in_db(prepare, organization_id=cast.acme.pk)
    await exceed_limit(alice, 1)
    await exceed_limit(bob, 3)
    await sync_to_async(_check_counts)(cast)
    await sync_to_async(_check_told)(cast)


def _check_counts(cast: Cast) -> None:
    counted_to_rows()
    with tenant_tx(cast.acme.pk):
        rows = {row.actor_user_id: row for row in AuditEvent.objects.filter(object_kind="limit")}
    assert {user_id: row.count for user_id, row in rows.items()} == {cast.alice.pk: 1, cast.bob.pk: 3}, "one row for a member and minute"
    words = "0 messages in an hour, each member"
    assert {row.object_label for row in rows.values()} == {words}
    html = admin(cast).get(PAGE).content.decode()
    for part in ("By limit", words, ">4<", ">3<", "Bob"):
        assert part in html
    only_bob = admin(cast).get(PAGE, {"who": str(cast.bob.pk), "q": "messages-member-hour"}).content.decode()
    assert ">4<" not in only_bob
    assert words in only_bob
    assert admin(cast).get(PAGE, {"cursor": "no-cursor", "period": "dates"}).status_code == 200
    export = admin(cast).post("/o/acme/admin/security/auditevent/export/", {"format": "csv", "kind": "limit", "who": str(cast.bob.pk)})
    lines = b"".join(export).decode().splitlines()  # a streamed answer
    assert len(lines) == 2
    assert words in lines[1]
    assert refusals_warn_task() == 0, "fewer than the organization wants to hear of"
    assert admin(cast, "bob").get(PAGE).status_code == 404
    theirs = admin(cast, "charlie").get(PAGE.replace("acme", "other")).content.decode()
    assert "Nothing was refused in this time." in theirs


def _check_told(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        AppSettings.objects.update(refusals_alert=4)
    assert [refusals_warn_task(), refusals_warn_task()] == [1, 0]
    mail = OutgoingMail.objects.get(kind="refusals")
    assert (mail.recipient, mail.subject) == (cast.alice.email, "A limit of Acme refuses again and again")
    assert "refused 4 times within an hour. Members who met it: 2." in mail.text
    assert f"{PAGE}?q=messages-member-hour" in mail.text
    assert "refused 4 times" in admin(cast).get("/o/acme/admin/").content.decode()
    with tenant_tx(cast.acme.pk):
        AppSettings.objects.update(refusals_alert=None)
    assert "refused 4 times" not in admin(cast).get("/o/acme/admin/").content.decode()


@pytest.mark.parametrize("name", ["acme", "other"])
def test_an_organization_that_fails_keeps_no_other_from_hearing_of_refusals(cast: Cast, name: str) -> None:
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.pk):
            AppSettings.objects.update_or_create(defaults={"refusals_alert": 1})
        limit = "messages-member-hour"
        audit(organization_id=organization.pk, actor_user_id=None, action="limit.hit", object_kind="limit", object_id=limit)
    failing: Organization = getattr(cast, name)
    with refused_rows(OutgoingMail, "about_organization_id", failing.pk):
        assert refusals_warn_task() == 1
    assert OutgoingMail.objects.get(kind="refusals").about_organization_id != failing.pk
    assert refusals_warn_task() == 1, "the next round tells of it"


async def test_an_answer_that_a_budget_ends_is_counted_too(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Done."))

    def prepare() -> Budget:
        budget = Budget.objects.create(scope="organization", amount_usd=Decimal("0.01"))
        BudgetAccount.objects.create(
            budget=budget, subject_id=cast.acme.pk, starts_on=timezone.now().date().replace(day=1), held_usd=Decimal("0.02")
        )
        return budget

    budget = await in_db(prepare, organization_id=cast.acme.pk)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(str(uuid4()), "Hi")
    [run] = await acme.rows(Run)
    assert run.error_code == "budget_used_up"
    await sync_to_async(counted_to_rows)()
    [event] = await acme.rows(AuditEvent, object_kind="limit")
    assert (event.object_id, event.object_label) == (f"budget-{budget.pk}", "$0.01 a month, all members together")
