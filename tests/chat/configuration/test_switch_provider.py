"""From the demo to a real provider: an admin enters a key, and the same conversation goes there (SPEC 2.2, 2.5)."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async
from django.test import override_settings

from admin_config.models import AppSettings
from doubles.script import Text, Thought
from tenants.context import tenant_tx
from tests.support.agents.gemini import gemini_double
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace, allow_egress

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def activate(acme: Workspace, provider: str) -> None:
    with tenant_tx(acme.organization.pk):
        AppSettings.objects.update(active_provider=provider)
    acme.publish()


async def test_a_conversation_goes_on_with_the_real_provider(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("From Google."))
    with gemini_double(keys=None, models=None) as demo, allow_egress(demo.base_url, acme.double.base_url):
        demo.answer(Thought("Signed by the demo."), Text("From the demo."))
        with override_settings(DEMO_PROVIDER_URL=demo.base_url):
            async with chat_socket(alice, "acme") as socket:
                await sync_to_async(activate)(acme, "demo")
                first = await socket.answer(chat_id, "Hello", thinking=True)
                await sync_to_async(activate)(acme, "google")
                second = await socket.answer(chat_id, "And now?", thinking=True)

    assert (text_of(first), text_of(second)) == ("From the demo.", "From Google.")
    assert (first[0]["messageMetadata"]["isDemo"], second[0]["messageMetadata"]["isDemo"]) == (True, False)
    request = acme.double.requests[0]
    assert request.key_is(acme.double.key)
    assert [content["parts"][0].get("text") for content in request.body["contents"]] == ["Hello", "From the demo.", "And now?"]
    assert "thoughtSignature" not in str(request.body), "what the demo signed stays there"
