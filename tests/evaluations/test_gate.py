"""What a data set requires is asked of a draft before it goes live; nothing goes around it but an owner's reason and going back."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.test import Client

from admin_config.agent_files.exporting import agents_export
from admin_config.agent_files.importing import agents_import
from admin_config.models import AgentConfig, AppSettings, Release
from evaluations.gate.checks import MAX_POOLED
from evaluations.gate.verdicts import Figures, Limits, Outcome, judge
from evaluations.models import Case, CaseResult, DataSet, Experiment, Requirement
from security.models import AuditEvent
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership
from tests.admin_config.conftest import SignedIn, seeded_cast
from tests.admin_config.pages import ACME, publish, save
from tests.support.accounts.cast import Cast

__all__ = ["seeded_cast"]
pytestmark = pytest.mark.django_db

AGENT = "chat_model_agent_google"
PUBLISH = f"{ACME}admin_config/release/publish/"
REQUIREMENTS = f"{ACME}evaluations/requirement/"


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(seeded_cast.alice)


@pytest.fixture
def admin(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    """Bob, an admin but no owner."""
    with identity_tx(seeded_cast.acme.pk, acting_user_id=seeded_cast.alice.pk):
        Membership.objects.filter(user=seeded_cast.bob).update(role=Membership.Role.ADMIN)
    return signed_in(seeded_cast.bob)


@pytest.fixture
def orders(seeded_cast: Cast) -> DataSet:
    with tenant_tx(seeded_cast.acme.pk):
        data_set = DataSet.objects.create(name="Orders")
        for name in ("Late", "Lost"):
            messages = [{"role": "user", "text": f"{name}?"}]
            Case.objects.create(data_set=data_set, name=name, messages=messages, marked=name == "Late")
    return data_set


def live_number(cast: Cast) -> int:
    with tenant_tx(cast.acme.pk):
        release: Release | None = AppSettings.objects.select_related("live_release").get().live_release
    assert release
    return release.number


def end_experiments(cast: Cast, pass_counts: dict[str, tuple[int, int]]) -> None:
    """End all running experiments: so many answers of each case pass with the draft, and with the live release."""
    with tenant_tx(cast.acme.pk):
        for experiment in Experiment.objects.filter(status="running"):
            for result in CaseResult.objects.filter(experiment=experiment).select_related("case"):
                good = pass_counts[result.case.name][experiment.source == "live"] >= result.sample
                CaseResult.objects.filter(pk=result.pk).update(status="done", passed=good, cost_usd=0.01, duration_ms=900)
        Experiment.objects.filter(status="running").update(status="done")


def text(client: Client, url: str = PUBLISH) -> str:
    html: str = client.get(url).content.decode()
    return html


def test_a_failing_case_keeps_a_draft_from_going_live_until_an_owner_overrides_it(
    seeded_cast: Cast, alice: Client, admin: Client, orders: DataSet
) -> None:
    assert save(alice, f"{REQUIREMENTS}add/", data_set=str(orders.pk), agent_key=AGENT).status_code == 302
    assert admin.get(f"{REQUIREMENTS}add/").status_code == 403
    with tenant_tx(seeded_cast.acme.pk):
        agent = AgentConfig.objects.get(key=AGENT)

    response = save(alice, f"{ACME}admin_config/agentconfig/{agent.pk}/change/", system_prompt="Promise a date.")
    assert response.status_code == 302
    assert live_number(seeded_cast) == 1  # publish on save is on, and does not go around it
    assert "Orders (Chat agent, Google Gemini) has not been asked with this draft." in text(alice)
    assert "has not been asked" in publish(alice).content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        assert agents_import(agents_export().replace("Promise a date.", "Promise a week.")) is None
        assert agents_import(agents_export().replace("Promise a week.", "Promise a date.")) is None

    admin.post(f"{REQUIREMENTS}check/")
    with tenant_tx(seeded_cast.acme.pk):
        experiments = sorted(Experiment.objects.values_list("source", "samples", "marked_samples"))
        assert experiments == [("draft", 1, 3), ("live", 1, 3)]
        assert AuditEvent.objects.filter(action="experiment.start", actor_user_id=seeded_cast.bob.pk).count() == 2
        assert CaseResult.objects.count() == 8  # three of the case that must pass, one of the other, twice
    assert "is being asked: 0 of 8 answers" in text(alice)
    end_experiments(seeded_cast, {"Late": (1, 3), "Lost": (1, 1)})
    html = text(admin)
    assert "“Late” must pass and fails in 2 of 3 answers." in html
    assert re.search(r'href="/o/acme/admin/evaluations/case/[0-9a-f-]+/change/">Late</a>', html)
    assert "Override…" not in html
    assert "Everything has been asked already." in alice.post(f"{REQUIREMENTS}check/", follow=True).content.decode()
    assert "must pass and fails" in publish(admin).content.decode()

    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', html)
    form = {"note": "Dates", "seen": draft_hash, "override": "1", "override_reason": "The customer waits."}
    assert "Only an owner can override" in admin.post(PUBLISH, form, follow=True).content.decode()
    assert 'value="The customer waits."' in alice.post(PUBLISH, {**form, "note": ""}).content.decode(), "nothing typed is lost"
    assert "Write why the checks are overridden." in alice.post(PUBLISH, {**form, "override_reason": " "}).content.decode()
    assert live_number(seeded_cast) == 1
    assert "Release 2 is live." in alice.post(PUBLISH, form, follow=True).content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.get(action="release.override")
        first = Release.objects.get(number=1, is_trial=False)
        assert AuditEvent.objects.get(action="release.publish", object_id=AppSettings.objects.get().live_release_id).detail["override"]
    assert (event.actor_user_id, event.detail["reason"]) == (seeded_cast.alice.pk, "The customer waits.")
    assert "“Late” must pass" in event.detail["failed"][0]

    back = admin.post(f"{ACME}admin_config/release/{first.pk}/restore/", follow=True).content.decode()
    assert "Going back is not held up by checks." in back
    assert live_number(seeded_cast) == 3


def test_what_was_asked_before_counts_until_the_cases_change(seeded_cast: Cast, alice: Client, orders: DataSet) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        AppSettings.objects.update(publish_on_save=False)
        Requirement.objects.create(data_set=orders, agent_key="chat_model_agent")
        AgentConfig.objects.filter(key=AGENT).update(system_prompt="Be kind.")
    alice.post(f"{REQUIREMENTS}check/")
    end_experiments(seeded_cast, {"Late": (3, 3), "Lost": (0, 1)})
    assert "With 2 cases no drop can be told from chance." in text(alice)  # one broken case of two is no proof
    context = alice.get(PUBLISH).context
    with tenant_tx(seeded_cast.acme.pk):
        AgentConfig.objects.filter(key=AGENT).update(system_prompt="Be blunt.")
    part = text(alice, f"{PUBLISH}?part=1&seen={context['seen']}")
    assert "The draft changed." in part
    assert "has not been asked" in part
    with tenant_tx(seeded_cast.acme.pk):
        AgentConfig.objects.filter(key=AGENT).update(system_prompt="Be kind.")
        Case.objects.filter(name="Lost").update(messages=[{"role": "user", "text": "Where is it?"}])
    assert "has not been asked with this draft" in text(alice)
    with tenant_tx(seeded_cast.acme.pk):
        Case.objects.filter(name="Lost").update(messages=[{"role": "user", "text": "Lost?"}])
    assert "Release 2 is live." in publish(alice).content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        assert Experiment.objects.count() == 2
        AgentConfig.objects.filter(key="document_agent_anthropic").update(max_steps=3)
    assert "Nothing changed that this agent can reach." in text(alice)


def test_asking_again_until_it_passes_does_not_help(seeded_cast: Cast, alice: Client, orders: DataSet) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        AppSettings.objects.update(publish_on_save=False)
        Requirement.objects.create(data_set=orders, agent_key=AGENT, max_cost_usd=0.5)
        AgentConfig.objects.filter(key=AGENT).update(system_prompt="Be kind.")
    assert "8 answers to ask for." in text(alice)
    alice.post(f"{REQUIREMENTS}check/")
    with tenant_tx(seeded_cast.acme.pk):
        assert set(Experiment.objects.values_list("max_cost_usd", flat=True)) == {0.5}
        Experiment.objects.filter(source="draft").update(status="done", error="The budget is spent.")
    assert "has not been asked with this draft. The last try ended early: The budget is spent." in text(alice)
    alice.post(f"{REQUIREMENTS}check/")
    end_experiments(seeded_cast, {"Late": (0, 3), "Lost": (1, 1)})
    assert "“Late” must pass and fails in 3 of 3 answers." in text(alice)
    with tenant_tx(seeded_cast.acme.pk):
        experiment = Experiment.objects.get(source="draft", error="")
        former = experiment.pk
        for _ in range(MAX_POOLED):
            experiment.pk, experiment.status, experiment.error = uuid4(), "stopped", "Stopped by an admin."
            experiment.save(force_insert=True)
    assert "“Late” must pass and fails in 3 of 3 answers." in text(alice), "what was stopped hides nothing"
    alice.post(f"{REQUIREMENTS}check/", {"again": "1"})
    end_experiments(seeded_cast, {"Late": (3, 3), "Lost": (1, 1)})
    assert "“Late” must pass and fails in 3 of 6 answers." in text(alice)
    with tenant_tx(seeded_cast.acme.pk):
        Experiment.objects.filter(pk=former).update(status="running")
    assert "is being asked:" in text(alice), "an older one with the same content has not ended"
    with tenant_tx(seeded_cast.acme.pk):
        Experiment.objects.filter(pk=former).update(status="done")
    alice.post(f"{REQUIREMENTS}check/", {"again": "1"})
    end_experiments(seeded_cast, {"Late": (3, 3), "Lost": (1, 1)})
    assert "Release 2 is live." in publish(alice).content.decode()  # six of nine


def outcomes(verdicts: list[bool], *, is_marked: bool = False) -> dict[str, Outcome]:
    return {str(place): Outcome(f"Case {place}", int(good), 1, is_marked) for place, good in enumerate(verdicts)}


@pytest.mark.parametrize(
    ("now", "limits", "passes"),
    [
        ([True] * 40 + [False] * 20, Limits(), False),  # 13 worse, none better
        ([True] * 40 + [False] * 20, Limits(tolerance_points=30), True),
        ([True] * 50 + [False] * 10, Limits(), True),  # 3 worse: chance does as much
        ([True] * 60, Limits(max_cost_percent=20), False),
        ([True] * 60, Limits(max_cost_percent=60, max_slower_percent=0), True),
    ],
)
def test_the_suite_is_compared_case_by_case_and_guards_have_limits(now: list[bool], limits: Limits, passes: bool) -> None:
    before = outcomes([True] * 53 + [False] * 7)
    assert judge(outcomes(now), before, limits, (Figures(1.0, 900), Figures(1.5, 900))).passes is passes


@pytest.mark.parametrize(
    ("before", "now", "problems"),
    [
        (0.01, None, ["Cost of an answer: not known, because a model has no price. Give it one, or leave the limit blank."]),
        (0.0, 0.01, ["Cost of an answer: no longer free. The limit is +20 %."]),
        (0.0, 0.0, []),
        (None, None, []),
    ],
)
def test_a_limit_of_cost_holds_without_a_price_to_compare(before: float | None, now: float | None, problems: list[str]) -> None:
    cases = outcomes([True] * 60)
    verdict = judge(cases, cases, Limits(max_cost_percent=20), (Figures(before, 900), Figures(now, 900)))
    assert verdict.problems == problems
