"""The demo tries the own tools with what a new organization has, and needs neither a key nor the internet."""

from __future__ import annotations

from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from pytest_django import Settings

from admin_config.models import AgentConfig, AgentTool, ToolSource
from admin_config.services.configuration import release_publish
from doubles.demo import DemoScript, DemoServer
from files.models import KnowledgeFile
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import serve
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.seeding import seed_organization

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_newcomer_tries_the_own_tools(cast: Cast, alice: Browser, settings: Settings) -> None:
    with serve(DemoServer(DemoScript(pace=0))) as url:
        settings.DEMO_PROVIDER_URL = url
        await seed(cast)
        async with chat_socket(alice, "acme") as socket:
            plan_chunks = await socket.answer(str(uuid4()), "Work by a plan")
            page_chunks = await socket.answer(str(uuid4()), "Read the demo page")
            no_folder = await socket.answer(str(uuid4()), "Search our files for degrees")
        states = [[step["state"] for step in chunk["data"]["steps"]] for chunk in plan_chunks if chunk["type"] == "data-plan"]
        assert (len(states), states[0][0], set(states[-1])) == (4, "running", {"done"})
        assert "every step is done" in text_of(plan_chunks)
        assert "**How to brew green tea**" in text_of(page_chunks)
        assert "| Green | 80 | 2 |" in str([chunk["output"] for chunk in page_chunks if chunk["type"] == "tool-output-available"])
        assert [chunk["url"] for chunk in page_chunks if chunk["type"] == "source-url"] == [f"{url}/pages/tea"]
        assert "uploads files" in text_of(no_folder)
        await add_folder(cast)
        async with chat_socket(alice, "acme") as socket:
            search_chunks = await socket.answer(str(uuid4()), "Search our files for degrees")
        assert "**guides/tea.md** has it" in text_of(search_chunks)
        assert "> Brew at 80 degrees." in text_of(search_chunks)


@sync_to_async
def seed(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        seed_organization(cast.acme)


@sync_to_async
def add_folder(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        source = ToolSource.objects.create(name="guides", kind="files")
        AgentTool.objects.create(agent=AgentConfig.objects.get(key="chat_model_agent_demo"), source=source)
        text = "Tea\nBrew at 80 degrees."
        KnowledgeFile.objects.create(
            source=source, path="guides/tea.md", media_type="text/markdown", kind="text", size_bytes=len(text), text=text, state="ready"
        )
        release_publish(organization_id=cast.acme.pk)
