"""Admins see which of their endpoints rest, and let one be called again; nobody else's."""

from __future__ import annotations

import time

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from pytest_django import Settings

from admin_config.models import ProviderEndpoint
from admin_config.services.breakers import FAILED, SUCCEEDED, BreakerState, BreakerStatus, breaker_statuses
from agents.providers.circuit_breaker import DEFAULT_POLICY, CircuitBreaker
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tenants.redis.clients import close_redis
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast

LIST = f"{ACME}admin_config/providerendpoint/"


def google(organization: Organization) -> ProviderEndpoint:
    with tenant_tx(organization.id):
        return ProviderEndpoint.objects.get(provider="google")


def play(organization: Organization, outcomes: str, *, ago_s: float = 0) -> None:
    """Calls of the organization's Google endpoint that ended like this, so many seconds ago."""
    endpoint = google(organization)
    now_ms = round((time.time() - ago_s) * 1000)
    breaker = CircuitBreaker(organization.id, endpoint.id, endpoint.name, now_ms=lambda: now_ms)
    async_to_sync(_report)(breaker, outcomes)


async def _report(breaker: CircuitBreaker, outcomes: str) -> None:
    for outcome in outcomes:
        await breaker.report("", outcome)
    await close_redis()


def view(organization: Organization) -> BreakerStatus:
    endpoint = google(organization)
    return breaker_statuses(organization_id=organization.id, endpoint_ids=[endpoint.id])[endpoint.id]


def address(organization: Organization, page: str) -> str:
    return f"{LIST}{google(organization).id}/{page}/"


@pytest.mark.parametrize(
    ("outcomes", "ago_s", "label"),
    [
        ("", 0, "Healthy"),
        (SUCCEEDED * 3 + FAILED, 0, "Healthy (1 of 4 calls failed)"),
        (SUCCEEDED + FAILED * 4, 0, "Paused after failures, next try in "),
        (FAILED * 5, DEFAULT_POLICY.rest_s, "On trial after failures (5 of 5 calls failed)"),
    ],
)
def test_the_list_shows_each_breaker(alice: Client, seeded_cast: Cast, outcomes: str, ago_s: float, label: str) -> None:
    play(seeded_cast.acme, outcomes, ago_s=ago_s)
    page = alice.get(LIST).content.decode()
    assert label in page
    if outcomes:
        assert label in alice.get(address(seeded_cast.acme, "change")).content.decode()


def test_a_reset_closes_it_and_is_in_the_audit_log(alice: Client, seeded_cast: Cast) -> None:
    play(seeded_cast.acme, FAILED * 5)
    response = alice.post(address(seeded_cast.acme, "reset-breaker"))
    assert response.headers["Location"] == address(seeded_cast.acme, "change")
    assert view(seeded_cast.acme) == BreakerStatus(BreakerState.CLOSED, 0, 0)
    with tenant_tx(seeded_cast.acme.id):
        event = AuditEvent.objects.get(action="providerendpoint.reset_breaker")
    assert (event.actor_user_id, event.object_id) == (seeded_cast.alice.pk, str(google(seeded_cast.acme).id))


def test_an_endpoint_without_failures_has_nothing_to_reset(alice: Client, seeded_cast: Cast) -> None:
    play(seeded_cast.acme, SUCCEEDED)
    assert "Use it again now" not in alice.get(address(seeded_cast.acme, "change")).content.decode()


def test_a_get_resets_nothing(alice: Client, seeded_cast: Cast) -> None:
    play(seeded_cast.acme, FAILED * 5)
    assert alice.get(address(seeded_cast.acme, "reset-breaker")).status_code == 404
    assert view(seeded_cast.acme).state is BreakerState.OPEN


def test_only_the_organizations_administrators_reset_its_breakers(seeded_cast: Cast, signed_in: SignedIn) -> None:
    play(seeded_cast.acme, FAILED * 5)
    for person in (seeded_cast.bob, seeded_cast.vera, seeded_cast.charlie):
        assert signed_in(person).post(address(seeded_cast.acme, "reset-breaker")).status_code == 404
    own_site = address(seeded_cast.acme, "reset-breaker").replace("/o/acme/", "/o/other/")
    assert signed_in(seeded_cast.charlie).post(own_site).status_code == 404
    assert view(seeded_cast.acme).state is BreakerState.OPEN


def test_another_organizations_failures_are_not_shown(alice: Client, seeded_cast: Cast) -> None:
    play(seeded_cast.other, FAILED * 5)
    assert "calls failed" not in alice.get(LIST).content.decode()


def test_without_redis_the_pages_work_and_say_so(alice: Client, seeded_cast: Cast, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    assert "unknown" in alice.get(LIST).content.decode()
    assert alice.get(address(seeded_cast.acme, "change")).status_code == 200
    answer = alice.post(address(seeded_cast.acme, "reset-breaker"), follow=True)
    assert "can&#x27;t be reached" in answer.content.decode()
    with tenant_tx(seeded_cast.acme.id):
        assert not AuditEvent.objects.filter(action="providerendpoint.reset_breaker").exists()
