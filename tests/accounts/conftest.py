"""Fixtures of the tests of accounts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from django.conf import settings
from django.test import Client

from doubles.oidc import OidcDouble
from tests.accounts.sso.sso import provider_of
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.support.accounts.cast import Cast

__all__ = ["seeded_cast", "signed_in"]


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    """An owner of Acme in a browser."""
    return signed_in(seeded_cast.alice)


@pytest.fixture
def provider(cast: Cast) -> Iterator[OidcDouble]:
    """Acme's sign-on."""
    with provider_of(cast.acme, "acme.example") as double:
        yield double


@pytest.fixture(autouse=True)
def _fresh_counters() -> Iterator[None]:
    """Redis outlives a test, and other tests sign in by these names too."""
    url = settings.REDIS_URL
    forget_attempts(url)
    yield
    forget_attempts(url)


def forget_attempts(url: str) -> None:
    with redis.Redis.from_url(url) as client:
        keys = [*client.keys(f"{settings.REDIS_PREFIX}:sign-in:*"), *client.keys(f"{settings.REDIS_PREFIX}:cache:*")]
        if keys:
            client.delete(*keys)
