from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from django.test import Client

from sharing.policy import POLICY_KEY
from tenants.models import Organization
from tests.rest.conftest import post, signed_in, unlimited
from tests.sharing.support import Talk, make_talk
from tests.support.accounts.cast import Cast

__all__ = ["unlimited"]

_NETWORKS = count(1)


@pytest.fixture
def public(cast: Cast) -> None:
    """Acme lets its members share with anyone."""
    Organization.objects.using("auth").filter(pk=cast.acme.pk).update(policy={POLICY_KEY: "public"})


@pytest.fixture
def talk(cast: Cast) -> Talk:
    return make_talk(cast, cast.bob)


@pytest.fixture
def bob(cast: Cast) -> Client:
    return signed_in(cast.bob)


@pytest.fixture
def nobody() -> Client:
    """Somebody without an account, from a network of their own: how often one opens pages is counted across tests."""
    return Client(REMOTE_ADDR=f"192.0.2.{next(_NETWORKS)}")


def share(client: Client, **fields: Any) -> Any:
    response = post(client, "/o/acme/api/shares/", {"audience": "public", **fields})
    assert response.status_code == 201, response.content
    return response.json()
