"""An endpoint that drops the tools of a request: the chat works all the same (SPEC 2.7)."""

from __future__ import annotations

import pytest

from admin_config.models import ProviderEndpoint
from doubles.script import Text
from tenants.context import tenant_tx
from tests.support.chat.chat_socket import Browser, chat_socket, text_of, types_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

CALL = (
    '<tool_call>\n{"name": "document_agent", "arguments": {"operation": "create", "title": "Plan", "instruction": "Write."}}\n</tool_call>'
)


@pytest.fixture
def without_tools(acme: Workspace) -> Workspace:
    with tenant_tx(acme.organization.pk):
        ProviderEndpoint.objects.filter(provider="google").update(tool_mode="xml")
    acme.publish()
    return acme


async def test_a_call_in_the_text_is_carried_out_and_never_shown(without_tools: Workspace, alice: Browser, chat_id: str) -> None:
    double = without_tools.double
    double.answer(Text(f"I write it down.\n{CALL}"))
    double.answer(Text("# Plan"))
    double.answer(Text("Done."))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Write a plan.")

    assert text_of(chunks) == "I write it down.Done."
    assert "tool-output-available" in types_of(chunks)
    assert "tools" not in double.requests[0].body
    assert "document_agent" in str(double.requests[0].body["systemInstruction"])
    assert "<tool_result" in str(double.requests[-1].body["contents"])
