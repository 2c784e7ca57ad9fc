"""Admins write, import, run and compare cases; auditors read them; nobody else sees that they exist."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from admin_config.models import AgentConfig, CurrencyRate
from evaluations.models import Case, CaseResult, DataSet, Experiment, Grade
from security.models import AuditEvent
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership
from tests.admin_config.conftest import SignedIn, seeded_cast
from tests.admin_config.pages import ACME, form_values, save
from tests.support.accounts.cast import Cast

__all__ = ["seeded_cast"]
pytestmark = pytest.mark.django_db

SETS = f"{ACME}evaluations/dataset/"
CASES = f"{ACME}evaluations/case/"
EXPERIMENTS = f"{ACME}evaluations/experiment/"
AGENT = "chat_model_agent_google"


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(seeded_cast.alice)


@pytest.fixture
def orders(seeded_cast: Cast) -> DataSet:
    with tenant_tx(seeded_cast.acme.pk):
        data_set = DataSet.objects.create(name="Orders")
        for name in ("Late", "Lost"):
            Case.objects.create(data_set=data_set, name=name, messages=[{"role": "user", "text": f"{name}?"}])
    return data_set


def events(cast: Cast, action: str) -> list[str]:
    with tenant_tx(cast.acme.pk):
        return list(AuditEvent.objects.filter(action=action).values_list("object_label", flat=True))


def end_experiment(cast: Cast, data_set: DataSet, outcomes: dict[str, bool]) -> Experiment:
    """Let all experiments that run end with these outcomes."""
    with tenant_tx(cast.acme.pk):
        experiment = Experiment.objects.filter(data_set=data_set, status="running").get()
        for result in CaseResult.objects.filter(experiment=experiment).select_related("case"):
            passed = outcomes[result.case.name]
            values = {"status": "done", "passed": passed, "answer": f"About {result.case}.", "cost_usd": 0.01, "duration_ms": 1200}
            CaseResult.objects.filter(pk=result.pk).update(**values)
            Grade.objects.create(result=result, position=0, kind="contains", passed=passed, template="“Sorry” is missing.")
        Experiment.objects.filter(pk=experiment.pk).update(status="done")
    return experiment


def run(client: Client, data_set: DataSet, **changes: str) -> Any:
    form = {"agent": AGENT, "source": "draft", "samples": "1", "budget": "", "asks": "yes", **changes}
    return client.post(f"{SETS}{data_set.pk}/run/", form, follow=True)


def test_a_data_set_and_a_case_with_checks_are_made_and_changed(seeded_cast: Cast, alice: Client) -> None:
    assert save(alice, f"{SETS}add/", name="Orders").status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        data_set = DataSet.objects.get()
    new = {
        **form_values(alice.get(f"{CASES}add/?data_set={data_set.pk}")),
        "question": "When does order 88213 arrive?",
        "earlier": "User: Hi\nAssistant: Hello.\nHow can I help?",
        "marked": "on",
        "expectations-TOTAL_FORMS": "2",
        "expectations-0-kind": "not_contains",
        "expectations-0-value": "Monday",
        "expectations-1-kind": "tool_called",
        "expectations-1-value": "get_order",
        "expectations-1-detail": '{"number": "88213"}',
        "_save": "Save",
    }
    answer = alice.post(f"{CASES}add/?data_set={data_set.pk}", new)
    assert (answer.status_code, answer["Location"]) == (302, f"{SETS}{data_set.pk}/change/")
    with tenant_tx(seeded_cast.acme.pk):
        case = Case.objects.prefetch_related("expectations").get()
        assert (case.name, case.marked) == ("When does order 88213 arrive?", True)
        assert [message["role"] for message in case.messages] == ["user", "assistant", "user"]
        assert case.messages[1]["text"] == "Hello.\nHow can I help?"
        assert [(row.position, row.kind) for row in case.expectations.all()] == [(0, "not_contains"), (1, "tool_called")]
        changed_at = case.changed_at
    assert save(alice, f"{CASES}{case.pk}/change/", name="Late order").status_code == 302
    assert "Late order" in alice.get(f"{SETS}{data_set.pk}/change/").content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        assert Case.objects.get().changed_at > changed_at
    assert events(seeded_cast, "case.change") == ["Late order"]
    assert save(alice, f"{SETS}{data_set.pk}/change/?edit=1", name="Order desk").status_code == 302
    assert "Order desk" in alice.get(SETS).content.decode()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"question": " "}, "The last message must be a question"),
        ({"earlier": "hello"}, "Begin with “User:” or “Assistant:”"),
        ({"expectations-0-value": "("}, "The regular expression is wrong"),
        ({"expectations-0-value": ""}, "Fill this in: Regular expression."),
    ],
)
def test_what_is_wrong_with_a_case_is_said(alice: Client, orders: DataSet, changes: dict[str, str], problem: str) -> None:
    page = f"{CASES}add/?data_set={orders.pk}"
    checks = {"expectations-TOTAL_FORMS": "1", "expectations-0-kind": "regex", "expectations-0-value": "Sorry"}
    answer = alice.post(page, {**form_values(alice.get(page)), "question": "Where?", **checks, **changes, "_save": "Save"})
    assert answer.status_code == 200
    assert problem in answer.content.decode()


def test_a_run_begins_and_is_stopped(seeded_cast: Cast, alice: Client, orders: DataSet) -> None:
    response = run(alice, orders, samples="2", budget="1.5")
    experiment = response.context["experiment"]
    assert (experiment.samples, experiment.max_cost_usd, experiment.source, experiment.release.is_trial) == (2, 1.5, "draft", True)
    assert "0 of 4" in response.content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        CurrencyRate.objects.create(currency="EUR", per_usd=0.5)
    assert "of $1.50" in alice.get(f"{EXPERIMENTS}{experiment.pk}/change/").content.decode(), "a budget is read back as it was entered"
    html = alice.post(f"{EXPERIMENTS}{experiment.pk}/stop/", follow=True).content.decode()
    assert "Stopped by an admin." in html
    assert events(seeded_cast, "experiment.stop") == ["Orders"]


def test_a_wrong_run_is_refused(alice: Client, orders: DataSet) -> None:
    for changes in ({"samples": "0"}, {"samples": "many"}, {"budget": "-1"}, {"source": "nothing"}, {"agent": "nobody"}):
        assert "Not run." in run(alice, orders, **changes).content.decode(), changes


def test_two_experiments_stand_side_by_side_and_are_compared(seeded_cast: Cast, alice: Client, orders: DataSet) -> None:
    run(alice, orders, source="live")
    before = end_experiment(seeded_cast, orders, {"Late": False, "Lost": True})
    run(alice, orders)
    now = end_experiment(seeded_cast, orders, {"Late": True, "Lost": True})
    with tenant_tx(seeded_cast.acme.pk):
        page = f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key=AGENT).pk}/change/"
    tab = alice.get(page).content.decode()
    assert f"{EXPERIMENTS}{now.pk}/change/" in tab
    assert f"{SETS}{orders.pk}/change/?agent={AGENT}#run-it" in tab
    page = alice.get(f"{SETS}{orders.pk}/change/").content.decode()
    assert "Better in 1 case, worse in 0: too few to tell." in page
    for text in ("Release 1", "Draft", "1 of 1", "0 of 1", "Fixed", "Same", "50 %", "100 %"):
        assert text in page
    assert "Lost?" not in alice.get(f"{SETS}{orders.pk}/change/?show=changed").content.decode()
    html = alice.get(f"{EXPERIMENTS}{now.pk}/change/?with={before.pk}").content.decode()
    assert html.count("About Late.") == 2
    assert "“Sorry” is missing." in html
    with tenant_tx(seeded_cast.acme.pk):
        case_id = Case.objects.filter(name="Late").get().pk
    save(alice, f"{CASES}{case_id}/change/", question="Why so late?")
    assert "case changed since" in alice.get(f"{SETS}{orders.pk}/change/").content.decode()


def test_cases_go_out_and_come_in(seeded_cast: Cast, alice: Client, orders: DataSet) -> None:
    page = f"{SETS}{orders.pk}/"
    for form in ("jsonl", "csv"):
        out = alice.post(f"{page}export/", {"form": form})
        assert out["Content-Disposition"] == f'attachment; filename="orders.{form}"'
        assert alice.post(f"{page}import/", {"form": form, "text": out.content.decode()}).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        assert sorted(Case.objects.values_list("name", flat=True)) == ["Late"] * 4 + ["Lost"] * 4
    response = alice.post(
        f"{page}import/", {"form": "promptfoo", "text": "tests: [{vars: {q: x}, assert: [{type: javascript, value: 1}]}]"}
    )
    assert "“javascript” runs a program, which is not done here." in response.content.decode()
    assert events(seeded_cast, "dataset.import") == ["Orders"] * 2
    assert events(seeded_cast, "dataset.export") == ["Orders"] * 2


def test_auditors_read_and_change_nothing(seeded_cast: Cast, alice: Client, signed_in: SignedIn, orders: DataSet) -> None:
    run(alice, orders)
    experiment = end_experiment(seeded_cast, orders, {"Late": True, "Lost": False})
    with identity_tx(seeded_cast.acme.pk, acting_user_id=seeded_cast.alice.pk):
        Membership.objects.filter(user=seeded_cast.bob).update(role=Membership.Role.AUDITOR)
    auditor = signed_in(seeded_cast.bob)
    with tenant_tx(seeded_cast.acme.pk):
        case = Case.objects.filter(name="Late").get()
    for page in (SETS, f"{SETS}{orders.pk}/change/", f"{EXPERIMENTS}{experiment.pk}/change/", f"{CASES}{case.pk}/change/"):
        response = auditor.get(page)
        assert response.status_code == 200, page
        assert "Add case" not in response.content.decode()
    for page in (
        f"{SETS}{orders.pk}/run/",
        f"{SETS}{orders.pk}/import/",
        f"{SETS}{orders.pk}/export/",
        f"{EXPERIMENTS}{experiment.pk}/stop/",
    ):
        assert auditor.post(page, {"form": "csv"}).status_code == 404, page
    assert auditor.get(f"{CASES}add/?data_set={orders.pk}").status_code == 404


def test_members_and_the_other_organization_get_nowhere(seeded_cast: Cast, alice: Client, signed_in: SignedIn, orders: DataSet) -> None:
    run(alice, orders)
    with tenant_tx(seeded_cast.acme.pk):
        experiment, case = Experiment.objects.get(), Case.objects.filter(name="Late").get()
    bob, charlie = signed_in(seeded_cast.bob), signed_in(seeded_cast.charlie)
    assert bob.get(SETS).status_code == 404
    assert bob.get(f"{EXPERIMENTS}{experiment.pk}/change/").status_code == 404
    theirs = "/o/other/admin/evaluations/"
    assert "Orders" not in charlie.get(f"{theirs}dataset/").content.decode()
    for page in (f"dataset/{orders.pk}/change/", f"experiment/{experiment.pk}/change/", f"case/{case.pk}/change/"):
        html = charlie.get(f"{theirs}{page}", follow=True).content.decode()
        assert "Late" not in html, page
    for page in (
        f"dataset/{orders.pk}/run/",
        f"dataset/{orders.pk}/import/",
        f"dataset/{orders.pk}/export/",
        f"experiment/{experiment.pk}/stop/",
    ):
        assert charlie.post(f"{theirs}{page}", {"form": "csv", "text": "question\nx"}).status_code == 404, page
    form = {"data_set": str(orders.pk), "question": "Mine?", "expectations-TOTAL_FORMS": "0", "expectations-INITIAL_FORMS": "0"}
    response = charlie.post(f"{theirs}case/add/", form)
    [errors] = re.findall(r'<div class="parley-errors".*?</div>', response.content.decode(), re.DOTALL)
    assert "It is gone. Open this page again from a data set." in errors
    with tenant_tx(seeded_cast.acme.pk):
        assert Case.objects.count() == 2


def test_a_data_set_is_deleted_with_all_of_it(seeded_cast: Cast, alice: Client, orders: DataSet) -> None:
    run(alice, orders)
    end_experiment(seeded_cast, orders, {"Late": True, "Lost": False})
    assert alice.post(f"{SETS}{orders.pk}/delete/", {"post": "yes"}).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        assert not any(model.objects.exists() for model in (DataSet, Case, Experiment, CaseResult, Grade))


def test_people_say_whether_a_model_judges_right(seeded_cast: Cast, alice: Client, orders: DataSet, signed_in: SignedIn) -> None:
    run(alice, orders)
    experiment = end_experiment(seeded_cast, orders, {"Late": True, "Lost": False})
    with tenant_tx(seeded_cast.acme.pk):
        Grade.objects.update(kind="judge")
        Experiment.objects.update(judge="google:gemini")
        kind, strict = (grade.pk for grade in Grade.objects.order_by("-passed"))
    page = f"{EXPERIMENTS}{experiment.pk}/"
    assert alice.get(f"{page}change/").content.decode().count("Is this judgement right?") == 2
    assert "How well models judge here" not in alice.get(f"{SETS}{orders.pk}/change/").content.decode()
    for grade, judgement in ((kind, "wrong"), (strict, "right")):
        alice.post(f"{page}judgement/{grade}/", {"judgement": judgement})
    html = alice.get(f"{SETS}{orders.pk}/change/").content.decode()
    assert "google:gemini</strong>: right in 1 of 2, with 95 % certainty in 9 to 91 of 100. Too kind in 1, too strict in 0." in html
    assert alice.post(f"{page}judgement/{strict}/", {"judgement": ""}).status_code == 302
    assert "right in 0 of 1" in alice.get(f"{SETS}{orders.pk}/change/").content.decode()
    assert alice.post(f"{page}judgement/{strict}/", {"judgement": "perhaps"}).status_code == 404
    assert alice.post(f"{page}judgement/{orders.pk}/", {"judgement": "right"}).status_code == 404
    charlie = signed_in(seeded_cast.charlie)
    assert charlie.post(f"{page.replace('acme', 'other')}judgement/{strict}/", {"judgement": "right"}).status_code == 404
    assert signed_in(seeded_cast.vera).post(f"{page}judgement/{strict}/", {"judgement": "right"}).status_code in (403, 404)
