"""Guessing passwords ends soon, signing in leaves a trace (SECURITY 19)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from django.test import Client
from pytest_django import Settings
from structlog.testing import capture_logs

from config.sign_in import MAX_ATTEMPTS, WINDOW_S, account_hash, attempts_reset
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.support.cast import PASSWORD, Cast

BOB = "bob@example.org"
NOBODY = "nobody@example.org"


@pytest.fixture(autouse=True)
def _fresh_counters() -> Iterator[None]:
    """Redis outlives a test, and other tests sign in by these names too."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    for name in (BOB, NOBODY, "vera@example.org"):
        attempts_reset(account_hash(name))


def answer(name: str, password: str) -> str:
    """What the page says, empty after signing in."""
    response = Client().post("/login/", {"username": name, "password": password})
    return "" if response.status_code == 302 else response.content.decode()


def guess(name: str, times: int) -> list[str]:
    return [answer(name, "wrong") for _ in range(times)]


@pytest.mark.parametrize("name", [BOB, NOBODY])
def test_too_many_attempts_are_refused_with_the_time_to_wait(name: str, cast: Cast) -> None:
    """The same for an account that does not exist: otherwise the page would tell which ones do."""
    assert all("do not match" in page for page in guess(name, MAX_ATTEMPTS))
    for spelling in (name, name.upper(), f" {name} "):
        page = answer(spelling, PASSWORD)
        assert f"Too many attempts with this e-mail address. Try again in {WINDOW_S // 60} min." in page


def test_one_account_does_not_hold_up_another(cast: Cast) -> None:
    guess(BOB, MAX_ATTEMPTS + 1)
    assert answer("vera@example.org", PASSWORD) == ""


def test_signing_in_is_possible_again_after_the_wait(cast: Cast, settings: Settings) -> None:
    guess(BOB, MAX_ATTEMPTS + 1)
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        keys = client.keys(f"{settings.REDIS_PREFIX}:sign-in:*")
        assert all(0 < client.ttl(key) <= WINDOW_S for key in keys)
        client.delete(*keys)
    assert answer(BOB, PASSWORD) == ""


def test_a_success_starts_afresh_but_an_empty_form_does_not(cast: Cast) -> None:
    guess(BOB, MAX_ATTEMPTS - 1)
    assert answer(BOB, PASSWORD) == ""
    guess(BOB, MAX_ATTEMPTS)
    assert "Enter your e-mail address and your password." in answer(BOB, "")
    assert "Too many attempts" in answer(BOB, PASSWORD)


def test_without_redis_people_still_sign_in(cast: Cast, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    with capture_logs() as logs:
        assert answer(BOB, PASSWORD) == ""
    assert "sign_in_not_counted" in {line["event"] for line in logs}


def test_a_sign_in_is_in_the_audit_log_of_each_organization(cast: Cast) -> None:
    Membership.objects.create(user=cast.bob, organization=cast.other)
    assert answer(BOB, PASSWORD) == ""
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.id):
            event = AuditEvent.objects.get(action="user.sign_in")
            assert (event.actor_user_id, event.object_id) == (cast.bob.pk, str(cast.bob.pk))


def test_the_log_names_neither_the_person_nor_the_password(cast: Cast) -> None:
    with capture_logs() as logs:
        guess(BOB, MAX_ATTEMPTS + 1)
        attempts_reset(account_hash(BOB))
        answer(BOB, PASSWORD)
    assert {line["event"] for line in logs} >= {"sign_in_failed", "sign_in_refused", "signed_in"}
    assert "bob" not in str(logs).lower()
    assert "wrong" not in str(logs)
    assert PASSWORD not in str(logs)
