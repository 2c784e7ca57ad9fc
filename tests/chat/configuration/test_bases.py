"""What is set for all providers reaches each of them, unless a provider has its own (SPEC 4.15)."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import override_settings

from admin_config.models import AppSettings, PromptSection
from doubles.script import Text
from tenants.context import tenant_tx
from tests.support.agents.gemini import gemini_double
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace, allow_egress

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

BICYCLES = "We sell bicycles."
BOATS = "We sell boats."


@sync_to_async
def write_skills(acme: Workspace, provider: str, text: str) -> None:
    with tenant_tx(acme.organization.pk):
        PromptSection.objects.filter(agent__key=f"chat_model_agent_{provider}", name="skills").update(text=text)
    acme.publish()


@sync_to_async
def activate(acme: Workspace, provider: str) -> None:
    with tenant_tx(acme.organization.pk):
        AppSettings.objects.update(active_provider=provider)
    acme.publish()


async def test_one_sentence_reaches_every_provider_until_one_has_its_own(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Fine."))
    with gemini_double(keys=None, models=None) as demo, allow_egress(demo.base_url, acme.double.base_url):
        demo.default(Text("Fine."))
        with override_settings(DEMO_PROVIDER_URL=demo.base_url):
            await write_skills(acme, "all", BICYCLES)
            async with chat_socket(alice, "acme") as socket:
                for provider in ("google", "demo"):
                    await activate(acme, provider)
                    await socket.answer(chat_id, f"By {provider}")
                await write_skills(acme, "demo", BOATS)
                await socket.answer(chat_id, "And now?")
                await write_skills(acme, "demo", "")
                await socket.answer(chat_id, "And again?")
    assert [skills_of(request) for request in chat_requests(acme.double)] == [BICYCLES]
    assert [skills_of(request) for request in chat_requests(demo)] == [BICYCLES, BOATS, BICYCLES]


def chat_requests(double: Any) -> list[Any]:
    return [request for request in double.requests if "<identity>" in request.system_text]


def skills_of(request: Any) -> str:
    """Return the text of the section that the organization writes."""
    return str(request.system_text).split("<skills>\n", 1)[1].split("\n</skills>", 1)[0]
