"""Agents that work for agents: their steps inside the call's card, their budget, waits and crashes (SPEC 4.9, 4.11)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from agents.engine.lifecycle import RunEnd
from agents.engine.taint import TAINT_REASON
from agents.tools.sources.sub_agents import NOTE_BY_END
from chat.models import Approval, ModelCall, Run
from chat.runs.supervisor import RunSupervisor
from chat.stream.hub import Hub
from doubles.script import Call, CitedText, Item, ProviderTool, ReceivedRequest, Text
from doubles.signals import Gate
from tests.chat.providers.test_files import attached, message, tell
from tests.chat.waits.approval_calls import decide, rest
from tests.security.secrets.canary import delete_redis_keys
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket, text_of
from tests.support.chat.workspace import Workspace
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

CHAT, HELPER, INNER = "chat_model_agent_google", "helper_google", "inner_google"
SEARCHED: list[Item] = [ProviderTool("web_search", {"query": "tea"}), CitedText("Tea is green.", pages=[("https://tea.example/", "Tea")])]


@pytest.fixture
def acme_with_helpers(acme: Workspace) -> Workspace:
    """Acme, whose chat agent has a helper, which has a helper that asks before it works."""
    acme.add_agent("helper", used_by=CHAT, description="Helps.")
    acme.add_agent("inner", used_by=HELPER, ask_first=True)
    return acme


add_agent = sync_to_async(Workspace.add_agent)


def steps(chunks_or_parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part["data"] for part in chunks_or_parts if part["type"] == "data-agent-step"]


def inside(step: dict[str, Any]) -> dict[str, Any]:
    """The innermost part or change of a step."""
    part: dict[str, Any] = step.get("change") or step["part"]
    return inside(part["data"]) if part.get("type") == "data-agent-step" else part


def nested_approval(chunks: list[Chunk]) -> str:
    [request_part] = [inside(step) for step in steps(chunks) if inside(step).get("state") == "approval-requested"]
    return str(request_part["approval"]["id"])


async def ask(browser: Browser, chat_id: str, text: str = "Help me.") -> list[Chunk]:
    async with chat_socket(browser, "acme") as socket:
        return await socket.answer(chat_id, text)


async def stored_parts(browser: Browser, chat_id: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = (await browser.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    return parts


def tells(request: ReceivedRequest) -> Any:
    """The answer that the newest call got."""
    return request.body["contents"][-1]["parts"][0]["functionResponse"]["response"]


async def test_the_provider_tools_agent_searches_and_its_sources_go_to_both(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Call("provider_tools_agent", {"task": "What is tea?"}))
    acme.double.answer(*SEARCHED)
    acme.double.answer(Text("Green."))
    chunks = await ask(alice, chat_id)

    chat, search, after = acme.double.requests
    assert "provider_tools_agent" in chat.tool_names
    assert (search.tool_names, search.user_text) == ((), "What is tea?")
    assert [next(iter(tool)) for tool in search.body["tools"]] == ["googleSearch", "urlContext", "codeExecution"]
    assert tells(after) == {"output": {"result": "Tea is green.", "sources": [{"url": "https://tea.example/", "title": "Tea"}]}}
    assert {inside(step)["type"] for step in steps(chunks)} == {"dynamic-tool", "text", "source-url"}
    assert {step["agent"] for step in steps(chunks)} == {"provider_tools_agent_google"}
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(chunks)
    assert not [part for part in parts if part["type"] == "source-url"], "they stand in the card"

    calls = await acme.rows(ModelCall)
    [tool] = [part for part in parts if part["type"] == "dynamic-tool"]
    assert [(call.kind, call.parent_call_id) for call in calls if call.kind != "title"] == [
        ("step", ""),
        ("sub_agent", tool["toolCallId"]),
        ("step", ""),
    ]
    [run] = await acme.rows(Run)
    assert run.usage["input_tokens"] == sum(call.usage["input_tokens"] for call in calls if call.kind != "title")


async def test_the_user_sees_the_task_before_the_provider_searches_for_it(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """The provider's own tools can't ask, and the sub-agent gets nothing of the conversation but its task."""
    acme.double.answer(Call("provider_tools_agent", {"task": "And what does Ann earn?"}))
    acme.double.answer(*SEARCHED)
    acme.double.answer(Text("Green."))
    await tell(alice, chat_id, message("Help me.", await attached(alice, "salaries.txt", b"Ann: 100")))
    assert len(acme.double.requests) == 1, "nothing was searched"
    [request] = [part["approval"] for part in await stored_parts(alice, chat_id) if part["type"] == "dynamic-tool"]
    assert request["requestReason"] == f"{TAINT_REASON}\nGoes to: google web search\nIt can be allowed for this chat."
    await decide(alice, chat_id, request["id"], approved=True)
    async with chat_socket(alice, "acme") as socket:
        await socket.chunks(await socket.resume(chat_id))
    assert [next(iter(tool)) for tool in acme.double.requests[1].body["tools"]] == ["googleSearch", "urlContext", "codeExecution"]


async def test_what_a_sub_agent_is_told_follows_its_own_schema(acme: Workspace, alice: Browser, chat_id: str) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}
    await add_agent(acme, "weather", used_by=CHAT, input_schema=schema, description="Knows the weather.")
    acme.double.answer(Call("weather", {"city": "Oslo", "days": "2"}))
    acme.double.answer(Text("Rain."))
    acme.double.answer(Text("It rains."))
    await ask(alice, chat_id)
    assert acme.double.requests[1].user_text == '{\n  "city": "Oslo",\n  "days": 2\n}'


async def test_a_sub_agents_sub_agent_is_shown_inside_its_call(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await add_agent(acme, "helper", used_by=CHAT)
    await add_agent(acme, "inner", used_by=HELPER)
    acme.double.answer(Call("helper", {"task": "Help"}))
    acme.double.answer(Call("inner", {"task": "Do it"}))
    acme.double.answer(Text("Inside."))
    acme.double.answer(Text("Helped."))
    acme.double.answer(Text("Done."))
    chunks = await ask(alice, chat_id)
    call, nested, result, text_step = steps(chunks)
    assert (call["part"]["toolName"], nested["part"]["data"]["part"]["text"]) == ("inner", "Inside.")
    assert nested["part"]["data"]["callId"] == result["change"]["toolCallId"] == call["part"]["toolCallId"]
    assert (result["change"]["output"], text_step["part"]["text"]) == ({"result": "Inside."}, "Helped.")
    assert await stored_parts(alice, chat_id) == shown_parts(chunks)


@pytest.mark.parametrize("approved", [True, False])
async def test_what_a_sub_agent_asks_for_survives_the_restart_of_everything(
    acme_with_helpers: Workspace, alice: Browser, bob: Browser, charlie: Browser, chat_id: str, approved: bool
) -> None:
    acme_with_helpers.double.answer(Call("helper", {"task": "Help"}))
    acme_with_helpers.double.answer(Call("inner", {"task": "Delete all"}))
    if approved:
        acme_with_helpers.double.answer(Text("Deleted."))
    acme_with_helpers.double.answer(Text("Helped."))
    acme_with_helpers.double.answer(Text("Done."))

    chunks = await ask(alice, chat_id)
    assert chunks[-1]["messageMetadata"]["waiting"] == "approval"
    [run], [approval] = await acme_with_helpers.rows(Run), await acme_with_helpers.rows(Approval)
    assert (run.status, run.lease_owner, approval.tool_name) == ("waiting_for_approval", "", "inner")
    approval_id = nested_approval(chunks)
    for stranger in (bob, charlie):
        assert (await decide(stranger, chat_id, approval_id, approved=True)).status_code == 404
    await RunSupervisor.current().close()
    await Hub.current().close()
    await sync_to_async(delete_redis_keys)()
    assert (await decide(alice, chat_id, approval_id, approved=approved, reason="" if approved else "Mine")).status_code == 202
    whole = await rest(alice, chat_id)

    assert text_of(whole) == "Done."
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(whole)
    states = [inside(step)["state"] for step in steps(parts) if "state" in inside(step)]
    last_states = ["done", "output-available", "done"] if approved else ["output-denied", "done"]
    assert states == ["input-available", "approval-requested", "approval-responded", *last_states]
    if not approved:
        helper_request = next(request for request in acme_with_helpers.double.requests if "Reason: Mine" in str(request.body))
        assert "helper" not in helper_request.tool_names, "the sub-agent heard it"
    assert len([request for request in acme_with_helpers.double.requests if request.user_text == "Help"]) == 2, (
        "what was done is not done again"
    )
    assert [row.status for row in await acme_with_helpers.rows(Approval)] == ["approved" if approved else "denied"]


async def test_a_message_instead_of_a_decision_leaves_nothing_to_decide(acme_with_helpers: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_helpers.double.answer(Call("helper", {"task": "Help"}))
    acme_with_helpers.double.answer(Call("inner", {"task": "Delete all"}))
    acme_with_helpers.double.answer(Text("Left."))
    await ask(alice, chat_id)
    response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Leave it."})
    assert response.json()["resumed"]
    assert text_of(await rest(alice, chat_id)) == "Left."
    assert [row.status for row in await acme_with_helpers.rows(Approval)] == ["withdrawn"]


@pytest.mark.parametrize("stop", [True, False])
async def test_stop_and_a_message_end_a_sub_agent_at_once(acme: Workspace, alice: Browser, chat_id: str, stop: bool) -> None:
    await add_agent(acme, "helper", used_by=CHAT)
    gate = Gate()
    acme.double.answer(Call("helper", {"task": "Help"}))
    acme.double.answer(Text("I "), gate, Text("help."))
    if not stop:
        acme.double.answer(Text("All right."))
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Help me.")
        await gate.reached.wait_async()
        if stop:
            await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        else:
            await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m1", "text": "Wait."})
        chunks = await socket.chunks(request)
    gate.release()
    assert chunks[-1]["finishReason"] == ("interrupted" if stop else "stop")
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(chunks)
    assert [inside(step)["text"] for step in steps(parts)] in ([], ["I "]), "what it had said, if that was read already, is kept"
    if not stop:
        assert [part["state"] for part in parts if part["type"] == "dynamic-tool"] == ["output-error"]


async def test_a_partial_sentence_of_a_stopped_sub_agent_is_stored_nowhere(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """The next owner asks the sub-agent again, and not behind its own half sentence."""
    await add_agent(acme, "helper", used_by=CHAT)
    gate = Gate()
    acme.double.answer(Call("helper", {"task": "Help"}))
    acme.double.answer(Text("I "), gate)
    async with chat_socket(alice, "acme") as socket:
        await socket.send(chat_id, "Help me.")
        await gate.reached.wait_async()
        [run] = await acme.rows(Run)
        [task] = [task for task in asyncio.all_tasks() if task.get_name() == f"run-{run.id}"]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        gate.release()
    [run] = await acme.rows(Run)
    assert (run.lease_owner, run.finished_at) == ("", None)
    assert steps(await stored_parts(alice, chat_id)) == []


async def test_what_a_sub_agent_may_spend_does_not_begin_anew_after_a_pause(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await add_agent(acme, "helper", used_by=CHAT, token_budget=1000)
    await add_agent(acme, "inner", used_by=HELPER, ask_first=True)
    acme.double.answer(Call("helper", {"task": "Help"}))
    acme.double.answer(Text("I think. " * 1000), Call("inner", {"task": "Delete all"}))
    acme.double.answer(Text("Not now, then."))
    approval_id = nested_approval(await ask(alice, chat_id))
    await decide(alice, chat_id, approval_id, approved=False)
    assert text_of(await rest(alice, chat_id)) == "Not now, then."
    assert tells(acme.double.requests[-1]) == {"error": NOTE_BY_END[RunEnd.BUDGET]}


async def test_a_sub_agent_that_cannot_work_is_left_out_and_the_chat_goes_on(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await add_agent(acme, "helper", used_by=CHAT, provider="openai")
    acme.double.answer(Call("helper", {"task": "Help"}))  # its provider has no key
    acme.double.answer(Text("Without it, then."))
    chunks = await ask(alice, chat_id)
    assert text_of(chunks) == "Without it, then."
    assert [part["state"] for part in await stored_parts(alice, chat_id) if part["type"] == "dynamic-tool"] == ["output-error"]
