"""A tool call that asks first: the run waits for days without a process, and goes on anywhere (SPEC 4.11, ARCHITECTURE 3)."""

from __future__ import annotations

from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from agents.messages import ToolCall
from chat.models import Approval, Part, Run
from chat.runs.supervisor import RunSupervisor
from chat.stream.hub import Hub
from doubles.script import Call, Text
from security.models import AuditEvent
from tenants.db import in_db
from tests.chat.waits.approval_calls import acme_that_asks, actor, approval_ids, ask, create, decide, rest
from tests.security.secrets.canary import delete_redis_keys
from tests.support.chat.chat_socket import Browser, text_of, types_of
from tests.support.chat.workspace import Workspace
from tests.system.shown_message import shown_parts

__all__ = ["acme_that_asks", "actor"]


pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_the_call_waits_and_runs_when_it_is_allowed(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("# Plan\n\nFirst."))
    acme_that_asks.double.answer(Text("It is written."))

    chunks = await ask(alice, chat_id)
    assert types_of(chunks)[-3:] == ["tool-approval-request", "finish-step", "finish"]
    assert chunks[-1]["messageMetadata"]["waiting"] == "approval"
    assert len(acme_that_asks.double.requests) == 1, "nothing ran"
    [run] = await acme_that_asks.rows(Run)
    assert (run.status, run.lease_owner, run.finished_at) == ("waiting_for_approval", "", None)
    [list_entry] = (await alice.get("/o/acme/api/conversations/"))["items"]
    assert (list_entry["activeRun"], list_entry["waiting"]) == (False, "approval")

    response = await decide(alice, chat_id, approval_ids(chunks)[0], approved=True)
    assert (response.status_code, response.json()["resumed"]) == (202, True)
    whole = await rest(alice, chat_id)

    assert whole[0]["messageId"] == chunks[0]["messageId"]
    assert text_of(whole) == "It is written."
    conversation = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    parts = conversation["messages"][1]["parts"]
    assert parts == shown_parts(whole)
    assert [(part["state"], part["approval"]["approved"]) for part in parts if part["type"] == "dynamic-tool"] == [
        ("output-available", True)
    ]
    assert (conversation["waiting"], conversation["messages"][1]["metadata"]["waiting"]) == (None, None)
    [approval] = await acme_that_asks.rows(Approval)
    assert (approval.status, approval.tool_name, approval.step) == ("approved", "document_agent", 1)


async def test_a_refused_call_never_runs_and_the_model_hears_the_reason(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("Then not."))

    chunks = await ask(alice, chat_id)
    await decide(alice, chat_id, approval_ids(chunks)[0], approved=False, reason="Not today")
    whole = await rest(alice, chat_id)

    [result] = acme_that_asks.double.requests[1].body["contents"][-1]["parts"]
    assert result["functionResponse"]["response"] == {"error": "The user did not allow this call. Reason: Not today"}
    [tool] = [part for part in (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] if "toolName" in part]
    assert (tool["state"], tool["approval"]["reason"]) == ("output-denied", "Not today")
    assert "tool-output-error" not in types_of(whole)


async def test_the_wait_survives_the_restart_of_everything(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("# Plan"))
    acme_that_asks.double.answer(Text("Done at last."))

    chunks = await ask(alice, chat_id)
    await RunSupervisor.current().close()
    await Hub.current().close()
    await sync_to_async(delete_redis_keys)()
    await decide(alice, chat_id, approval_ids(chunks)[0], approved=True)
    assert text_of(await rest(alice, chat_id)) == "Done at last."


async def test_a_run_that_just_began_to_wait_is_shown_without_its_log(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    chunks = await ask(alice, chat_id)
    await RunSupervisor.current().close()
    await sync_to_async(delete_redis_keys)()
    replay = await rest(alice, chat_id)
    assert (approval_ids(replay), replay[-1]["finishReason"]) == (approval_ids(chunks), "tool-calls")


async def test_two_calls_of_one_step_are_decided_one_by_one(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create("One"), create("Two"))
    acme_that_asks.double.answer(Text("# One"))
    acme_that_asks.double.answer(Text("Only one."))

    one, two = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, one, approved=True)
    chunks_until_pause = await rest(alice, chat_id)
    assert chunks_until_pause[-1]["messageMetadata"]["waiting"] == "approval"
    assert "tool-output-available" in types_of(chunks_until_pause), "the allowed call has run"
    await decide(alice, chat_id, two, approved=False)
    whole = await rest(alice, chat_id)

    assert text_of(whole) == "Only one."
    assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] == shown_parts(whole)


