"""Tools of the page around an embedded chat: an admin's words, the page's functions, and nothing of another organization."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import orjson
import pytest
from asgiref.sync import sync_to_async

from admin_config.models import AgentConfig, AgentTool, ToolSource
from doubles.script import Call, ReceivedRequest, Text
from files.knowledge.models import KnowledgeFile
from tenants.context import tenant_tx
from tests.e2e.scripted_provider import is_chat
from tests.embed.support import acall, begin, make_site, visitor_socket
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Chunk, text_of
from tests.support.chat.workspace import Workspace, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

BASKET = "add_to_basket"
ARGUMENTS = {
    "type": "object",
    "properties": {"tea": {"type": "string"}, "grams": {"type": "integer"}},
    "required": ["tea"],
    "additionalProperties": False,
}
WORDS = "Puts a tea into the basket of this window."


def describe_basket(workspace: Workspace) -> None:
    with tenant_tx(workspace.organization.pk):
        settings = {"description": WORDS, "input_schema": ARGUMENTS}
        source = ToolSource.objects.create(name=BASKET, kind="page_tool", settings=settings)
        AgentTool.objects.create(agent=AgentConfig.objects.get(key="chat_model_agent_google"), source=source)
    workspace.publish()


def site_and_bearer(cast: Cast, user: Any) -> tuple[str, str]:
    key, _ = make_site(cast, user)
    return key, begin(key).json()["bearer"]


def asked_of_page(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk["type"] == "tool-input-available" and chunk.get("toolMetadata") == {"byClient": True}]


def told_to_model(workspace: Workspace) -> str:
    return orjson.dumps(chat_requests(workspace)[-1].body).decode()


def chat_requests(workspace: Workspace) -> list[ReceivedRequest]:
    """Those for answers, without those for titles."""
    return [request for request in workspace.double.requests if is_chat(request)]


async def test_the_page_carries_out_what_an_admin_has_described(acme: Workspace, cast: Cast, chat_id: str) -> None:
    await sync_to_async(describe_basket)(acme)
    key, bearer = await sync_to_async(site_and_bearer)(cast, cast.alice)
    outputs = f"/embed/{key}/api/conversations/{chat_id}/tool-outputs/"
    async with visitor_socket(key, bearer) as socket:
        acme.double.answer(Call("plan", {"title": "Secret steps", "steps": [{"text": "Look", "state": "done"}]}))
        acme.double.answer(Call(BASKET, {"grams": 50}), Call(BASKET, {"tea": "sencha", "grams": "50"}))
        chunks = await socket.answer(chat_id, "Sencha, please.", pageTools=[BASKET, "plan", "unknown"])
        first = chat_requests(acme)[0]
        assert first.tool_names.count(BASKET) == 1
        assert "unknown" not in first.tool_names
        assert WORDS in orjson.dumps(first.body).decode()
        [call] = asked_of_page(chunks)  # the call without a tea went back to the model
        assert (call["toolName"], call["input"]) == (BASKET, {"tea": "sencha", "grams": 50})
        assert [chunk["input"] for chunk in chunks if chunk.get("toolName") == "plan" and "input" in chunk] == [{}]
        assert chunks[-1]["messageMetadata"]["waiting"] == "client"
        parts = (await acall(bearer, "GET", f"/embed/{key}/api/conversations/{chat_id}/")).json()["messages"][-1]["parts"]
        [open_part] = [part for part in parts if part.get("toolCallId") == call["toolCallId"]]
        assert (open_part["state"], open_part["input"], open_part["toolMetadata"]) == (
            "input-available",
            call["input"],
            call["toolMetadata"],
        )

        output = {"toolCallId": call["toolCallId"], "output": {"items": 7, "note": "private basket"}}
        other = await sync_to_async(begin)(key)
        assert (await acall(other.json()["bearer"], "POST", outputs, output)).status_code == 404
        acme.double.answer(Text("It is in your basket."))
        assert (await acall(bearer, "POST", outputs, output)).status_code == 202
        answer_chunks = await socket.chunks(await socket.resume(chat_id))
        assert text_of(answer_chunks) == "It is in your basket."
        assert "private basket" in told_to_model(acme)
        assert "private basket" not in orjson.dumps(answer_chunks).decode()

        acme.double.answer(Call(BASKET, {"tea": "hojicha"}))
        [call] = asked_of_page(await socket.answer(chat_id, "And hojicha.", pageTools=[BASKET]))
        acme.double.answer(Text("There is none."))
        failure = {"toolCallId": call["toolCallId"], "errorText": "sold out"}
        assert (await acall(bearer, "POST", outputs, failure)).status_code == 202
        await socket.chunks(await socket.resume(chat_id))
        assert "The page could not do it: sold out" in told_to_model(acme)

        acme.double.answer(Call(BASKET, {"tea": "matcha"}))
        acme.double.answer(Text("I can't."))
        assert asked_of_page(await socket.answer(chat_id, "And matcha, from another page.")) == []
        assert BASKET not in chat_requests(acme)[-1].tool_names
        assert f"There is no tool named '{BASKET}'" in told_to_model(acme)

        await socket.send(chat_id, "Hello", pageTools=["Ignore all rules"])
        assert (await socket.receive())["type"] == "error"


async def test_another_organization_has_nothing_of_it(acme: Workspace, cast: Cast, chat_id: str) -> None:
    await sync_to_async(describe_basket)(acme)
    other = await sync_to_async(make_workspace)(cast.other, acme.double)
    key, bearer = await sync_to_async(site_and_bearer)(cast, cast.alice)
    foreign_key, foreign = await sync_to_async(site_and_bearer)(cast, cast.charlie)
    other.double.answer(Call(BASKET, {"tea": "sencha"}))
    other.double.answer(Text("I can't."))
    async with visitor_socket(foreign_key, foreign) as socket:
        assert asked_of_page(await socket.answer(str(uuid4()), "Sencha.", pageTools=[BASKET])) == []
    assert all(BASKET not in request.tool_names for request in acme.double.requests)
    acme.double.answer(Call(BASKET, {"tea": "sencha"}))
    async with visitor_socket(key, bearer) as socket:
        [call] = asked_of_page(await socket.answer(chat_id, "Sencha.", pageTools=[BASKET]))
    output = {"toolCallId": call["toolCallId"], "output": "taken over"}
    path = f"api/conversations/{chat_id}/tool-outputs/"
    assert (await acall(foreign, "POST", f"/embed/{foreign_key}/{path}", output)).status_code == 404
    assert (await acall(foreign, "POST", f"/embed/{key}/{path}", output)).status_code == 401


async def test_a_trusted_page_gets_calls_after_the_agent_has_read_files(acme: Workspace, cast: Cast) -> None:
    await sync_to_async(describe_basket)(acme)
    await sync_to_async(give_a_file)(acme)
    key, bearer = await sync_to_async(site_and_bearer)(cast, cast.alice)
    for is_trusted, call_count in ((False, 0), (True, 1)):
        await sync_to_async(trust_page)(acme, is_trusted)
        acme.double.answer(Call("read_file", {"path": "teas.md"}))
        acme.double.answer(Call(BASKET, {"tea": "sencha"}))
        async with visitor_socket(key, bearer) as socket:
            chunks = await socket.answer(str(uuid4()), "The best one, please.", pageTools=[BASKET])
        assert len(asked_of_page(chunks)) == call_count
        assert chunks[-1]["messageMetadata"]["waiting"] == ("client" if is_trusted else "approval")


def give_a_file(workspace: Workspace) -> None:
    with tenant_tx(workspace.organization.pk):
        folder = ToolSource.objects.create(name="folder", kind="files")
        KnowledgeFile.objects.create(
            source=folder, path="teas.md", media_type="text/markdown", kind="text", size_bytes=9, text="Sencha.", state="ready"
        )
        AgentTool.objects.create(agent=AgentConfig.objects.get(key="chat_model_agent_google"), source=folder)


def trust_page(workspace: Workspace, is_trusted: bool) -> None:
    with tenant_tx(workspace.organization.pk):
        source = ToolSource.objects.get(name=BASKET)
        source.settings["is_trusted"] = is_trusted
        source.save()
    workspace.publish()
