"""Admins set limits on messages, see what is used and let somebody begin anew, in their own organization alone."""

from __future__ import annotations

from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync

from limits.allowances import Allowance, Sender
from limits.counters import limit_usages, message_count
from limits.models import RateLimit
from limits.selectors import allowances_load
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import MemberGroup, Membership
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.admin_config.pages import ACME, errors, save
from tests.support.accounts.cast import Cast

__all__ = ["seeded_cast", "signed_in"]
pytestmark = pytest.mark.django_db

ADD = f"{ACME}limits/ratelimit/add/"
LIST = f"{ACME}limits/ratelimit/"


def membership_of(cast: Cast, name: str) -> Membership:
    return Membership.objects.get(user=getattr(cast, name), organization=cast.acme)


def only_limit(cast: Cast) -> RateLimit:
    with tenant_tx(cast.acme.pk):
        return RateLimit.objects.select_related("membership__user", "group").get()


def test_a_limit_for_one_member_is_made_changed_and_shown(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    with tenant_tx(seeded_cast.acme.pk):
        bob = membership_of(seeded_cast, "bob")
    assert save(alice, ADD, holder=f"member:{bob.pk}", per_hour="60", last_day="2099-11-30", reason="A migration").status_code == 302
    limit = only_limit(seeded_cast)
    assert (limit.scope, limit.membership_id, limit.counts) == ("member", bob.pk, (None, 60, None, None))
    page = f"{LIST}{limit.pk}/change/"
    assert save(alice, page, per_hour="90").status_code == 302
    assert only_limit(seeded_cast).per_hour == 90
    html = alice.get(LIST).content.decode()
    assert str(limit) in html
    assert "Until 30 Nov 2099" in html
    with tenant_tx(seeded_cast.acme.pk):
        assert set(AuditEvent.objects.filter(object_kind="ratelimit").values_list("action", flat=True)) == {
            "ratelimit.create",
            "ratelimit.change",
        }


def test_a_limit_for_one_member_needs_an_end_and_a_reason(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    with tenant_tx(seeded_cast.acme.pk):
        bob = membership_of(seeded_cast, "bob")
    expected_errors = {
        "last_day": ["A limit for one member is an exception, which ends: enter its last day."],
        "reason": ["A limit for one member is an exception: say why there is one."],
    }
    assert errors(save(alice, ADD, holder=f"member:{bob.pk}", per_hour="60")) == expected_errors
    assert save(alice, ADD, holder=f"member:{bob.pk}", per_hour="60", last_day="2099-11-30", reason="A migration").status_code == 302
    page = f"{LIST}{only_limit(seeded_cast).pk}/change/"
    assert errors(save(alice, page, last_day="", reason="")) == expected_errors
    with tenant_tx(seeded_cast.acme.pk):
        RateLimit.objects.update(last_day=None, reason="")
    assert save(alice, page, per_hour="70").status_code == 302, "one of before stays as it is"
    assert only_limit(seeded_cast).per_hour == 70


@pytest.mark.parametrize("holder", ["each_member", "organization", "each_token", "role:member"])
def test_a_limit_can_be_for_many_and_only_once(seeded_cast: Cast, signed_in: SignedIn, holder: str) -> None:
    alice = signed_in(seeded_cast.alice)
    assert save(alice, ADD, holder=holder, per_minute="5").status_code == 302
    assert save(alice, ADD, holder=holder, measure="cost", per_minute="0.25").status_code == 302
    assert "$0.25" in alice.get(LIST).content.decode()
    assert errors(save(alice, ADD, holder=holder, per_minute="6")) == {"__all__": ["There is already a limit for this. Change that one."]}


def test_a_limit_of_an_agent_counts_answers_tokens_or_cost(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    assert errors(save(alice, ADD, holder="agent:document_agent", per_day="50")) == {
        "measure": ["Messages are counted for who sends them. For an agent, count answers, tokens or US dollars."]
    }
    assert save(alice, ADD, holder="agent:no_such_agent", measure="runs", per_day="50").status_code == 200
    assert save(alice, ADD, holder="agent:document_agent", measure="runs", per_day="50").status_code == 302
    assert save(alice, ADD, holder="agent:python_agent", measure="runs", per_day="50").status_code == 302
    response = save(alice, ADD, holder="agent:document_agent", measure="runs", per_day="60")
    assert errors(response) == {"__all__": ["There is already a limit for this. Change that one."]}
    with tenant_tx(seeded_cast.acme.pk):
        limit = RateLimit.objects.get(agent="document_agent")
        assert str(limit) == "Document agent"
    assert "0 of 50 answers in a day" in alice.get(f"{LIST}{limit.pk}/change/").content.decode()


def test_a_limit_needs_a_number_and_a_known_holder(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    with tenant_tx(seeded_cast.other.pk):
        foreign = MemberGroup.objects.create(name="Theirs")
    assert errors(save(alice, ADD, holder="each_member")) == {"per_hour": ["Fill in at least one number. 0 blocks every message."]}
    assert errors(save(alice, ADD, holder="each_member", measure="tokens", per_hour="1.5")) == {"per_hour": ["Enter a whole number."]}
    for holder in (f"group:{foreign.pk}", f"member:{uuid4()}", "role:viewer", ""):
        assert save(alice, ADD, holder=holder, per_hour="1").status_code == 200, holder
    with tenant_tx(seeded_cast.acme.pk):
        assert not RateLimit.objects.exists()


def test_the_largest_number_can_be_counted(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    response = save(alice, ADD, holder="each_member", measure="cost", per_month="1000000000000")
    assert errors(response) == {"per_month": ["Ensure that there are no more than 12 digits before the decimal point."]}
    assert save(alice, ADD, holder="each_member", measure="cost", per_month="999999999999.99").status_code == 302
    actor = seeded_cast.actor(seeded_cast.bob)
    with tenant_tx(actor.organization_id):
        limits = allowances_load(actor, token_id=None)
    assert limits == (Allowance("member", "month", 999_999_999_999_990_000, "cost", refuses_uncounted=True),)
    assert limit_usages(Sender(actor.organization_id, actor.membership_id), limits)


def test_an_admin_sees_what_is_used_and_counts_anew(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        bob = membership_of(seeded_cast, "bob")
        limit = RateLimit.objects.create(scope="member", membership=bob, per_month=5)
    sender, allowance = Sender(seeded_cast.acme.pk, bob.pk), Allowance("member", "month", 5)
    for _ in range(2):
        async_to_sync(message_count)(sender, (allowance,), message=uuid4().hex)

    def used_now() -> int:
        [usage] = limit_usages(sender, (allowance,)) or []
        return usage.amount

    alice = signed_in(seeded_cast.alice)
    page = f"{LIST}{limit.pk}/"
    assert "2 of 5 messages in 30 days" in alice.get(f"{page}change/").content.decode()
    assert alice.get(f"{page}count-anew/").status_code == 404
    assert signed_in(seeded_cast.charlie).post(f"/o/other/admin/limits/ratelimit/{limit.pk}/count-anew/").status_code == 404
    assert used_now() == 2
    assert alice.post(f"{page}count-anew/").status_code == 302
    assert used_now() == 0
    with tenant_tx(seeded_cast.acme.pk):
        assert AuditEvent.objects.filter(action="ratelimit.count_anew", object_label=str(limit)).exists()


def test_an_admin_cant_empty_the_counters_of_a_plans_limit(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        plan_limit, own, other = (
            RateLimit.objects.create(scope="organization", per_month=5, **more) for more in ({"from_plan": True}, {}, {"measure": "runs"})
        )
    alice = signed_in(seeded_cast.alice)
    for limit, status in ((plan_limit, 403), (own, 403), (other, 302)):
        page = f"{LIST}{limit.pk}/"
        assert ("Count anew" in alice.get(f"{page}change/").content.decode()) == (status == 302)
        assert alice.post(f"{page}count-anew/").status_code == status


def test_members_and_the_other_organization_see_no_limit(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        limit = RateLimit.objects.create(scope="each_member", per_hour=5)
    assert signed_in(seeded_cast.bob).get(LIST).status_code == 404
    charlie = signed_in(seeded_cast.charlie)
    assert "Each member" not in charlie.get("/o/other/admin/limits/ratelimit/").content.decode().split("</nav>")[-1].split("<table")[-1]
    assert charlie.get(f"/o/other/admin/limits/ratelimit/{limit.pk}/change/").status_code == 302
