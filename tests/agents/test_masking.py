"""A registered secret never reaches a provider, though the user typed it, and goes back to its own tool and host only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from agents.engine.ports import LanguageModel
from agents.messages import AssistantText, ModelResponse, ToolCall, ToolResult, UserMessage
from agents.runtime.masking import placeholders_load, restore
from agents.runtime.placeholders import Placeholders
from doubles.script import Text
from security.models import RegisteredSecret
from security.secrets.registered_secrets import registered_secret_save
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.agents.providers.harness import MODEL, collect, google_model, request
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini
from tests.support.agents.model_calls import routed

__all__ = ["gemini"]

VALUE = "token/0123456789+wxyz"
URL = "https://api.example/v1/things"


@pytest.fixture
def cast_with_secret(cast: Cast) -> Cast:
    """Bob's own secret for the tool http."""
    with tenant_tx(cast.acme.id):
        row = RegisteredSecret(name="api", tool="http", membership=cast.bob.memberships.get())
        registered_secret_save(registered=row, value=VALUE, url=URL)
    return cast


async def load(cast: Cast, person: str) -> Placeholders:
    membership = await Membership.objects.aget(user=getattr(cast, person))
    return await placeholders_load(organization_id=membership.organization_id, membership_id=membership.id)


@asynccontextmanager
async def masked_model(double: ServedGemini, placeholders: Placeholders) -> AsyncIterator[LanguageModel]:
    async with google_model(double) as model:
        yield routed(model, secrets=placeholders)


async def test_the_provider_never_gets_a_value_that_the_user_typed(cast_with_secret: Cast, gemini: ServedGemini) -> None:
    gemini.answer(Text("I will use {{secret:my.api}}."))
    history = (
        UserMessage(f"Call my API with {VALUE}."),
        ToolCall("c1", "look_up", {"headers": [{"Authorization": f"Bearer {VALUE}"}]}),
        ToolResult("c1", "look_up", {"echo": f'{{"token": "{VALUE}"}}'}),
        UserMessage("And again?"),
    )
    async with masked_model(gemini, await load(cast_with_secret, "bob")) as model:
        response = (await collect(model, request(*history, model=MODEL)))[-1]
    body = str(gemini.requests[-1].body)
    assert VALUE not in body
    assert body.count("{{secret:my.api}}") == 3
    assert isinstance(response, ModelResponse)
    assert response.entries == (AssistantText("I will use {{secret:my.api}}."),)


@pytest.mark.parametrize("person", ["alice", "charlie"])
async def test_a_members_own_secret_is_nobody_elses(cast_with_secret: Cast, gemini: ServedGemini, person: str) -> None:
    placeholders = await load(cast_with_secret, person)
    assert not placeholders


async def test_another_organization_with_the_same_membership_id_opens_nothing(cast_with_secret: Cast) -> None:
    membership = await Membership.objects.aget(user=cast_with_secret.bob)
    assert not await placeholders_load(organization_id=cast_with_secret.other.id, membership_id=membership.id)


async def test_the_connector_puts_it_back_for_its_own_host_only(cast_with_secret: Cast) -> None:
    placeholders = await load(cast_with_secret, "bob")
    header = {"Authorization": "Bearer {{secret:my.api}}"}
    assert restore(header, placeholders, tool="http", url="https://API.example:443/other") == {"Authorization": f"Bearer {VALUE}"}
    for url in ["https://evil.example/", "https://api.example.evil.example/", "http://api.example/", "https://u@api.example/", "nonsense"]:
        assert restore(header, placeholders, tool="http", url=url) == header
    assert restore(header, placeholders, tool="mail", url=URL) == header


async def test_without_a_member_only_the_organizations_secrets_are_loaded(cast_with_secret: Cast) -> None:
    organization_id: UUID = cast_with_secret.acme.id
    assert not await placeholders_load(organization_id=organization_id, membership_id=None)
