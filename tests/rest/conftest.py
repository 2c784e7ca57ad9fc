from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from chat.models import Conversation
from tenants.context import tenant_tx
from tenants.models import User
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini
from tests.support.chat.workspace import Workspace, allow_egress, make_workspace

__all__ = ["gemini"]


@pytest.fixture
def acme(cast: Cast, gemini: ServedGemini) -> Iterator[Workspace]:
    with allow_egress(gemini.base_url):
        yield make_workspace(cast.acme, gemini)


@pytest.fixture
def unlimited(settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 0, "write": 0, "chat": 0}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, body: Any = None, **headers: str) -> Any:
    return client.post(path, body or {}, content_type="application/json", headers=headers)


def make_conversation(cast: Cast, user: User, title: str = "Tea") -> UUID:
    actor = cast.actor(user)
    with tenant_tx(actor.organization_id):
        return Conversation.objects.create(owner_id=actor.membership_id, title=title, updated_at=Now()).pk
