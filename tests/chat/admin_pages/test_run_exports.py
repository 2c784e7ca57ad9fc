"""Exports of the list of runs: the same runs as on the page, with figures and without texts."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.http.response import HttpResponseBase
from django.test import Client
from django.utils import timezone

from chat.explorer import exports
from chat.explorer.exports import FIELDS
from chat.models import Conversation, MessageFeedback, Run
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.chat.admin_pages.activity import Activity, acme, alice, other
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

__all__ = ["acme", "alice", "other"]

pytestmark = pytest.mark.django_db(databases=["default", "system"])

EXPORT = "/o/acme/admin/chat/run/export/"


def content(response: Any) -> str:
    async def read() -> str:
        return b"".join([piece async for piece in response.streaming_content]).decode()

    return async_to_sync(read)()


def export_lines(client: Client, **values: str) -> list[dict[str, Any]]:
    response = client.post(EXPORT, {"format": "jsonl", **values})
    assert response.status_code == 200
    return [json.loads(line) for line in content(response).splitlines()]


@pytest.fixture
def run(acme: Activity, cast: Cast) -> Run:
    run = acme.run(timezone.now() + timedelta(seconds=30), owner=cast.actor(cast.bob).membership_id)
    with tenant_tx(acme.organization_id):
        Run.objects.filter(pk=run.pk).update(
            usage={"input_tokens": 100, "output_tokens": 20}, cost_usd=0.25, display={"modelName": "=Gemini", "release": 7}, step=2
        )
        Conversation.objects.filter(pk=run.conversation_id).update(title="The merger with Kestrel", admins_may_read_until=timezone.now())
        MessageFeedback.objects.create(message_id=run.answer_id, rating="down", comment="Kestrel is secret.")
    return run


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_line_has_the_figures_of_a_run_and_no_texts(cast: Cast, alice: Client, run: Run, form: str) -> None:
    response = alice.post(EXPORT, {"format": form, "member": "bob"})
    assert response.headers["Content-Disposition"] == f'attachment; filename="runs-{timezone.now():%Y-%m-%d}.{form}"'
    text = content(response)
    [line] = csv.DictReader(io.StringIO(text)) if form == "csv" else [json.loads(text)]
    assert tuple(line) == FIELDS
    expected = {
        "id": str(run.pk),
        "state": "done",
        "member_name": "Bob",
        "release": 7,
        "steps": 2,
        "input_tokens": 100,
        "tokens": 120,
        "cost_usd": 0.25,
        "first_token_ms": 400,
        "rating": "down",
        "is_trial": False,
    }
    assert {name: str(line[name]) for name in expected} == {name: str(value) for name, value in expected.items()}
    assert line["model"] == ("'=Gemini" if form == "csv" else "=Gemini"), "no cell is a formula"
    assert "Kestrel" not in text
    [event] = events(cast.acme, "run.export")
    assert event.detail == {"format": form, "filters": "member=bob"}


def test_it_has_the_runs_of_the_filters_newest_first_in_batches(acme: Activity, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "BATCH", 2)
    runs = [acme.run(timezone.now(), status="failed", error="timeout", cost_usd=None) for _ in range(5)]
    acme.run(timezone.now())
    lines = export_lines(alice, state="failed")
    assert [line["id"] for line in lines] == [str(run.pk) for run in sorted(runs, key=lambda run: run.created_at, reverse=True)]
    assert {line["error"] for line in lines} == {"timeout"}
    assert export_lines(alice, state="waiting") == []
    assert content(alice.post(EXPORT, {"format": "csv", "state": "waiting"})).splitlines() == [",".join(FIELDS)]


def test_too_many_runs_are_refused_with_what_to_do(acme: Activity, cast: Cast, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "MAX_RUNS", 2)
    for state in ("done", "done", "failed"):
        acme.run(timezone.now(), status=state)
    page = alice.post(EXPORT, {"format": "csv", "period": "30"}, follow=True)
    assert "A file can have 2 runs, and these are more. Choose a shorter time or add a filter" in page.content.decode()
    assert page.context["filters"].period == "30", "the filters are kept"
    assert events(cast.acme, "run.export") == []
    assert len(export_lines(alice, state="done")) == 2


def test_no_other_organization_and_no_auditor_exports(acme: Activity, other: Activity, cast: Cast, alice: Client) -> None:
    acme.run(timezone.now())
    theirs = other.run(timezone.now())
    assert str(theirs.pk) not in {line["id"] for line in export_lines(alice, period="all")}
    assert export_lines(alice, q=str(theirs.pk)) == []

    def status(user: Any, path: str = EXPORT, form: str = "csv") -> int:
        client = Client()
        client.force_login(user)
        response: HttpResponseBase = client.post(path, {"format": form})
        return response.status_code

    assert status(cast.charlie) == status(cast.bob) == 404
    assert status(cast.charlie, EXPORT.replace("acme", "other")) == 200
    assert status(cast.alice, form="xlsx") == alice.get(EXPORT).status_code == 404
    Membership.objects.filter(user=cast.vera, organization=cast.acme).update(role=Membership.Role.AUDITOR)
    assert status(cast.vera) == 404


def test_a_search_in_texts_is_noted_before_the_export(acme: Activity, cast: Cast, alice: Client) -> None:
    acme.run(timezone.now())
    assert export_lines(alice, text="kestrel") == []
    [event] = events(cast.acme, "run.search")
    assert event.detail == {"text": "kestrel"}
