"""Whether an account exists is not told by the time that an answer takes (measured with the product's own password hash, made lighter)."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as django_settings
from django.contrib.auth.hashers import ScryptPasswordHasher
from django.test import Client
from pytest_django import Settings

from accounts.models import OutgoingMail
from tenants.models import User
from tests.accounts.conftest import forget_attempts
from tests.support.accounts.cast import PASSWORD, Cast

TRIES = 200


class LightScrypt(ScryptPasswordHasher):
    """A sixteenth of the product's work: enough to tell whether it was done."""

    work_factor = 2**10


pytestmark = pytest.mark.nightly


def password(email: str) -> None:
    Client().post("/login/", {"username": email, "password": "wrong"})


def code(email: str) -> None:
    Client().post("/accounts/code/", {"username": email})


def reset(email: str) -> None:
    Client().post("/accounts/password/reset/", {"email": email})


def sign_up(email: str) -> None:
    Client().post("/accounts/sign-up/", {"name": "Somebody", "email": email, "password1": "seven green umbrellas"})


def free_address(number: int) -> None:
    """Let nobody have the address again that an account was made for."""
    for rows in (User.objects, EmailAddress.objects):
        rows.filter(email="nobody@example.org").update(email=f"{number}@example.org")


@pytest.mark.parametrize("attempt", [password, code, reset, sign_up])
def test_both_answers_take_the_same_time(attempt: Callable[[str], None], cast: Cast, settings: Settings) -> None:
    """One known and one unknown address in turn; the difference of the medians is within the spread of either.

    The processor's time, which other programs on this machine do not lengthen.
    """
    settings.SIGN_UP = "open"
    settings.PASSWORD_HASHERS = [f"{__name__}.LightScrypt"]
    cast.bob.set_password(PASSWORD)
    cast.bob.save()
    times: dict[str, list[float]] = {"bob@example.org": [], "nobody@example.org": []}
    for number in range(TRIES + 5):
        for email, durations in times.items():
            forget_attempts(django_settings.REDIS_URL)
            OutgoingMail.objects.all().delete()
            free_address(number)
            began = time.process_time()
            attempt(email)
            if number >= 5:  # the first ones load code
                durations.append(time.process_time() - began)
    known_durations, unknown_durations = times.values()
    difference_ms = (statistics.median(known_durations) - statistics.median(unknown_durations)) * 1000
    spread_ms = min(
        (statistics.quantiles(durations, n=4)[2] - statistics.quantiles(durations, n=4)[0]) * 1000
        for durations in (known_durations, unknown_durations)
    )
    print(
        f"{attempt.__name__}: known {statistics.median(known_durations) * 1000:.1f} ms, difference {difference_ms:+.2f} ms, spread {spread_ms:.2f} ms"
    )
    assert abs(difference_ms) < spread_ms
