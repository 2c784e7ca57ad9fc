"""Arguments that don't fit their tool: an error for the model, or one short call that corrects them first (SPEC 3.11)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from chat.models import ModelCall, Run
from doubles.script import Call, Fault, Item, ReceivedRequest, Text
from doubles.signals import Gate
from tests.security.secrets.test_registered_secrets import VALUE, register
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket
from tests.support.chat.workspace import Workspace
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

CHAT, HELPER = "chat_model_agent_google", "helper_google"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"]}
WRONG = {"city": "Oslo", "days": "two"}
PROBLEM = "Wrong arguments at $.days: 'two' is not of type 'integer'"
RIGHT = '{"city": "Oslo", "days": 2}'


@pytest.fixture
def acme_with_weather(acme: Workspace) -> Workspace:
    """Acme, whose chat agent has an agent with arguments of its own."""
    acme.add_agent("weather", used_by=CHAT, input_schema=SCHEMA, description="Knows the weather.")
    return acme


@pytest.fixture
def acme_with_repair(acme_with_weather: Workspace) -> Workspace:
    """The same, and the chat agent repairs arguments."""
    acme_with_weather.change_agent(CHAT, repair_tool_call=True)
    return acme_with_weather


def is_repair(request: ReceivedRequest) -> bool:
    return "<arguments>" in request.user_text


def repairs(workspace: Workspace) -> list[ReceivedRequest]:
    return [request for request in workspace.double.requests if is_repair(request)]


async def ask(browser: Browser, chat_id: str) -> list[Chunk]:
    async with chat_socket(browser, "acme") as socket:
        return await socket.answer(chat_id, "Help me.")


def tool_errors(chunks: list[Chunk]) -> list[str]:
    return [chunk["errorText"] for chunk in chunks if chunk["type"] == "tool-output-error"]


def notices(chunks: list[Chunk]) -> list[dict[str, Any]]:
    return [chunk["data"] for chunk in chunks if chunk["type"] == "data-notice"]


async def kinds(workspace: Workspace) -> list[tuple[str, bool]]:
    calls = await workspace.rows(ModelCall)
    return sorted((call.kind, bool(call.parent_call_id)) for call in calls if call.kind != "title")


async def test_it_is_off_by_default(acme_with_weather: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_weather.double.answer(Call("weather", WRONG))
    acme_with_weather.double.answer(Text("I don't know."))
    assert tool_errors(await ask(alice, chat_id)) == [PROBLEM]
    assert not repairs(acme_with_weather)
    assert await kinds(acme_with_weather) == [("step", False), ("step", False)]


async def test_repaired_arguments_are_what_was_called(acme_with_repair: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_repair.double.answer(Text(RIGHT), when=is_repair)
    acme_with_repair.double.answer(Call("weather", WRONG))
    acme_with_repair.double.answer(Text("Rain."))
    acme_with_repair.double.answer(Text("It rains."))
    chunks = await ask(alice, chat_id)

    [request] = repairs(acme_with_repair)
    assert request.tool_names == ()
    assert request.body["generationConfig"]["responseMimeType"] == "application/json"
    for words in ("Knows the weather.", '"days": {"type": "integer"}', json.dumps(WRONG), PROBLEM):
        assert words in request.user_text
    assert "Help me." not in str(request.body), "the conversation is not sent again"
    helper, after = acme_with_repair.double.requests[-2:]
    assert json.loads(helper.user_text) == json.loads(RIGHT)
    assert "two" not in str(after.body["contents"])

    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert parts == shown_parts(chunks)
    [tool] = [part for part in parts if part["type"] == "dynamic-tool"]
    assert tool["input"] == json.loads(RIGHT)
    assert tool_errors(chunks) == []
    [notice] = notices(chunks)
    assert (notice["code"], notice["text"]) == ("arguments_repaired", "Arguments that did not fit their tool were corrected: weather.")

    assert await kinds(acme_with_repair) == [("repair", False), ("step", False), ("step", False), ("sub_agent", True)]
    calls = [call for call in await acme_with_repair.rows(ModelCall) if call.kind != "title"]
    [repair] = [call for call in calls if call.kind == "repair"]
    assert (repair.agent_key, repair.step, repair.finish_reason, repair.error_code) == (CHAT, 1, "stop", "")
    assert repair.usage["output_tokens"] > 0
    [run] = await acme_with_repair.rows(Run)
    page = await alice.call("GET", f"/o/acme/admin/chat/run/{run.pk}/")
    assert "repair of arguments" in page.content.decode()
    assert run.usage["output_tokens"] == sum(call.usage["output_tokens"] for call in calls)


@pytest.mark.parametrize(
    "answer",
    [Text('{"city": "Oslo", "days": "2 days"}'), Text("I can't."), Text(""), Fault.status(400)],
    ids=["does not fit", "no JSON", "empty", "refused"],
)
async def test_a_repair_that_fails_leaves_the_error(acme_with_repair: Workspace, alice: Browser, chat_id: str, answer: Item) -> None:
    acme_with_repair.double.answer(answer, when=is_repair)
    acme_with_repair.double.answer(Call("weather", WRONG))
    acme_with_repair.double.answer(Text("I don't know."))
    chunks = await ask(alice, chat_id)
    assert tool_errors(chunks) == [PROBLEM]
    assert notices(chunks) == []
    assert len(repairs(acme_with_repair)) == 1
    assert chunks[-1]["type"] == "finish"


async def test_a_sub_agents_repair_counts_as_its_work(acme_with_weather: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(acme_with_weather.add_agent)("helper", used_by=CHAT, description="Helps.", repair_tool_call=True)
    await sync_to_async(acme_with_weather.add_agent)("tides", used_by=HELPER, input_schema=SCHEMA, description="Knows tides.")
    acme_with_weather.double.answer(Text(RIGHT), when=is_repair)
    acme_with_weather.double.answer(Call("helper", {"task": "Help"}))
    acme_with_weather.double.answer(Call("tides", WRONG))
    for text in ("High.", "Helped.", "Done."):
        acme_with_weather.double.answer(Text(text))
    await ask(alice, chat_id)
    calls = await acme_with_weather.rows(ModelCall)
    [repair] = [call for call in calls if call.kind == "repair"]
    [first, *_] = [call for call in calls if call.kind == "sub_agent" and call.agent_key == HELPER]
    assert (repair.parent_call_id, repair.agent_key) == (first.parent_call_id, HELPER)


async def test_secrets_stay_where_they_are(acme_with_repair: Workspace, alice: Browser, chat_id: str) -> None:
    """In clear, they would come back as a placeholder, which is another value. A placeholder stays one."""
    await sync_to_async(register)(acme_with_repair.organization)
    acme_with_repair.double.answer(Text('{"city": "{{secret:api}}", "days": 2}'), when=is_repair)
    acme_with_repair.double.answer(Call("weather", {**WRONG, "city": VALUE}))
    acme_with_repair.double.answer(Call("weather", {**WRONG, "city": "{{secret:api}}"}))
    acme_with_repair.double.answer(Text("Rain."))
    acme_with_repair.double.answer(Text("It rains."))
    chunks = await ask(alice, chat_id)
    assert tool_errors(chunks) == [PROBLEM]
    [request] = repairs(acme_with_repair)
    assert "{{secret:api}}" in request.user_text
    inputs = [chunk["input"] for chunk in chunks if chunk["type"] == "tool-input-available"]
    assert inputs == [{**WRONG, "city": VALUE}, {"city": "{{secret:api}}", "days": 2}]


async def test_a_spent_run_repairs_nothing(acme_with_repair: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(acme_with_repair.change_agent)(CHAT, token_budget=1000)
    acme_with_repair.double.answer(Call("weather", WRONG))
    chunks = await ask(alice, chat_id)
    assert tool_errors(chunks) == [PROBLEM]
    assert [notice["code"] for notice in notices(chunks)] == ["budget"]
    assert len(acme_with_repair.double.requests) == 1


async def test_stop_ends_a_repair(acme_with_repair: Workspace, alice: Browser, chat_id: str) -> None:
    acme_with_repair.double.answer(Gate("hold"), Text(RIGHT), when=is_repair)
    acme_with_repair.double.answer(Text("A moment."), Call("weather", WRONG))
    async with chat_socket(alice, "acme") as socket:
        request_id = await socket.send(chat_id, "Help me.")
        await acme_with_repair.double.arrived(2).wait_async()
        await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        chunks = await socket.chunks(request_id)
    await repairs(acme_with_repair)[0].disconnected.wait_async()
    assert [notice["code"] for notice in notices(chunks)] == ["stopped"]
    assert len(acme_with_repair.double.requests) == 2
    assert ("repair", "stopped") in [(call.kind, call.error_code) for call in await acme_with_repair.rows(ModelCall)]
