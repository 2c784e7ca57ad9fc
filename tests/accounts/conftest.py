from __future__ import annotations

import pytest
from django.test import Client

from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.support.cast import Cast

__all__ = ["seeded_cast", "signed_in"]


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    """An owner of Acme in a browser."""
    return signed_in(seeded_cast.alice)
