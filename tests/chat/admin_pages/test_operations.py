"""The board of operations: an organization sees and mends its own, the operator all (SPEC 8.7)."""

from __future__ import annotations

import socket
import time
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from admin_config.models import ProviderEndpoint, ToolSource
from admin_config.services.breakers import (
    PAUSED,
    WORKING_AGAIN,
    Breaker,
    BreakerEvent,
    BreakerState,
    BreakerStatus,
    breaker_key,
    history_key,
)
from agents.tools.recent_calls import DONE, FAILED, call_note
from chat.models import Part, Run
from chat.operations.endpoints import endpoint_states
from chat.operations.sparklines import NARROWEST, WIDTH, pauses_of
from chat.templatetags.run_figures import milliseconds
from security.audit.actions import phrase
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import User
from tenants.redis.clients import key, sync_client
from tenants.redis.workers import worker_note
from tests.chat.admin_pages.activity import Activity, acme, alice, other
from tests.support.accounts.cast import Cast
from tests.support.suite.time_limits import scaled_to_load

__all__ = ["acme", "alice", "other"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

BOARD = "/o/acme/admin/chat/run/operations/"
PLATFORM = "/operator/chat/run/"
SAW = "The model is overloaded right now."


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))
    return client


def failed_run(activity: Activity) -> Run:
    run = activity.run(timezone.now() - timedelta(hours=1), status="failed", error="rate_limited")
    with tenant_tx(activity.organization_id):
        Part.objects.create(message_id=run.answer_id, position=0, kind="notice", content={"code": "x", "text": SAW})
    return run


def called_source(organization_id: UUID, name: str) -> None:
    with tenant_tx(organization_id):
        source = ToolSource.objects.create(name=name, kind="http")

    async def note() -> None:
        for outcome in (DONE, FAILED):
            await call_note(organization_id, source.pk, took_s=0.31, outcome=outcome)

    async_to_sync(note)()


def test_an_organization_sees_its_own_and_asks_the_same_number_of_statements(
    acme: Activity, other: Activity, alice: Client, cast: Cast
) -> None:
    stuck_run = acme.run(timezone.now() - timedelta(minutes=46), status="thinking")
    recent_run = failed_run(acme)
    theirs = [failed_run(other), other.run(timezone.now() - timedelta(hours=2), status="waiting_for_approval")]
    called_source(acme.organization_id, "orders")
    called_source(other.organization_id, "secret source")
    worker_note("host:1", tasks_per_minute=3)
    html = alice.get(BOARD).content.decode()
    part = alice.get(BOARD, {"part": "1"}).content.decode()  # what an open page takes over
    assert "orders" in part
    assert "<html" not in part
    assert "Last 2 calls: 1 failed, the slowest took 310 ms" in part
    for part in (
        "No process works on it",
        "Rate limited",
        SAW,
        f"run/{recent_run.pk}/",
        f"run/{stuck_run.pk}/take-over/",
        "orders",
        "50 %",
    ):
        assert part in html
    for foreign in ("secret source", *(str(run.pk) for run in theirs)):
        assert foreign not in html
    statements = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            alice.get(BOARD)
        statements.append(len([query for query in queries if query["sql"].startswith("SELECT")]))
        for _ in range(5):
            failed_run(acme)
            acme.run(timezone.now() - timedelta(hours=3), status="waiting_for_reply")
            with tenant_tx(acme.organization_id):
                endpoint = ProviderEndpoint.objects.first()
                assert endpoint
                ProviderEndpoint.objects.create(
                    provider=endpoint.provider, name=f"More {ProviderEndpoint.objects.count()}", base_url="https://x.example"
                )
    assert statements[0] == statements[1]
    assert alice.get("/o/acme/admin/chat/run/").status_code == 200
    bob = Client()
    bob.force_login(cast.bob)
    assert bob.get(BOARD).status_code == 404


def test_endpoints_with_one_name_have_figures_of_their_own(acme: Activity) -> None:
    with tenant_tx(acme.organization_id):
        first = ProviderEndpoint.objects.filter(is_enabled=True).first()
        assert first
        twin = ProviderEndpoint.objects.exclude(provider=first.provider).filter(is_enabled=True).first()
        assert twin
        ProviderEndpoint.objects.filter(pk=twin.pk).update(name=first.name)
    for first_token_ms in (400, 401):
        acme.run(timezone.now(), provider=first.provider, endpoint=first.name, first_token_ms=first_token_ms)
    with tenant_tx(acme.organization_id):
        states = {state.endpoint.pk: state for state in endpoint_states(acme.organization_id)}
    assert (states[first.pk].calls, states[twin.pk].calls) == (2, 0)
    assert milliseconds(states[first.pk].first_ms) == "400 ms"


