"""The agent's plan in the chat: one checklist in an answer, which changes in place and is there after a reload (SPEC 4.10)."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from doubles.script import Call, Text
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.tools import give_tool
from tests.support.chat.workspace import Workspace
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def plan(*states: str) -> Call:
    return Call("plan", {"title": "Tea", "steps": [{"text": f"Step {number}", "state": state} for number, state in enumerate(states)]})


async def test_the_checklist_changes_in_place_and_stays(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(give_tool)(acme, "plan")
    for call in (plan("running", "pending"), plan("done", "running"), plan()):
        acme.double.answer(call, when=lambda request: "plan" in request.tool_names)
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Make tea.")
    plan_chunks = [chunk for chunk in chunks if chunk["type"] == "data-plan"]
    assert [[step["state"] for step in chunk["data"]["steps"]] for chunk in plan_chunks] == [["running", "pending"], ["done", "running"]]
    assert len({chunk["id"] for chunk in plan_chunks}) == 1
    assert [chunk["errorText"] for chunk in chunks if chunk["type"] == "tool-output-error"] == [
        "A plan has 1 to 20 steps, each with a text."
    ]
    _, answer = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"]
    (failed,) = [part for part in answer["parts"] if part.get("state") == "output-error"]
    assert failed["resultProviderMetadata"]["parley"]["durationMs"] >= 0, "a call that failed shows its time, too"
    assert answer["parts"] == shown_parts(chunks)
    (plan_part,) = [part for part in answer["parts"] if part["type"] == "data-plan"]
    assert plan_part["data"] == plan_chunks[-1]["data"]