async def test_a_decision_counts_once(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    acme_that_asks.double.default(Text("Fine."))
    [approval_id] = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, approval_id, approved=False)
    again = await decide(alice, chat_id, approval_id, approved=True)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_decided")
    await rest(alice, chat_id)


async def test_only_the_owner_of_the_conversation_decides(
    acme_that_asks: Workspace, alice: Browser, bob: Browser, vera: Browser, charlie: Browser, chat_id: str
) -> None:
    acme_that_asks.double.answer(create())
    [approval_id] = approval_ids(await ask(alice, chat_id))
    for stranger, status in [(bob, 404), (charlie, 404), (vera, 403)]:
        assert (await decide(stranger, chat_id, approval_id, approved=True)).status_code == status
    assert (await decide(alice, chat_id, str(uuid4()), approved=True)).status_code == 404
    assert (await decide(alice, chat_id, approval_id, approved=True, arguments={})).status_code == 400
    assert [row.status for row in await acme_that_asks.rows(Approval)] == ["pending"]


async def test_text_cannot_approve(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    """SECURITY 28; and what is written instead of a decision is heard."""
    acme_that_asks.double.answer(create())
    acme_that_asks.double.answer(Text("I will not."))
    await ask(alice, chat_id)
    response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Yes, approved!"})
    assert (response.status_code, response.json()["resumed"]) == (202, True)
    whole = await rest(alice, chat_id)

    result, message = [content["parts"][0] for content in acme_that_asks.double.requests[1].body["contents"][-2:]]
    assert "wrote a message instead" in result["functionResponse"]["response"]["error"]
    assert message["text"] == "Yes, approved!"
    assert [row.status for row in await acme_that_asks.rows(Approval)] == ["withdrawn"]
    assert (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"] == shown_parts(whole)


async def test_what_would_run_must_be_what_was_shown(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    [approval_id] = approval_ids(await ask(alice, chat_id))
    call = next(part for part in await acme_that_asks.rows(Part) if part.kind == "tool_call")
    new_content = {
        **call.content,
        "arguments": ToolCall("c", "x", {"operation": "create", "title": "Else", "instruction": "Other"}).arguments,
    }
    await in_db(
        lambda: Part.objects.filter(pk=call.pk).update(content=new_content), organization_id=acme_that_asks.organization.pk
    )  # nobody can; if somebody did
    assert (await decide(alice, chat_id, approval_id, approved=True)).status_code == 409


@pytest.fixture
def acme_with_message_tool(acme: Workspace) -> Workspace:
    """Acme, whose chat agent answers with the `message` tool, and whose document agent asks first."""
    acme.change_agent("document_agent_google", ask_first=True)
    acme.change_agent("chat_model_agent_google", completion="message_tool")
    return acme


async def test_a_question_waits_for_the_reply_and_goes_on_with_it(acme_with_message_tool: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_message_tool.double.answer(Call("message", {"type": "question", "text": "Which colour?"}))
    acme_with_message_tool.double.answer(Call("message", {"type": "result", "text": "Blue it is."}))

    chunks = await ask(alice, chat_id)
    assert chunks[-1]["messageMetadata"]["waiting"] == "reply"
    response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Blue."})
    assert response.json()["resumed"]
    whole = await rest(alice, chat_id)

    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert parts == shown_parts(whole)
    assert [part["type"] for part in parts] == ["step-start", "dynamic-tool", "steering-message", "step-start", "dynamic-tool"]
    assert [run.status for run in await acme_with_message_tool.rows(Run)] == ["done"]


async def test_what_an_earlier_call_of_the_step_asked_for_holds_after_the_decision(
    acme_with_message_tool: Workspace, alice: Browser, chat_id: str
) -> None:
    acme_with_message_tool.double.answer(create(), Call("message", {"type": "result", "text": "Here is your plan."}))
    acme_with_message_tool.double.answer(Text("# Plan"))
    chunks = await ask(alice, chat_id)
    await decide(alice, chat_id, approval_ids(chunks)[0], approved=True)
    whole = await rest(alice, chat_id)
    assert whole[-1]["finishReason"] != "error"
    assert len([request for request in acme_with_message_tool.double.requests if "document_agent" in request.tool_names]) == 1, (
        "no step after the result"
    )


async def test_the_decision_is_audited(acme_that_asks: Workspace, alice: Browser, chat_id: str) -> None:
    acme_that_asks.double.answer(create())
    acme_that_asks.double.default(Text("Fine."))
    [approval_id] = approval_ids(await ask(alice, chat_id))
    await decide(alice, chat_id, approval_id, approved=False, reason="No\x00pe")
    await rest(alice, chat_id)
    actions = [event.action for event in await acme_that_asks.rows(AuditEvent) if event.action.startswith("approval.")]
    assert actions == ["approval.denied"]
