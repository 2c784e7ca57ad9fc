"""What the log has is what the provider billed, to the token: its own log of the usage that it sent, compared as admins compare an export."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.utils import timezone

from chat.models import ModelCall, Run
from chat.runs.titles import title_generate
from doubles.script import Call, Fault, Text, Thought, Usage
from doubles.signals import Gate
from security.csv_cells import csv_text
from tests.chat.test_call_log import ODD, is_document, is_text
from tests.support.chat_socket import Browser, chat_socket
from tests.support.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

COLUMNS = ("day", "model", "input_tokens", "cached_tokens", "output_tokens")


async def test_the_log_equals_what_the_provider_billed(acme: Workspace, alice: Browser, chat_id: str, tmp_path: Path) -> None:
    gate = Gate()
    acme.double.answer(Thought("Let me see."), Call("document_agent", ODD), Usage(800, 40, cached_tokens=300))
    acme.double.answer(Text("# Tea\n\nA drink."), when=is_document)
    acme.double.answer(Text("I wrote it."))
    acme.double.answer(Text("All about Tea"))
    acme.double.answer(Fault.status(429, retry_after_s=0))
    acme.double.answer(Text("Cut"), Fault.cut())
    acme.double.answer(Text("It begins"), gate, Text(" and never ends."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write about tea", thinking=True)
        await title_generate(organization_id=acme.organization.pk, conversation_id=UUID(chat_id))
        await socket.answer(chat_id, "Again")
        request_id = await socket.send(chat_id, "And once more")
        await socket.chunks(request_id, until=is_text)
        await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        await acme.wait_for_row(Run, lambda run: run.status == "stopped")
    gate.release()
    calls = await acme.rows(ModelCall)
    assert {"step", "sub_agent", "title"} == {call.kind for call in calls}
    assert "stopped" in {call.error_code for call in calls}

    lines = [
        (
            timezone.now().date(),
            request.model,
            billed["promptTokenCount"],
            billed.get("cachedContentTokenCount", 0),
            billed.get("candidatesTokenCount", 0) + billed.get("thoughtsTokenCount", 0),
        )
        for request in acme.double.requests
        if (billed := request.billed)
    ]
    export = tmp_path / "export.csv"
    await sync_to_async(export.write_text)(csv_text([COLUMNS, *lines]))
    reconcile = sync_to_async(call_command, thread_sensitive=False)
    await reconcile("usage_reconcile", str(export), provider="google", organization="acme")
    await sync_to_async(export.write_text)(csv_text([COLUMNS, *lines[1:]]))
    with pytest.raises(SystemExit):
        await reconcile("usage_reconcile", str(export), provider="google", organization="acme")
