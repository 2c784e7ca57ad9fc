"""Hints on how to save: they come from figures alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from admin_config.defaults.prices import FIRST_DAY
from admin_config.models import ModelConfig, ModelPrice
from chat.models import ModelCall, Part
from evaluations.models import Case, CaseResult, DataSet, Experiment
from tenants.context import tenant_tx
from tests.usage.call_rows import LoggedCalls
from usage.tasks import usage_sum

pytestmark = pytest.mark.django_db(databases=["default", "system"])
USAGE = "/o/acme/admin/usage/usagesum/"


def test_hints_on_how_to_save_come_from_figures_alone(acme: LoggedCalls, alice: Client) -> None:
    at = timezone.now() - timedelta(hours=1)
    run = acme.run(acme.conversation(), at)
    with tenant_tx(acme.organization_id):
        ModelPrice.objects.filter(model__model_id="gemini-2.5-flash").delete()
        model = ModelConfig.objects.get(model_id="gemini-2.5-flash")
        ModelPrice.objects.create(model=model, valid_from=FIRST_DAY, input_usd=1, cached_usd=0.1, output_usd=10, source="admin")
        for model_id, usd in (("gemini-2.5-flash-lite", 0.1), ("gemini-2.5-pro", 3)):
            other_model, _ = ModelConfig.objects.get_or_create(provider="google", model_id=model_id, defaults={"context_window": 1000})
            ModelPrice.objects.filter(model=other_model).delete()
            ModelPrice.objects.create(model=other_model, valid_from=FIRST_DAY, input_usd=usd, output_usd=usd, source="admin")
        ModelCall.objects.bulk_create(
            ModelCall(
                run=run,
                agent_key="chat_model_agent_google",
                provider="google",
                model="gemini-2.5-flash",
                prompt_hash=f"{number:064}",
                entry_count=1,
                settings={},
                usage={"input_tokens": 20_000},
                cost_usd=0.02,
                step=1,
                duration_ms=10,
            )
            for number in range(250)
        )
        Part.objects.bulk_create(
            Part(
                message_id=run.answer_id,
                position=number,
                kind="tool_result",
                content={"call_id": "1", "name": "warehouse_search", "output": "x\x00" * 6000},
            )
            for number in range(25)
        )
        for position in range(90, 98):
            Part.objects.create(
                message_id=run.answer_id, position=position, kind="notice", content={"code": "step_limit", "text": "Step limit reached."}
            )
    tried(acme, "gemini-2.5-flash-lite", passed=9)
    tried(acme, "gemini-2.5-flash", passed=8)
    tried(acme, "gemini-2.5-pro", passed=10)  # dearer
    assert "How to save" not in alice.get(USAGE).content.decode()
    usage_sum()
    text = alice.get(USAGE).content.decode()
    # 250 calls with 20,000 tokens, of which 60 % at 0.9 $ less a million
    assert "$2.70" in text
    assert "250 of its last 250 calls had a prompt of their own" in text
    assert "Shorten the results of warehouse_search" in text
    assert "Raise the step limit" in text
    # 5 million tokens at 0.9 $ less a million
    assert "Let gemini-2.5-flash-lite answer for Chat agent" in text
    assert "$4.50" in text
    assert "It passes 9 of 10 answers of the data set “Questions”; gemini-2.5-flash, which is in use, passes 8 of 10." in text
    german = alice.get(USAGE, headers={"Accept-Language": "de"}).content.decode()
    assert "Den Anfang des Prompts von Chat" in german
    assert "4,50 $" in german


def tried(logged: LoggedCalls, model: str, *, passed: int) -> None:
    """Let the chat agent's model answer the ten cases of a data set."""
    at = timezone.now() - timedelta(days=40)
    runs = [logged.run(logged.conversation(trial=True), at) for _ in range(10)]
    with tenant_tx(logged.organization_id):
        data_set, _ = DataSet.objects.get_or_create(name="Questions")
        case, _ = Case.objects.get_or_create(data_set=data_set, name="One")
        experiment = Experiment.objects.create(
            data_set=data_set, agent_key="chat_model_agent_google", agent_name="A", source="live", release=logged.release, status="done"
        )
        for number, run in enumerate(runs):
            CaseResult.objects.create(experiment=experiment, case=case, sample=number + 1, status="done", run=run, passed=number < passed)
    for run in runs:
        logged.call(at, run=run, model=model)
