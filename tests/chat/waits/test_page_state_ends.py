"""How the wait for the page around the chat ends without its answer, or with a late one (SPEC 4.12)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.engine.open_calls import CLIENT_DID_NOT_ANSWER, CLIENT_OUTPUT_NOT_USED
from chat.models import Run
from chat.runs.client_outputs import CLIENT_TIMEOUT
from chat.runs.commands import expire_client_calls
from chat.runs.supervisor import RunSupervisor
from chat.storage.leases import clients_overdue, lease_claim
from doubles.script import Call, Text
from doubles.signals import Gate
from tenants.db import in_db
from tests.chat.waits.page_state_calls import CHANGES, PAGE_OUTPUT, STATE, give, rest, results_sent, stored_parts, waiting, whole_answer
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_page_that_answers_before_the_run_waits_is_heard(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """As an AI SDK client's onToolCall does it: another call of the same step still works."""
    gate = Gate()
    acme.double.answer(
        Call("document_agent", {"operation": "create", "title": "Plan", "instruction": "Write it."}), Call("update_page_state", CHANGES)
    )
    acme.double.answer(Text("# Plan"), gate)
    acme.double.answer(Text("Both are done."))
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Do both.", pageState=STATE)
        await gate.reached.wait_async()
        gate.release()
        chunks = await socket.chunks(
            request, until=lambda chunk: chunk["type"] == "tool-input-available" and chunk["toolName"] == "update_page_state"
        )
        assert (await give(alice, chat_id, chunks[-1]["toolCallId"], output=PAGE_OUTPUT)).status_code == 202
    assert text_of(await whole_answer(acme, alice, chat_id)) == "Both are done."


async def write_input(browser: Browser, chat_id: str) -> None:
    response = await browser.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Never mind."})
    assert response.json()["resumed"]


async def send_message(browser: Browser, chat_id: str) -> None:
    async with chat_socket(browser, "acme") as socket:
        assert text_of(await socket.answer(chat_id, "Never mind.")) == "All right."


async def stop_run(browser: Browser, chat_id: str) -> None:
    assert (await browser.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")).json() == {"stopping": True}


@pytest.mark.parametrize("leave", [write_input, send_message, stop_run])
async def test_going_on_without_the_page_leaves_no_call_open(
    acme: Workspace, alice: Browser, chat_id: str, leave: Callable[[Browser, str], Awaitable[None]]
) -> None:
    call_id, _ = await waiting(acme, alice, chat_id)
    acme.double.default(Text("All right."))
    await leave(alice, chat_id)
    await acme.wait_for_row(Run, lambda run: run.finished_at)
    [tool] = [part for part in await stored_parts(alice, chat_id) if "toolName" in part]
    assert (tool["state"], tool["errorText"]) == ("output-error", CLIENT_DID_NOT_ANSWER)
    assert (await give(alice, chat_id, call_id, output=PAGE_OUTPUT)).status_code == 409
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "And now?")
    assert results_sent(acme) == [{"error": CLIENT_DID_NOT_ANSWER}]


async def test_an_output_that_came_right_before_the_end_is_told(acme: Workspace, alice: Browser, chat_id: str) -> None:
    call_id, _ = await waiting(acme, alice, chat_id)
    await in_db(lambda: Run.objects.update(stop_requested_at=timezone.now()), organization_id=acme.organization.pk)
    assert (await give(alice, chat_id, call_id, output="Saved.")).status_code == 202
    run = await acme.wait_for_row(Run, lambda run: run.finished_at)
    [tool] = [part for part in await stored_parts(alice, chat_id) if "toolName" in part]
    assert (run.status, tool["state"], tool["errorText"]) == ("stopped", "output-error", CLIENT_OUTPUT_NOT_USED.format(output="Saved."))


async def test_a_page_that_never_answers_is_waited_for_no_longer(acme: Workspace, alice: Browser, chat_id: str) -> None:
    call_id, _ = await waiting(acme, alice, chat_id)
    acme.double.answer(Text("Then not."))
    assert await in_db(clients_overdue, CLIENT_TIMEOUT, using="system") == []
    past = timezone.now() - CLIENT_TIMEOUT - timedelta(seconds=1)
    await in_db(lambda: Run.objects.update(paused_at=past), organization_id=acme.organization.pk)
    [(organization_id, run_id)] = await in_db(clients_overdue, CLIENT_TIMEOUT, using="system")
    assert await expire_client_calls(organization_id=organization_id, run_id=run_id)
    assert not await expire_client_calls(organization_id=organization_id, run_id=run_id)
    claim = await in_db(lease_claim, run_id, using="system")
    assert claim is not None
    _ = RunSupervisor.current().start(claim)
    assert text_of(await rest(alice, chat_id)) == "I change it.Then not."
    assert results_sent(acme) == [{"error": CLIENT_DID_NOT_ANSWER}]
    assert (await give(alice, chat_id, call_id, output=PAGE_OUTPUT)).status_code == 409
