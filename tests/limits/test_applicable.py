"""Admins see what applies to one member's messages, tightest first, and nothing of another organization (SPEC 8.5)."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from limits.allowances import Allowance, Sender
from limits.counters import limit_usages, message_count
from limits.models import Budget, BudgetAccount, RateLimit
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import ApiToken, GroupMember, MemberGroup, Membership, User
from tenants.redis.clients import close_redis, sync_client
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.support.accounts.cast import Cast
from tests.support.stores.redis_servers import own_redis

__all__ = ["seeded_cast", "signed_in"]
pytestmark = pytest.mark.django_db(databases=["default", "system"])

PAGE = "/o/acme/admin/limits/ratelimit/applicable/"
COUNT_ANEW = "/o/acme/admin/limits/ratelimit/count-anew/"


def lines(page: str) -> list[str]:
    """Return the texts of the list, in its order."""
    entries = re.findall(r"<li>(.*?)</li>", page.split("parley-applicable", 1)[-1], re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", line)).strip() for line in entries]


def membership(cast: Cast, name: str) -> Membership:
    return Membership.objects.get(user=getattr(cast, name), organization=cast.acme)


def page_html(client: Client, member: Membership, page: str = PAGE) -> str:
    answer = client.get(page, {"member": str(member.pk)})
    assert answer.status_code == 200
    return answer.content.decode()


def limits_make(cast: Cast) -> Membership:
    """Make rows of each kind for Bob, of which some are replaced by narrower ones, and let him send twice."""
    bob = membership(cast, "bob")
    team, others = MemberGroup.objects.create(name="Team"), MemberGroup.objects.create(name="Others")
    GroupMember.objects.create(group=team, membership=bob)
    RateLimit.objects.create(scope="each_member", per_month=3, per_hour=400, from_plan=True, reason="Plan Basic")
    RateLimit.objects.create(scope="role", role="member", per_month=5)
    RateLimit.objects.create(scope="group", group=team, per_month=10, reason="A migration", last_day="2099-11-30")
    RateLimit.objects.create(scope="group", group=others, per_month=900)
    RateLimit.objects.create(scope="member", membership=membership(cast, "alice"), per_month=1)
    RateLimit.objects.create(scope="organization", per_month=100)
    RateLimit.objects.create(scope="agent", agent="document_agent", measure="runs", per_day=50)
    RateLimit.objects.create(scope="each_token", per_minute=7)
    ApiToken.objects.create(membership=bob, name="nightly", digest="a" * 64, last_four="aaaa", scopes=["chat"])
    budget = Budget.objects.create(scope="each_member", period="month", amount_usd=20)
    starts_on = timezone.now().date().replace(day=1)
    BudgetAccount.objects.create(budget=budget, subject_id=bob.pk, starts_on=starts_on, spent_usd=Decimal(12), held_usd=Decimal(3))
    sender = Sender(cast.acme.pk, bob.pk)
    for _ in range(2):
        async_to_sync(message_count)(
            sender, (Allowance("member", "month", 10), Allowance("organization", "month", 100)), message=uuid4().hex
        )
    return bob


def test_an_admin_sees_what_applies_to_a_member_tightest_first(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        bob = limits_make(seeded_cast)
        group = RateLimit.objects.get(scope="group", per_month=10)
    alice = signed_in(seeded_cast.alice)
    page = page_html(alice, bob)
    entries = lines(page)
    assert [line.split(" left")[0] for line in entries] == [
        "Each member Tightest $5.00",
        "Each member of Team 8 messages",
        "All members together 98 messages",
        "Each API token: nightly 7 messages",
        "Document agent 50 answers",
        "Each member 400 messages",
    ]
    assert "A month: $12.00 of $20.00, and $3.00 reserved for calls under way · resets 1 " in entries[0]
    assert "2 of 10 messages in 30 days · resets " in entries[1]
    assert entries[1].endswith("until 30 Nov 2099 · A migration")
    assert entries[5].endswith("Plan Basic")
    assert f"/o/acme/admin/limits/ratelimit/{group.pk}/change/" in page
    assert "Bob can send." in page
    assert "See what applies to a member" in alice.get("/o/acme/admin/limits/ratelimit/").content.decode()


def test_what_refuses_is_first_and_said(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        bob = limits_make(seeded_cast)
        agent = RateLimit.objects.filter(scope="agent")
        agent.update(per_day=0)
    alice = signed_in(seeded_cast.alice)
    page = page_html(alice, bob)
    assert lines(page)[0].startswith("Document agent Refuses now 0 answers left")
    assert lines(page)[0].endswith("does not reset")
    assert "Bob can send." in page, "he may ask others than this agent"
    with tenant_tx(seeded_cast.acme.pk):
        agent.delete()
        RateLimit.objects.create(scope="member", membership=bob, per_month=2)
    page = page_html(alice, bob)
    assert lines(page)[0].startswith("Bob Refuses now 0 messages left 100 % 2 of 2 messages in 30 days · more is free from ")
    assert "The next message of Bob is refused." in page


@pytest.mark.parametrize("scope", ["each_member", "role", "group"])
def test_an_admin_counts_one_member_anew_under_a_general_limit(scope: str, seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        alice, bob = membership(seeded_cast, "alice"), membership(seeded_cast, "bob")
        team = MemberGroup.objects.create(name="Team")
        GroupMember.objects.create(group=team, membership=bob)
        holder: dict[str, Any] = {"role": "member"} if scope == "role" else {"group": team} if scope == "group" else {}
        RateLimit.objects.create(scope=scope, per_month=2, per_day=2, **holder)
        RateLimit.objects.create(scope="organization", measure="runs", per_month=9)
    allowances = (Allowance("member", "month", 2), Allowance("member", "day", 2))
    for member in (alice, bob):
        async_to_sync(message_count)(Sender(seeded_cast.acme.pk, member.pk), allowances, message=uuid4().hex)

    def used(member: Membership) -> list[int]:
        return [usage.amount for usage in limit_usages(Sender(seeded_cast.acme.pk, member.pk), allowances) or []]

    admin = signed_in(seeded_cast.alice)
    buttons = re.findall(r'name="measure" value="(\w+)"', page_html(admin, bob))
    assert buttons == ["messages"], "what all members share is counted anew on its own page"
    form = {"member": str(bob.pk), "measure": "messages"}
    assert admin.get(COUNT_ANEW, form).status_code == 404
    assert admin.post(COUNT_ANEW, {**form, "measure": "cups"}).status_code == 404
    for name, status in (("bob", 404), ("charlie", 404)):
        path = COUNT_ANEW.replace("acme", "other") if name == "charlie" else COUNT_ANEW
        assert signed_in(getattr(seeded_cast, name)).post(path, form).status_code == status
    assert (used(alice), used(bob)) == ([1, 1], [1, 1])
    assert admin.post(COUNT_ANEW, form).headers["Location"] == f"{PAGE}?member={bob.pk}"
    assert (used(alice), used(bob)) == ([1, 1], [0, 0])
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.get(action="limit.count_member_anew")
    assert (event.object_id, event.object_label, event.detail) == (str(bob.pk), "Bob", {"measure": "messages"})


def test_nobody_counts_anew_what_a_plan_counts_of_a_member(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        bob = membership(seeded_cast, "bob")
        RateLimit.objects.create(scope="each_member", per_month=9, from_plan=True)
        RateLimit.objects.create(scope="role", role="member", per_month=2)
        own = RateLimit.objects.create(scope="member", membership=bob, per_day=2, last_day="2099-11-30", reason="A fair")
    admin = signed_in(seeded_cast.alice)
    assert 'name="measure"' not in page_html(admin, bob)
    assert admin.post(COUNT_ANEW, {"member": str(bob.pk), "measure": "messages"}).status_code == 403
    assert admin.post(f"/o/acme/admin/limits/ratelimit/{own.pk}/count-anew/").status_code == 403


def test_the_number_of_statements_is_the_same_for_many_members(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        bob = limits_make(seeded_cast)
    alice = signed_in(seeded_cast.alice)

    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            page_html(alice, bob)
        return len(queries)

    statements()  # the first visit reads what is kept
    before = statements()
    with tenant_tx(seeded_cast.acme.pk):
        for number in range(20):
            user = User.objects.create_user(f"member{number}@example.org", name=f"Member {number}")
            Membership.objects.create(organization=seeded_cast.acme, user=user, role="member")
            RateLimit.objects.create(scope="agent", agent=f"agent-{number}", measure="runs", per_day=5)
    assert statements() == before


def test_other_organizations_members_and_limits_are_not_shown(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        bob = limits_make(seeded_cast)
    with tenant_tx(seeded_cast.other.pk):
        charlie = Membership.objects.get(user=seeded_cast.charlie, organization=seeded_cast.other)
        RateLimit.objects.create(scope="each_member", per_hour=77)
    alice, theirs = signed_in(seeded_cast.alice), PAGE.replace("acme", "other")
    page = page_html(alice, charlie)
    assert "There is no active member with this address." in page
    assert "77" not in "".join(lines(page))
    assert "no active member" in alice.get(PAGE, {"member": "nobody"}).content.decode()
    assert signed_in(seeded_cast.bob).get(PAGE).status_code == 404
    client = signed_in(seeded_cast.charlie)
    assert "There is no active member with this address." in page_html(client, bob, theirs)
    assert [line.split(" left")[0] for line in lines(page_html(client, charlie, theirs))] == ["Each member Tightest 77 messages"]


@pytest.mark.redis
def test_while_redis_is_away_the_page_says_so(seeded_cast: Cast, signed_in: SignedIn, settings: Settings, tmp_path: Path) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        bob = limits_make(seeded_cast)
        RateLimit.objects.create(scope="organization", measure="tokens", per_day=100)
    alice = signed_in(seeded_cast.alice)
    async_to_sync(close_redis)()
    sync_client.cache_clear()
    shared_url = settings.REDIS_URL
    try:
        with own_redis(tmp_path) as settings.REDIS_URL:
            pass  # it is stopped
        page = page_html(alice, bob)
    finally:
        async_to_sync(close_redis)()
        settings.REDIS_URL = shared_url
        sync_client.cache_clear()
    assert "Redis, which counts, can't be reached at the moment." in " ".join(page.split())
    assert lines(page)[0].startswith("All members together Refuses now Refuses meanwhile 100 tokens in a day")
    assert lines(page)[1].startswith("Each member $5.00 left"), "budgets are in the database"
    assert "Lets through meanwhile" in lines(page)[-1]
    assert "The next message of Bob is refused." in page
