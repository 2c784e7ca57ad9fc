"""What the log has is what the provider billed, to the token: its own log of the usage that it sent, compared as admins compare an export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
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
from tests.agents.providers.modes import ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, ProviderMode
from tests.chat.test_call_log import ODD, is_document, is_text
from tests.support.cast import Cast
from tests.support.chat_socket import Browser, chat_socket
from tests.support.workspace import Workspace, allow_egress, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

COLUMNS = ("day", "model", "input_tokens", "cached_tokens", "output_tokens")


Sums = tuple[int, int, int]  # input, of it cached, output with thinking


def of_google(billed: Mapping[str, Any]) -> Sums:
    return (
        billed["promptTokenCount"],
        billed.get("cachedContentTokenCount", 0),
        billed.get("candidatesTokenCount", 0) + billed.get("thoughtsTokenCount", 0),
    )


def of_openai(billed: Mapping[str, Any]) -> Sums:
    return billed["input_tokens"], billed["input_tokens_details"]["cached_tokens"], billed["output_tokens"]


def of_chat_completions(billed: Mapping[str, Any]) -> Sums:
    return billed["prompt_tokens"], billed["prompt_tokens_details"]["cached_tokens"], billed["completion_tokens"]


def of_anthropic(billed: Mapping[str, Any]) -> Sums:
    cached = billed["cache_read_input_tokens"]
    return billed["input_tokens"] + billed["cache_creation_input_tokens"] + cached, cached, billed["output_tokens"]


WIRES = [(GOOGLE, of_google), (OPENAI, of_openai), (COMPATIBLE, of_chat_completions), (ANTHROPIC, of_anthropic)]


@pytest.mark.parametrize(("mode", "sums_of"), WIRES, ids=[mode.name for mode, _ in WIRES])
async def test_the_log_equals_what_the_provider_billed(
    mode: ProviderMode, sums_of: Callable[[Mapping[str, Any]], Sums], cast: Cast, alice: Browser, chat_id: str, tmp_path: Path
) -> None:
    with mode.serve() as double, allow_egress(double.base_url):
        own_model = mode.model if mode is COMPATIBLE else ""
        acme = await sync_to_async(make_workspace)(cast.acme, double, mode.name, own_model=own_model)
        await play(acme, alice, chat_id, is_google=mode is GOOGLE)
        calls = await acme.rows(ModelCall)
        assert {"step", "sub_agent", "title"} == {call.kind for call in calls}
        day = timezone.now().date()
        lines = [(day, request.model, *sums_of(request.billed)) for request in double.requests if request.billed]
    assert len(lines) >= 5
    export = tmp_path / "export.csv"
    await sync_to_async(export.write_text)(csv_text([COLUMNS, *lines]))
    reconcile = sync_to_async(call_command, thread_sensitive=False)
    await reconcile("usage_reconcile", str(export), provider=mode.name, organization="acme")
    await sync_to_async(export.write_text)(csv_text([COLUMNS, *lines[1:]]))
    with pytest.raises(SystemExit):
        await reconcile("usage_reconcile", str(export), provider=mode.name, organization="acme")


async def play(acme: Workspace, alice: Browser, chat_id: str, *, is_google: bool) -> None:
    """A turn with a sub-agent, a title, a repeated request; with Gemini, which tells usage all along, also a cut and a stopped answer."""
    gate = Gate()
    acme.double.answer(Thought("Let me see."), Call("document_agent", ODD), Usage(800, 40, cached_tokens=300))
    acme.double.answer(Text("# Tea\n\nA drink."), when=is_document)
    acme.double.answer(Text("I wrote it."))
    acme.double.answer(Text("All about Tea"))
    acme.double.answer(Fault.status(429, retry_after_s=0))
    if is_google:
        acme.double.answer(Text("Cut"), Fault.cut())
        acme.double.answer(Text("It begins"), gate, Text(" and never ends."))
    else:
        acme.double.answer(Text("Again."), Usage(900, 30, cached_tokens=100))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write about tea", thinking=True)
        await title_generate(organization_id=acme.organization.pk, conversation_id=UUID(chat_id))
        await socket.answer(chat_id, "Again")
        if is_google:
            request_id = await socket.send(chat_id, "And once more")
            await socket.chunks(request_id, until=is_text)
            await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
            await acme.wait_for_row(Run, lambda run: run.status == "stopped")
    gate.release()
