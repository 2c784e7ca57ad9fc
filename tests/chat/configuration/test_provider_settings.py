"""What an admin enters for a provider on the agent's page goes with the next run's requests, and with nobody else's."""

from __future__ import annotations

from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from admin_config.models import AgentConfig, AgentPlugin
from chat.runs.title_generation import title_generate
from doubles.script import Text
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, save
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@sync_to_async
def enter(cast: Cast, **fields: str | list[str]) -> None:
    with tenant_tx(cast.acme.pk):
        agent = AgentConfig.objects.get(key="chat_model_agent_google")
    client = Client()
    client.force_login(cast.alice)
    response = save(client, f"{ACME}admin_config/agentconfig/{agent.pk}/change/", **fields)
    assert response.status_code == 302, response.context["adminform"].form.errors


async def test_what_is_entered_is_sent(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Fine."))
    more = '{"generationConfig": {"candidateCount": 1}}'
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
        functions = "\n".join(acme.double.requests[0].tool_names)
        await enter(cast, harassment="BLOCK_ONLY_HIGH", provider_options=more, hidden_tools=functions, builtin_tools=["web_search"])
        await socket.answer(chat_id, "Hi again")
    before, after = (request.body for request in acme.double.requests if "<identity>" in request.system_text)
    assert "safetySettings" not in before
    assert after["safetySettings"] == [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}]
    assert after["generationConfig"] == {**before["generationConfig"], "candidateCount": 1}
    assert ([list(tool) for tool in before["tools"]], [list(tool) for tool in after["tools"]]) == (
        [["functionDeclarations"]],
        [["googleSearch"]],
    )


async def test_what_is_entered_holds_for_titles_and_suggestions_too(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """All but how the agent thinks: these calls never do."""
    await sync_to_async(suggest_safely)(acme)
    acme.double.default(Text('["And coffee?"]'))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "What is tea?")
    await title_generate(organization_id=acme.organization.pk, conversation_id=UUID(chat_id))
    bodies = [request.body for request in acme.double.requests]
    assert len(bodies) == 3
    for body in bodies:
        assert body["safetySettings"] == [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}]
        assert body["generationConfig"]["candidateCount"] == 1
    assert all(body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0} for body in bodies[1:])


def suggest_safely(acme: Workspace) -> None:
    with tenant_tx(acme.organization.pk):
        AgentPlugin.objects.filter(agent__key="chat_model_agent_google", name="suggestions").update(is_enabled=True)
    settings = {"harassment": "BLOCK_ONLY_HIGH", "thinking_level": "low"}
    acme.change_agent("chat_model_agent_google", provider_settings=settings, provider_options={"generationConfig": {"candidateCount": 1}})
