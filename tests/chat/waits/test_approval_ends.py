"""How the wait for a decision ends without one, or with one that comes too late (SPEC 4.11)."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from admin_config.models import AppSettings
from chat.models import Approval, Run, RunTool
from chat.runs.commands import expire_approval
from chat.runs.run_inputs import run_stop
from chat.storage.leases import approvals_overdue
from doubles.script import Text
from doubles.signals import Gate
from tenants.access import Actor
from tenants.db import in_db
from tests.chat.waits.approval_calls import acme_that_asks, actor, approval_ids, ask, create, decide, rest, work_on_freed_run
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace
from tests.system.shown_message import shown_parts

__all__ = ["acme_that_asks", "actor"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_wait_that_nobody_decides_expires(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("Too late."))
    await in_db(lambda: AppSettings.objects.update(approval_days=2), organization_id=acme_that_asks.organization.pk)
    [approval_id] = approval_ids(await ask(alice, chat_id))
    [waiting] = await acme_that_asks.rows(Approval)
    assert abs(waiting.expires_at - waiting.created_at - timedelta(days=2)) < timedelta(seconds=1)
    past = timezone.now() - timedelta(seconds=1)
    await in_db(lambda: Approval.objects.update(expires_at=past), organization_id=acme_that_asks.organization.pk)

    assert (await decide(alice, chat_id, approval_id, approved=True)).status_code == 409
    [(organization_id, row_id)] = await in_db(approvals_overdue, using="system")
    assert await expire_approval(organization_id=organization_id, approval_row_id=row_id)
    await work_on_freed_run(acme_that_asks)
    assert text_of(await rest(alice, chat_id)) == "Too late."
    assert [row.status for row in await acme_that_asks.rows(Approval)] == ["expired"]
    assert not await expire_approval(organization_id=organization_id, approval_row_id=row_id)


async def test_stop_ends_the_wait(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    await ask(alice, chat_id)
    response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
    assert response.json() == {"stopping": True}
    await acme_that_asks.wait_for_row(Run, lambda run: run.status == "stopped")
    assert [row.status for row in await acme_that_asks.rows(Approval)] == ["withdrawn"]
    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert parts[-1]["data"]["code"] == "stopped"


@pytest.mark.parametrize("regenerate", [False, True])
async def test_a_client_that_goes_on_without_deciding_ends_the_wait(
    acme_that_asks: Workspace, alice: Browser, chat_id: str, regenerate: bool
) -> None:
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("Something else."))
    await ask(alice, chat_id)
    async with chat_socket(alice, "acme") as socket:
        request = await socket.regenerate(chat_id) if regenerate else await socket.send(chat_id, "Never mind. Hello?")
        assert text_of(await socket.chunks(request)) == "Something else."
    assert [run.status for run in await acme_that_asks.rows(Run)] == ["done", "done"]
    assert [row.status for row in await acme_that_asks.rows(Approval)] == ["withdrawn"]
    tools = await in_db(lambda: list(RunTool.objects.values_list("name", flat=True)), organization_id=acme_that_asks.organization.pk)
    assert tools == ["document_agent"], "the run is found by the tool that was refused"


async def test_a_decision_that_comes_too_late_to_be_heard_does_not_keep_the_run_from_ending(
    acme_that_asks: Workspace, alice: Browser, chat_id: str
) -> None:
    """Two calls ask; while the allowed one works, the other is decided and a message is written."""
    gate = Gate()
    acme_that_asks.double.answer(create("One"), create("Two"))
    acme_that_asks.double.answer(Text("# One "), gate)
    acme_that_asks.double.answer(Text("All right."))
    one, two = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, one, approved=True)
    await gate.reached.wait_async()
    assert (await decide(alice, chat_id, two, approved=True)).json()["resumed"] is False
    await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Stop, please."})
    whole = await rest(alice, chat_id)

    assert text_of(whole) == "All right."
    assert (await acme_that_asks.wait_for_row(Run, lambda run: run.finished_at)).status == "done"
    assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] == shown_parts(whole)


async def test_after_a_message_instead_nothing_is_left_to_decide(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("I will "), gate, Text("not."))
    [approval_id] = approval_ids(await ask(alice, chat_id))
    await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "No."})
    await gate.reached.wait_async()
    assert (await decide(alice, chat_id, approval_id, approved=True)).status_code == 409
    gate.release()
    assert text_of(await rest(alice, chat_id)) == "I will not."


async def test_a_stop_that_comes_while_the_run_goes_to_wait_is_not_forgotten(
    acme_that_asks: Workspace, alice: Browser, actor: Actor, chat_id: str
) -> None:
    gate = Gate()
    acme_that_asks.double.answer(gate, create())
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Write a plan.")
        await gate.reached.wait_async()
        stop = partial(run_stop, actor=actor, key=chat_id)  # stored, and nobody woken
        await in_db(stop, organization_id=acme_that_asks.organization.pk)
        gate.release()
        chunks = await socket.chunks(request)
    assert chunks[-1]["finishReason"] == "interrupted"
    assert [run.status for run in await acme_that_asks.rows(Run)] == ["stopped"]


async def test_a_late_decision_does_not_lead_to_another_answer(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("Something "), gate, Text("else."))
    [approval_id] = approval_ids(await ask(alice, chat_id))
    part = {"type": "dynamic-tool", "state": "approval-responded", "approval": {"id": approval_id, "approved": True}}
    body = {"id": chat_id, "trigger": "submit-message", "messages": [{"id": uuid4().hex, "role": "assistant", "parts": [part]}]}
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Never mind. Hello?")
        await gate.reached.wait_async()
        late = await alice.call("POST", "/o/acme/api/chat", body)
        gate.release()
        assert text_of(await socket.chunks(request)) == "Something else."
    assert (late.status_code, late.json()["error"]["code"]) == (409, "already_decided")
