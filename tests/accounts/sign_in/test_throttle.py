"""Guessing ends soon wherever one proves who one is, and nobody can lock out somebody else (SECURITY 19)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
import redis
from django.conf import settings as django_settings
from django.test import Client
from pytest_django import Settings
from structlog.testing import capture_logs

from accounts.sign_in.throttle import (
    FIRST_WAIT_S,
    LONGEST_WAIT_S,
    Attempt,
    account_hash,
    attempt_record,
    attempts_forget,
    network_prefix,
)
from tests.support.accounts.cast import PASSWORD, Cast

BOB = "bob@example.org"
VERA = "vera@example.org"
NOBODY = "nobody@example.org"
STRANGER = "203.0.113.9"
HOME = "198.51.100.7"
FREE = 5


@pytest.fixture(autouse=True)
def _every_attempt_reaches_redis() -> Iterator[None]:
    """One that does not is counted here alone, and the test would see one too few."""
    with capture_logs() as logs:
        yield
    assert not [line for line in logs if line["event"] == "sign_in_counted_here"]


def answer(name: str, password: str, address: str = STRANGER, browser: Client | None = None) -> str:
    """What the page complains of, empty after signing in."""
    response = (browser or Client()).post("/login/", {"username": name, "password": password}, REMOTE_ADDR=address)
    return "" if response.status_code == 302 else alert_of(response.content.decode())


def alert_of(page: str) -> str:
    alert = re.search(r'role="alert"[^>]*>([^<]*)', page)
    return alert[1] if alert else f"No alert in: {page}"


def count(name: str, address: str = STRANGER) -> int:
    """A wrong guess, as far as it counts; returns how long it has to wait."""
    return attempt_record(Attempt(account_hash(name), network_prefix(address)))


def guess(name: str, times: int = FREE, address: str = STRANGER) -> list[str]:
    return [answer(name, "wrong", address) for _ in range(times)]


@pytest.mark.parametrize("name", [BOB, NOBODY])
def test_too_many_attempts_are_refused_with_the_time_to_wait(name: str, cast: Cast) -> None:
    """The same for an account that does not exist: otherwise the page would tell which ones do."""
    assert all("do not match" in page for page in guess(name))
    for spelling in (name, name.upper(), f" {name} "):
        assert "Too many attempts. Try again in 1 min" in answer(spelling, PASSWORD)


def test_the_wait_grows_up_to_a_longest_one(cast: Cast) -> None:
    attempt = Attempt(account_hash(BOB), network_prefix(STRANGER))
    waits = []
    for _ in range(FREE + 7):
        assert attempt_record(attempt) == 0
        waits.append(longest_wait())
        let_the_wait_pass()
    assert waits == [0] * (FREE - 1) + [30, 60, 120, 240, 480, 900, 900, 900]
    assert (FIRST_WAIT_S, LONGEST_WAIT_S) == (30, 900)


def longest_wait() -> int:
    """In seconds, of all counts."""
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        ends = [client.hget(key, "until") for key in client.keys(f"{django_settings.REDIS_PREFIX}:sign-in:*")]
        return round(max((float(end) - time.time() for end in ends if end), default=0))


def let_the_wait_pass() -> None:
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        for key in client.keys(f"{django_settings.REDIS_PREFIX}:sign-in:*"):
            client.hdel(key, "until")


def test_a_stranger_does_not_lock_out_other_networks(cast: Cast) -> None:
    guess(BOB, FREE + 10)
    assert "Too many" in answer(BOB, PASSWORD)
    assert answer(BOB, PASSWORD, HOME) == ""


def test_a_device_that_signed_in_before_stays_welcome_whoever_guesses(cast: Cast) -> None:
    laptop = Client()
    assert answer(BOB, PASSWORD, HOME, laptop) == ""
    laptop.post("/logout/")
    for number in range(35):  # from many networks, and from the laptop's own
        count(BOB, f"203.0.{number}.1" if number % 7 else HOME)
    assert "Too many" in answer(BOB, PASSWORD, "192.0.2.1")
    assert "Too many" in answer(BOB, PASSWORD, HOME)
    assert answer(BOB, PASSWORD, HOME, laptop) == ""


def test_a_device_is_known_for_its_own_accounts_only_and_has_its_own_limit(cast: Cast) -> None:
    laptop = Client()
    assert answer(VERA, PASSWORD, HOME, laptop) == ""
    laptop.post("/logout/")
    guess(BOB, FREE, HOME)
    assert "Too many" in answer(BOB, PASSWORD, HOME, laptop)
    pages = [answer(VERA, "wrong", HOME, laptop) for _ in range(11)]
    assert ["Too many" in page for page in pages] == [False] * 10 + [True]


def test_a_forged_device_is_a_stranger(cast: Cast) -> None:
    guess(BOB)
    browser = Client()
    browser.cookies["parley_device"] = "WyJ4IixbImEiXV0:1:forged"
    assert "Too many" in answer(BOB, PASSWORD, STRANGER, browser)


def test_one_network_may_not_try_many_accounts(cast: Cast) -> None:
    assert [count(f"person{number}@example.org", f"203.0.113.{number}") for number in range(40)] == [0] * 40
    assert "Too many" in answer("person40@example.org", "Summer2026!", "203.0.113.40")
    assert "Too many" in answer(BOB, PASSWORD, STRANGER)
    assert answer(BOB, PASSWORD, HOME) == ""


def test_signing_in_to_an_own_account_does_not_free_the_network_to_guess(cast: Cast) -> None:
    for number in range(40):
        if number % 10 == 0:
            assert answer(VERA, PASSWORD) == ""
        count(f"person{number}@example.org")
    assert "Too many" in answer(BOB, PASSWORD)


def test_a_success_starts_afresh(cast: Cast) -> None:
    guess(BOB, FREE - 1)
    assert answer(BOB, PASSWORD) == ""
    assert all("do not match" in page for page in guess(BOB, FREE))
    assert "Too many" in answer(BOB, PASSWORD)


def test_an_empty_password_is_no_attempt(cast: Cast) -> None:
    for _ in range(FREE + 1):
        answer(BOB, "")
    assert answer(BOB, PASSWORD) == ""


def test_a_password_asked_for_again_is_counted_with_the_others(cast: Cast) -> None:
    bob = Client(REMOTE_ADDR=STRANGER)
    bob.force_login(cast.bob)
    pages = [bob.post("/accounts/reauthenticate/", {"password": "wrong"}).content.decode() for _ in range(FREE)]
    assert all("This is not your password" in page for page in pages)
    assert "Too many" in bob.post("/accounts/reauthenticate/", {"password": PASSWORD}).content.decode()
    assert "Too many" in answer(BOB, PASSWORD)


def test_without_redis_people_still_sign_in_and_each_process_counts(cast: Cast, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    with capture_logs() as logs:
        assert answer(BOB, PASSWORD) == ""
        guess(VERA)
        assert "Too many" in answer(VERA, PASSWORD)
        attempts_forget(Attempt(account_hash(VERA), network_prefix(STRANGER)))
    assert "sign_in_counted_here" in {line["event"] for line in logs}


@pytest.mark.parametrize(("address", "network"), [
    ("203.0.113.9", "203.0.113.0/24"),
    ("2001:db8:1:2ff::1", "2001:db8:1:200::/56"),
    ("", "unknown"),
])  # fmt: skip
def test_neighbours_share_a_count(address: str, network: str) -> None:
    assert network_prefix(address) == network
