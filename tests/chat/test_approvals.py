"""A tool call that asks first: the run waits for days without a process, and goes on anywhere (SPEC 4.11, ARCHITECTURE 3)."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from admin_config.models import AppSettings
from agents.messages import ToolCall
from chat.models import Approval, Part, Run, RunTool
from chat.runs.commands import expire_approval
from chat.runs.run_inputs import run_stop
from chat.runs.supervisor import RunSupervisor
from chat.storage.leases import approvals_overdue, lease_claim
from chat.stream.hub import Hub
from doubles.script import Call, Text
from doubles.signals import Gate
from security.models import AuditEvent
from tenants.access import Actor
from tenants.db import in_db
from tests.security.canary import delete_redis_keys
from tests.support.cast import Cast
from tests.support.chat_socket import Browser, Chunk, chat_socket, text_of, types_of
from tests.support.workspace import Workspace
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def create(title: str = "Plan") -> Call:
    return Call("document_agent", {"operation": "create", "title": title, "instruction": "Write it."})


@pytest.fixture
def actor(cast: Cast) -> Actor:
    return cast.actor(cast.alice)


@pytest.fixture
def asking(acme: Workspace) -> Workspace:
    """Acme, whose document agent asks before each call."""
    acme.change_agent("document_agent_google", ask_first=True)
    return acme


async def ask(browser: Browser, chat_id: str) -> list[Chunk]:
    """Send a message and read until the run waits."""
    async with chat_socket(browser, "acme") as socket:
        return await socket.answer(chat_id, "Write a plan.")


async def decide(browser: Browser, chat_id: str, approval_id: str, **decision: Any) -> Any:
    return await browser.call("POST", f"/o/acme/api/conversations/{chat_id}/approvals/{approval_id}/", decision)


async def work_on_freed_run(acme: Workspace) -> None:
    """What a worker does with a run that goes on by itself."""
    claim = await in_db(lease_claim, (await acme.rows(Run))[-1].pk, using="system")
    assert claim is not None
    _ = RunSupervisor.current().start(claim)


async def rest(browser: Browser, chat_id: str) -> list[Chunk]:
    """The whole answer, to its next end."""
    async with chat_socket(browser, "acme") as socket:
        return await socket.chunks(await socket.resume(chat_id))


def approval_ids(chunks: list[Chunk]) -> list[str]:
    return [chunk["approvalId"] for chunk in chunks if chunk["type"] == "tool-approval-request"]


async def test_the_call_waits_and_runs_when_it_is_allowed(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    asking.double.answer(Text("# Plan\n\nFirst."))
    asking.double.answer(Text("It is written."))

    chunks = await ask(alice, chat_id)
    assert types_of(chunks)[-3:] == ["tool-approval-request", "finish-step", "finish"]
    assert chunks[-1]["messageMetadata"]["waiting"] == "approval"
    assert len(asking.double.requests) == 1, "nothing ran"
    [run] = await asking.rows(Run)
    assert (run.status, run.lease_owner, run.finished_at) == ("waiting_for_approval", "", None)
    [listed] = (await alice.get("/o/acme/api/conversations/"))["items"]
    assert (listed["activeRun"], listed["waiting"]) == (False, "approval")

    response = await decide(alice, chat_id, approval_ids(chunks)[0], approved=True)
    assert (response.status_code, response.json()["resumed"]) == (202, True)
    whole = await rest(alice, chat_id)

    assert whole[0]["messageId"] == chunks[0]["messageId"]
    assert text_of(whole) == "It is written."
    stored = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    parts = stored["messages"][1]["parts"]
    assert parts == shown_parts(whole)
    assert [(part["state"], part["approval"]["approved"]) for part in parts if part["type"] == "dynamic-tool"] == [
        ("output-available", True)
    ]
    assert (stored["waiting"], stored["messages"][1]["metadata"]["waiting"]) == (None, None)
    [approval] = await asking.rows(Approval)
    assert (approval.status, approval.tool_name, approval.step) == ("approved", "document_agent", 1)


async def test_a_refused_call_never_runs_and_the_model_hears_the_reason(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    asking.double.answer(Text("Then not."))

    chunks = await ask(alice, chat_id)
    await decide(alice, chat_id, approval_ids(chunks)[0], approved=False, reason="Not today")
    whole = await rest(alice, chat_id)

    [result] = asking.double.requests[1].body["contents"][-1]["parts"]
    assert result["functionResponse"]["response"] == {"error": "The user did not allow this call. Reason: Not today"}
    [tool] = [part for part in (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] if "toolName" in part]
    assert (tool["state"], tool["approval"]["reason"]) == ("output-denied", "Not today")
    assert "tool-output-error" not in types_of(whole)


async def test_the_wait_survives_the_restart_of_everything(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    asking.double.answer(Text("# Plan"))
    asking.double.answer(Text("Done at last."))

    chunks = await ask(alice, chat_id)
    await RunSupervisor.current().close()
    await Hub.current().close()
    await sync_to_async(delete_redis_keys)()
    await decide(alice, chat_id, approval_ids(chunks)[0], approved=True)
    assert text_of(await rest(alice, chat_id)) == "Done at last."


async def test_a_run_that_just_began_to_wait_is_shown_without_its_log(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    chunks = await ask(alice, chat_id)
    await RunSupervisor.current().close()
    await sync_to_async(delete_redis_keys)()
    replay = await rest(alice, chat_id)
    assert (approval_ids(replay), replay[-1]["finishReason"]) == (approval_ids(chunks), "tool-calls")


async def test_two_calls_of_one_step_are_decided_one_by_one(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create("One"), create("Two"))
    asking.double.answer(Text("# One"))
    asking.double.answer(Text("Only one."))

    one, two = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, one, approved=True)
    paused = await rest(alice, chat_id)
    assert paused[-1]["messageMetadata"]["waiting"] == "approval"
    assert "tool-output-available" in types_of(paused), "the allowed call has run"
    await decide(alice, chat_id, two, approved=False)
    whole = await rest(alice, chat_id)

    assert text_of(whole) == "Only one."
    assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] == shown_parts(whole)


async def test_a_decision_counts_once(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    asking.double.default(Text("Fine."))
    [approval_id] = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, approval_id, approved=False)
    again = await decide(alice, chat_id, approval_id, approved=True)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_decided")
    await rest(alice, chat_id)


async def test_only_the_owner_of_the_conversation_decides(
    asking: Workspace, alice: Browser, bob: Browser, vera: Browser, charlie: Browser, chat_id: str
) -> None:
    asking.double.answer(create())
    [approval_id] = approval_ids(await ask(alice, chat_id))
    for stranger, status in [(bob, 404), (charlie, 404), (vera, 403)]:
        assert (await decide(stranger, chat_id, approval_id, approved=True)).status_code == status
    assert (await decide(alice, chat_id, str(uuid4()), approved=True)).status_code == 404
    assert (await decide(alice, chat_id, approval_id, approved=True, arguments={})).status_code == 400
    assert [row.status for row in await asking.rows(Approval)] == ["pending"]


async def test_text_cannot_approve(asking: Workspace, alice: Browser, chat_id: str) -> None:
    """SECURITY 28; and what is written instead of a decision is heard."""
    asking.double.answer(create())
    asking.double.answer(Text("I will not."))
    await ask(alice, chat_id)
    said = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Yes, approved!"})
    assert (said.status_code, said.json()["resumed"]) == (202, True)
    whole = await rest(alice, chat_id)

    result, message = [content["parts"][0] for content in asking.double.requests[1].body["contents"][-2:]]
    assert "wrote a message instead" in result["functionResponse"]["response"]["error"]
    assert message["text"] == "Yes, approved!"
    assert [row.status for row in await asking.rows(Approval)] == ["withdrawn"]
    assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] == shown_parts(whole)


async def test_what_would_run_must_be_what_was_shown(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    [approval_id] = approval_ids(await ask(alice, chat_id))
    call = next(part for part in await asking.rows(Part) if part.kind == "tool_call")
    changed = {**call.content, "arguments": ToolCall("c", "x", {"operation": "create", "title": "Else", "instruction": "Other"}).arguments}
    await in_db(
        lambda: Part.objects.filter(pk=call.pk).update(content=changed), organization_id=asking.organization.pk
    )  # nobody can; if somebody did
    assert (await decide(alice, chat_id, approval_id, approved=True)).status_code == 409


async def test_a_wait_that_nobody_decides_expires(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    asking.double.answer(Text("Too late."))
    await in_db(lambda: AppSettings.objects.update(approval_days=2), organization_id=asking.organization.pk)
    [approval_id] = approval_ids(await ask(alice, chat_id))
    [waiting] = await asking.rows(Approval)
    assert abs(waiting.expires_at - waiting.created_at - timedelta(days=2)) < timedelta(seconds=1)
    past = timezone.now() - timedelta(seconds=1)
    await in_db(lambda: Approval.objects.update(expires_at=past), organization_id=asking.organization.pk)

    assert (await decide(alice, chat_id, approval_id, approved=True)).status_code == 409
    [(organization_id, row_id)] = await in_db(approvals_overdue, using="system")
    assert await expire_approval(organization_id=organization_id, approval_row_id=row_id)
    await work_on_freed_run(asking)
    assert text_of(await rest(alice, chat_id)) == "Too late."
    assert [row.status for row in await asking.rows(Approval)] == ["expired"]
    assert not await expire_approval(organization_id=organization_id, approval_row_id=row_id)


async def test_stop_ends_the_wait(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    await ask(alice, chat_id)
    response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
    assert response.json() == {"stopping": True}
    await asking.wait_for_row(Run, lambda run: run.status == "stopped")
    assert [row.status for row in await asking.rows(Approval)] == ["withdrawn"]
    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert parts[-1]["data"]["code"] == "stopped"


@pytest.mark.parametrize("regenerate", [False, True])
async def test_a_client_that_goes_on_without_deciding_ends_the_wait(
    asking: Workspace, alice: Browser, chat_id: str, regenerate: bool
) -> None:
    asking.double.answer(create())
    asking.double.answer(Text("Something else."))
    await ask(alice, chat_id)
    async with chat_socket(alice, "acme") as socket:
        request = await socket.regenerate(chat_id) if regenerate else await socket.send(chat_id, "Never mind. Hello?")
        assert text_of(await socket.chunks(request)) == "Something else."
    assert [run.status for run in await asking.rows(Run)] == ["done", "done"]
    assert [row.status for row in await asking.rows(Approval)] == ["withdrawn"]
    tools = await in_db(lambda: list(RunTool.objects.values_list("name", flat=True)), organization_id=asking.organization.pk)
    assert tools == ["document_agent"], "the run is found by the tool that was refused"


@pytest.fixture
def speaking(acme: Workspace) -> Workspace:
    """Acme, whose chat agent answers with the `message` tool, and whose document agent asks first."""
    acme.change_agent("document_agent_google", ask_first=True)
    acme.change_agent("chat_model_agent_google", completion="message_tool")
    return acme


async def test_a_question_waits_for_the_reply_and_goes_on_with_it(speaking: Workspace, alice: Browser, chat_id: str) -> None:
    speaking.double.answer(Call("message", {"type": "question", "text": "Which colour?"}))
    speaking.double.answer(Call("message", {"type": "result", "text": "Blue it is."}))

    chunks = await ask(alice, chat_id)
    assert chunks[-1]["messageMetadata"]["waiting"] == "reply"
    said = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Blue."})
    assert said.json()["resumed"]
    whole = await rest(alice, chat_id)

    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert parts == shown_parts(whole)
    assert [part["type"] for part in parts] == ["step-start", "dynamic-tool", "steering-message", "step-start", "dynamic-tool"]
    assert [run.status for run in await speaking.rows(Run)] == ["done"]


async def test_a_decision_that_comes_too_late_to_be_heard_does_not_keep_the_run_from_ending(
    asking: Workspace, alice: Browser, chat_id: str
) -> None:
    """Two calls ask; while the allowed one works, the other is decided and a message is written."""
    gate = Gate()
    asking.double.answer(create("One"), create("Two"))
    asking.double.answer(Text("# One "), gate)
    asking.double.answer(Text("All right."))
    one, two = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, one, approved=True)
    await gate.reached.wait_async()
    assert (await decide(alice, chat_id, two, approved=True)).json()["resumed"] is False
    await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Stop, please."})
    whole = await rest(alice, chat_id)

    assert text_of(whole) == "All right."
    assert (await asking.wait_for_row(Run, lambda run: run.finished_at)).status == "done"
    assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] == shown_parts(whole)


async def test_after_a_message_instead_nothing_is_left_to_decide(asking: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    asking.double.answer(create())
    asking.double.answer(Text("I will "), gate, Text("not."))
    [approval_id] = approval_ids(await ask(alice, chat_id))
    await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "No."})
    await gate.reached.wait_async()
    assert (await decide(alice, chat_id, approval_id, approved=True)).status_code == 409
    gate.release()
    assert text_of(await rest(alice, chat_id)) == "I will not."


async def test_a_stop_that_comes_while_the_run_goes_to_wait_is_not_forgotten(
    asking: Workspace, alice: Browser, actor: Actor, chat_id: str
) -> None:
    gate = Gate()
    asking.double.answer(gate, create())
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Write a plan.")
        await gate.reached.wait_async()
        stop = partial(run_stop, actor=actor, key=chat_id)  # stored, and nobody woken
        await in_db(stop, organization_id=asking.organization.pk)
        gate.release()
        chunks = await socket.chunks(request)
    assert chunks[-1]["finishReason"] == "interrupted"
    assert [run.status for run in await asking.rows(Run)] == ["stopped"]


async def test_what_an_earlier_call_of_the_step_asked_for_holds_after_the_decision(
    speaking: Workspace, alice: Browser, chat_id: str
) -> None:
    speaking.double.answer(create(), Call("message", {"type": "result", "text": "Here is your plan."}))
    speaking.double.answer(Text("# Plan"))
    chunks = await ask(alice, chat_id)
    await decide(alice, chat_id, approval_ids(chunks)[0], approved=True)
    whole = await rest(alice, chat_id)
    assert whole[-1]["finishReason"] != "error"
    assert len([request for request in speaking.double.requests if "document_agent" in request.tool_names]) == 1, "no step after the result"


async def test_the_decision_is_audited(asking: Workspace, alice: Browser, chat_id: str) -> None:
    asking.double.answer(create())
    asking.double.default(Text("Fine."))
    [approval_id] = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, approval_id, approved=False, reason="No\x00pe")
    await rest(alice, chat_id)
    actions = [event.action for event in await asking.rows(AuditEvent) if event.action.startswith("approval.")]
    assert actions == ["approval.denied"]


async def test_a_late_decision_does_not_lead_to_another_answer(asking: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    asking.double.answer(create())
    asking.double.answer(Text("Something "), gate, Text("else."))
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
