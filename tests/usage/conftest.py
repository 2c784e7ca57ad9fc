"""Two organizations with their first configuration, and an admin's browser."""

from __future__ import annotations

import pytest
from django.test import Client

from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.seeding import seed_organization
from tests.usage.call_rows import LoggedCalls


@pytest.fixture
def acme(cast: Cast) -> LoggedCalls:
    with tenant_tx(cast.acme.pk):
        seed_organization(cast.acme)
    return LoggedCalls(cast, cast.acme, cast.bob)


@pytest.fixture
def other(cast: Cast) -> LoggedCalls:
    return LoggedCalls(cast, cast.other, cast.charlie)


@pytest.fixture
def alice(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.alice)
    return client
