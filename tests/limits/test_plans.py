"""The operator gives organizations plans: limits and budgets beside their own, which their admins see and can't change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.test import Client

from limits.allowances import Allowance
from limits.models import Budget, BudgetAccount, OrganizationPlan, Plan, RateLimit
from limits.plans.services import plan_assign, plan_note_change, plans_apply
from limits.selectors import allowances_load
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.admin_config.pages import ACME, save
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events
from tests.support.stores.failing_rows import refused_rows
from tests.support.stores.locks import is_somebody_waiting

__all__ = ["seeded_cast", "signed_in"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

PLANS = "/operator/limits/plan/"


@pytest.fixture
def operator(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))


def plan_form(**limit: str) -> dict[str, str]:
    """A plan with a limit for each member and a budget for all."""
    return {
        "name": "Team",
        "limits-TOTAL_FORMS": "1",
        "limits-INITIAL_FORMS": "0",
        "limits-0-scope": "each_member",
        "limits-0-measure": "messages",
        "limits-0-when_away": "by_kind",
        "budgets-TOTAL_FORMS": "1",
        "budgets-INITIAL_FORMS": "0",
        "budgets-0-scope": "organization",
        "budgets-0-period": "month",
        "budgets-0-amount_usd": "800",
        "budgets-0-alert_percents": "95, 50,80",
        **{f"limits-0-{name}": value for name, value in limit.items()},
    }


def applying(cast: Cast) -> set[Allowance]:
    actor = cast.actor(cast.bob)
    with tenant_tx(actor.organization_id):
        return set(allowances_load(actor, token_id=None))


def test_a_plan_is_made_given_changed_and_taken_away(seeded_cast: Cast, operator: Client, signed_in: SignedIn) -> None:
    cast = seeded_cast
    assert "Fill in at least one number" in operator.post(f"{PLANS}add/", plan_form()).content.decode()
    unclear = plan_form(per_hour="20") | {"budgets-0-alert_percents": "50, 50"}
    assert "Enter each number once." in operator.post(f"{PLANS}add/", unclear).content.decode()
    assert operator.post(f"{PLANS}add/", plan_form(per_hour="20")).status_code == 302
    plan = Plan.objects.get()
    assign = f"{PLANS}organization/{cast.acme.pk}/"
    assert save(operator, assign, plan=str(plan.pk)).status_code == 302
    assert applying(cast) == {Allowance("member", "hour", 20)}
    with tenant_tx(cast.other.pk):
        assert not OrganizationPlan.objects.exists()
    with tenant_tx(cast.acme.pk):
        [plan_limit] = RateLimit.objects.all()
        [budget] = Budget.objects.all()
        assert budget.alert_percents == [50, 80, 95]
        BudgetAccount.objects.create(budget=budget, subject_id=cast.acme.pk, starts_on="2001-01-01", spent_usd=5)
        own = RateLimit.objects.create(scope="each_member", per_hour=50)

    assert applying(cast) == {Allowance("member", "hour", 50)}, "what an organization sets for each member goes before the plan's"
    alice = signed_in(cast.alice)
    assert "Plan Team" in alice.get(f"{ACME}limits/ratelimit/").content.decode()
    for page in (f"limits/ratelimit/{plan_limit.pk}", f"limits/budget/{budget.pk}"):
        assert alice.get(f"{ACME}{page}/change/").status_code == 200
        assert alice.post(f"{ACME}{page}/change/", {"per_hour": "999", "amount_usd": "9999"}).status_code == 403
        assert alice.post(f"{ACME}{page}/delete/", {"post": "yes"}).status_code == 403

    page = f"{PLANS}{plan.pk}/change/"
    limit, amount = plan.limits.get(), plan.budgets.get()
    changed = {
        **plan_form(id=str(limit.pk), plan=str(plan.pk), per_hour="30", per_day="100"),
        "limits-INITIAL_FORMS": "1",
        "budgets-INITIAL_FORMS": "1",
        "budgets-0-id": str(amount.pk),
        "budgets-0-plan": str(plan.pk),
        "budgets-0-amount_usd": "900",
        "budgets-0-alert_percents": "90",
    }
    assert "1 organization gets the change" in operator.post(page, changed, follow=True).content.decode()
    assert plans_apply() == 1
    assert applying(cast) == {Allowance("member", "hour", 50), Allowance("member", "day", 100)}
    assert plans_apply() == 0, "it has the change"
    with tenant_tx(cast.acme.pk):
        current_budget = Budget.objects.get()
        assert (current_budget.pk, float(current_budget.amount_usd), current_budget.alert_percents) == (budget.pk, 900.0, [90])
        assert BudgetAccount.objects.get().spent_usd == 5, "what was spent stays"
    stale_form = {**changed, "limits-0-id": str(uuid4())}
    assert "Somebody deleted one of these rows meanwhile." in operator.post(page, stale_form).content.decode()
    assert operator.post(f"{PLANS}{plan.pk}/delete/", {"post": "yes"}).status_code == 403, "an organization has it"
    assert "Team" in operator.get("/operator/").content.decode()

    assert save(operator, assign, plan="").status_code == 302
    with tenant_tx(cast.acme.pk):
        assert ([row.pk for row in RateLimit.objects.all()], Budget.objects.count()) == ([own.pk], 0)
    assert len(events(cast.acme, "organizationplan.operator.change")) == 2
    assert signed_in(cast.alice).get(assign).status_code == 404


def test_the_default_plan_holds_where_the_operator_gave_none(seeded_cast: Cast, operator: Client) -> None:
    cast, operator_id = seeded_cast, User.objects.get(email="rita@example.org").pk
    large = Plan.objects.create(name="Large")
    large.limits.create(scope="each_member", per_day=900)
    plan_assign(organization_id=cast.other.pk, plan=large, operator_id=operator_id)
    assert operator.post(f"{PLANS}add/", {**plan_form(per_hour="20"), "is_default": "on"}).status_code == 302
    plans_apply()
    assert applying(cast) == {Allowance("member", "hour", 20)}
    assert plan_name(cast.other.pk) == "Large", "its own plan stays"
    assert plans_apply() == 0, "all have theirs"

    another = {**plan_form(per_hour="30"), "name": "Small", "is_default": "on"}
    assert "Another plan is the default" in operator.post(f"{PLANS}add/", another).content.decode()
    plan_assign(organization_id=cast.acme.pk, plan=large, operator_id=operator_id)
    assert applying(cast) == {Allowance("member", "day", 900)}
    assign = f"{PLANS}organization/{cast.acme.pk}/"
    answer = operator.post(assign, {"plan": ""}, follow=True)
    assert "Acme has the plan Team." in answer.content.decode()
    assert applying(cast) == {Allowance("member", "hour", 20)}
    assert '<option value="" selected>' in operator.get(assign).content.decode(), "it has none of its own"

    Plan.objects.filter(name="Team").update(is_default=False)
    plans_apply()
    assert (plan_name(cast.acme.pk), applying(cast), plan_name(cast.other.pk)) == ("", set(), "Large")


def plan_name(organization_id: UUID) -> str:
    with tenant_tx(organization_id):
        return OrganizationPlan.objects.values_list("name", flat=True).first() or ""


@pytest.mark.parametrize("name", ["acme", "other"])
def test_an_organization_that_fails_keeps_no_other_from_its_plan(seeded_cast: Cast, name: str) -> None:
    Plan.objects.create(name="Team", is_default=True)
    failing: Organization = getattr(seeded_cast, name)
    with refused_rows(OrganizationPlan, "organization_id", failing.pk):
        assert plans_apply() == 1
    assert {plan_name(each.pk) for each in (seeded_cast.acme, seeded_cast.other) if each != failing} == {"Team"}
    assert plan_name(failing.pk) == ""
    assert plans_apply() == 1, "the next round tries again"
    assert plan_name(failing.pk) == "Team"


def test_an_organization_that_gets_a_plan_while_the_default_is_applied_keeps_its_own(seeded_cast: Cast, operator: Client) -> None:
    cast, operator_id = seeded_cast, User.objects.get(email="rita@example.org").pk
    team, large = Plan.objects.create(name="Team", is_default=True), Plan.objects.create(name="Large")
    team.limits.create(scope="each_member", per_hour=20)
    large.limits.create(scope="each_member", per_day=900)
    with ThreadPoolExecutor(1) as pool:
        with tenant_tx(cast.acme.pk):
            plan_assign(organization_id=cast.acme.pk, plan=large, operator_id=operator_id)
            waiting = pool.submit(apply_in_own_connection)
            while not waiting.done() and not is_somebody_waiting():
                pass
        waiting.result(timeout=60)
    assert applying(cast) == {Allowance("member", "day", 900)}
    assert plan_name(cast.other.pk) == "Team"


def test_a_plans_limit_for_all_together_counts_beside_the_organizations_own(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        for number, from_plan in ((100, True), (500, False)):
            RateLimit.objects.create(scope="organization", per_day=number, from_plan=from_plan)
    assert applying(seeded_cast) == {Allowance("organization", "day", 100)}, "the stricter of the two"


def test_an_organization_that_gets_another_plan_while_its_own_is_applied_keeps_the_other(seeded_cast: Cast, operator: Client) -> None:
    cast, operator_id = seeded_cast, User.objects.get(email="rita@example.org").pk
    team, large = (Plan.objects.create(name=name) for name in ("Team", "Large"))
    team.limits.create(scope="each_member", per_hour=20)
    large.limits.create(scope="each_member", per_day=900)
    plan_assign(organization_id=cast.acme.pk, plan=team, operator_id=operator_id)
    plan_note_change(team.pk)

    with ThreadPoolExecutor(1) as pool:
        with tenant_tx(cast.acme.pk):
            plan_assign(organization_id=cast.acme.pk, plan=large, operator_id=operator_id)
            waiting = pool.submit(apply_in_own_connection)
            while not waiting.done() and not is_somebody_waiting():
                pass
        waiting.result(timeout=60)
    assert applying(cast) == {Allowance("member", "day", 900)}


def apply_in_own_connection() -> None:
    try:
        plans_apply()
    finally:
        connections.close_all()