def test_an_admin_ends_a_waiting_run_and_has_a_stuck_one_taken_over(acme: Activity, other: Activity, alice: Client, cast: Cast) -> None:
    stuck_run = acme.run(timezone.now() - timedelta(minutes=46), status="thinking")
    waiting = acme.run(timezone.now() - timedelta(hours=2), status="waiting_for_reply")
    theirs = other.run(timezone.now() - timedelta(hours=2), status="waiting_for_reply")
    for run, action in ((stuck_run, "take-over"), (waiting, "end")):
        assert alice.get(f"/o/acme/admin/chat/run/{run.pk}/{action}/").status_code == 404
        assert alice.post(f"/o/acme/admin/chat/run/{theirs.pk}/{action}/").status_code == 404
        assert alice.post(f"/o/acme/admin/chat/run/{run.pk}/{action}/").status_code == 302
    with tenant_tx(acme.organization_id):
        assert Run.objects.get(pk=waiting.pk).stop_requested_at
        events = set(AuditEvent.objects.filter(object_kind="run").values_list("action", "actor_user_id", "object_id"))
    assert events == {("run.end", cast.alice.pk, str(waiting.pk)), ("run.take_over", cast.alice.pk, str(stuck_run.pk))}


@pytest.mark.parametrize(
    ("state", "events", "hours"),
    [
        (BreakerState.CLOSED, [], []),
        (BreakerState.CLOSED, [(6, PAUSED), (3, WORKING_AGAIN)], [3]),
        (BreakerState.OPEN, [(30, PAUSED), (27, WORKING_AGAIN), (12, PAUSED)], [12]),
        (BreakerState.CLOSED, [(6, PAUSED)], [0]),  # forgotten
        (BreakerState.HALF_OPEN, [(9, PAUSED), (3, PAUSED)], [0, 3]),  # forgotten, then paused once more
    ],
)
def test_a_day_has_a_bar_for_each_pause(state: BreakerState, events: list[tuple[int, str]], hours: list[int]) -> None:
    now = timezone.now()
    history = [BreakerEvent(now - timedelta(hours=ago), kind) for ago, kind in reversed(events)]
    bars = pauses_of(Breaker(uuid4(), uuid4(), BreakerStatus(state, 0, 0), history), now).bars
    assert [bar.width for bar in bars] == [WIDTH * length / 24 or NARROWEST for length in hours]


def test_the_operator_sees_all_without_texts(acme: Activity, other: Activity, operator: Client, cast: Cast) -> None:
    for activity in (acme, other):
        failed_run(activity)
    stuck_run = other.run(timezone.now() - timedelta(minutes=46), status="thinking")
    with tenant_tx(acme.organization_id):
        endpoint = ProviderEndpoint.objects.first()
    assert endpoint
    sync_client().delete(key("breakers", "opened"))  # those of tests before
    soon = timezone.now().timestamp() * 1000 + 60_000
    sync_client().zadd(key("breakers", "opened"), {key("breaker", acme.organization_id, endpoint.pk): soon})
    history = history_key(acme.organization_id, endpoint.pk)
    sync_client().delete(history)
    for ago_s, what in ((7200, PAUSED), (3600, WORKING_AGAIN), (600, PAUSED)):
        sync_client().lpush(history, f"{timezone.now().timestamp() - ago_s:.0f} {what}")
    sync_client().hset(breaker_key(acme.organization_id, endpoint.pk), "until", f"{soon:.0f}")
    html = operator.get(PLATFORM).content.decode()
    for part in (
        "Acme",
        "Paused 2 times in 24 hours",
        endpoint.name,
        "Rate limited",
        str(stuck_run.pk)[:8],
        "Queues and workers",
        "Interactive",
    ):
        assert part in html
    assert SAW not in html
    assert operator.post(f"{PLATFORM}{stuck_run.pk}/end/").status_code == 302
    with tenant_tx(other.organization_id):
        [event] = AuditEvent.objects.filter(object_id=str(stuck_run.pk))
    assert (event.action, event.actor_user_id) == ("run.operator.end", User.objects.get(name="Rita").pk)
    assert phrase(event).endswith(" as platform operator")
    assert phrase(event).startswith("ended ")
    reset = f"{PLATFORM}endpoint/{endpoint.pk}/reset-breaker/"
    assert (operator.get(reset).status_code, operator.post(reset).status_code) == (404, 302)
    assert "Paused 2 times" not in operator.get(PLATFORM).content.decode()
    with tenant_tx(acme.organization_id):
        [event] = AuditEvent.objects.filter(object_id=str(endpoint.pk))
    assert event.action == "providerendpoint.operator.reset_breaker"
    bob = Client()
    bob.force_login(cast.bob)
    assert bob.get(PLATFORM).status_code == 404
    assert bob.post(reset).status_code == 404


def test_a_board_whose_broker_is_away_says_so_within_moments(acme: Activity, alice: Client, operator: Client, settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and never answers
        settings.REDIS_BROKER_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        started = time.monotonic()
        html = alice.get(BOARD).content.decode()
        assert time.monotonic() - started < scaled_to_load(3)
        assert "Couldn't load the queues." in html
        assert "Couldn't load the queues. Refresh" in operator.get(PLATFORM).content.decode()
