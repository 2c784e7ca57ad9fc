"""What a provider ran itself, and its sources, on their way to the screen: live, stored, replayed, and when an answer ends early."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.db.models.functions import Now

from admin_config.models import AgentConfig, ModelConfig
from chat.models import Run
from chat.stream.event_log import LogKeys
from doubles.script import Call, CitedText, Item, ProviderTool, Text
from doubles.signals import Gate
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.redis.clients import redis_client
from tests.chat.runs.test_takeover import run_with_open_parts, take_over
from tests.support.chat.chat_socket import Browser, ChatSocket, Chunk, chat_socket
from tests.support.chat.workspace import Workspace
from tests.system.shown_message import shown_parts

Begin = Callable[[ChatSocket, str], Awaitable[tuple[str, list[Chunk]]]]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

PAGE = ("https://tea.example/", "Tea")
CODE = ProviderTool("code_execution", {"code": "print(1)"}, output="1\n")
FAILED = ProviderTool("code_execution", {"code": "x"}, output="NameError", failed=True)
SEARCH = ProviderTool("web_search", {"query": "tea"}, pages=[PAGE])
BEGINNING: list[Item] = [Text("I run it. ", pieces=["I run it. "]), CODE, Text("It ", pieces=["It "])]


@pytest.fixture
def able(acme: Workspace) -> Workspace:
    """Acme with a model and an agent that may do all of it."""
    with tenant_tx(acme.organization.pk):
        model = ModelConfig.objects.get(provider="google", model_id="gemini-3-flash-preview")
        AgentConfig.objects.filter(key="chat_model_agent_google").update(
            model=model, builtin_tools=["web_search", "url_context", "code_execution"]
        )
    acme.publish()
    return acme


def ends_code(chunk: dict[str, Any]) -> bool:
    """The text after the code: what was run is on screen by then."""
    return chunk.get("delta") == "It "


async def stored_parts(browser: Browser, chat_id: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = (await browser.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    return parts


def kinds(parts: list[dict[str, Any]]) -> list[str]:
    return [part["type"] for part in parts]


async def replay(browser: Browser, chat_id: str) -> list[Chunk]:
    async with chat_socket(browser, "acme") as socket:
        return await socket.chunks(await socket.resume(chat_id))


async def test_what_is_shown_is_stored_replayed_and_sent_back(able: Workspace, alice: Browser, chat_id: str) -> None:
    """Over two steps; the double refuses a part or a signature that is lost or misplaced. Equal calls get ids of their own."""
    able.double.answer(Text("First. "), FAILED, CODE, SEARCH, Call("no_such_tool", {}))
    able.double.answer(CODE, SEARCH, CitedText("It is tea.", pages=[PAGE]))
    able.double.answer(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.chunks(await socket.send(chat_id, "Go"))
        parts = await stored_parts(alice, chat_id)
        assert parts == shown_parts(chunks) == shown_parts(await replay(alice, chat_id))
        await socket.chunks(await socket.send(chat_id, "Sure?"))
    assert kinds(parts) == [
        *("step-start", "text", "dynamic-tool", "dynamic-tool", "dynamic-tool", "dynamic-tool"),
        *("step-start", "dynamic-tool", "dynamic-tool", "text", "source-url"),
    ]
    tool_parts = [part for part in parts if part.get("providerExecuted")]
    assert [part["toolName"] for part in tool_parts] == ["code_execution", "code_execution", "web_search", "code_execution", "web_search"]
    assert (tool_parts[0]["state"], tool_parts[0]["errorText"], tool_parts[1]["output"]) == (
        "output-error",
        "NameError",
        {"output": "1\n", "outcome": "ok"},
    )
    assert len({part["toolCallId"] for part in tool_parts}) == len(tool_parts)
    part_keys = [key for content in able.double.requests[-1].body["contents"] for part in content["parts"] for key in part]
    assert [part_keys.count(key) for key in ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")] == [3, 3, 2, 2]


async def test_an_answer_that_is_taken_over_shows_provider_parts_once(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(*BEGINNING, Gate("never"))
    able.double.answer(CODE, Text("It is 1."))
    parts = await parts_after_takeover(able, alice, chat_id, begin)
    assert kinds(parts) == ["step-start", "dynamic-tool", "text"]


async def test_a_lost_log_is_rewritten_with_provider_parts(able: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    able.double.answer(*BEGINNING, gate, Text("is 1."))
    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        await redis_client().delete(LogKeys.of((await able.rows(Run))[-1].pk).log)
        async with asyncio.timeout(60):
            while (await socket.socket.receive_output())["type"] != "websocket.close":
                pass
    async with chat_socket(alice, "acme") as again:
        request = await again.resume(chat_id)
        chunks = await again.chunks(request, until=lambda chunk: chunk["type"] == "text-delta" and chunk["delta"].startswith("It"))
        gate.release()
        chunks += await again.chunks_on(request, chunks)
    assert shown_parts(chunks) == await stored_parts(alice, chat_id)
    assert kinds(shown_parts(chunks)) == ["step-start", "text", "dynamic-tool", "text"]


async def test_a_stopped_answer_keeps_provider_parts(able: Workspace, alice: Browser, chat_id: str) -> None:
    able.double.answer(*BEGINNING, Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await alice.call("post", f"/o/acme/api/conversations/{chat_id}/stop/")
        chunks += await socket.chunks_on(request, chunks)
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(chunks)
    assert kinds(parts) == ["step-start", "text", "dynamic-tool", "text", "data-notice"]


async def test_a_stopped_answer_whose_owner_died_keeps_provider_parts(able: Workspace, alice: Browser, chat_id: str) -> None:
    """From its checkpoints."""
    able.double.answer(*BEGINNING, Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        run_id = await run_with_open_parts(able, 3)
        dead = Run.unscoped.using("system").filter(pk=run_id)
        await in_db(lambda: dead.update(stop_requested_at=Now(), lease_owner="dead"), using="system")
        await take_over(able)
        await able.wait_for_row(Run, lambda row: not row.is_active)
    parts = await stored_parts(alice, chat_id)
    assert kinds(parts) == ["step-start", "text", "dynamic-tool", "text", "data-notice"]
    assert parts[2]["output"] == {"output": "1\n", "outcome": "ok"}


async def begin(socket: ChatSocket, chat_id: str) -> tuple[str, list[Chunk]]:
    request = await socket.send(chat_id, "Go")
    return request, await socket.chunks(request, until=ends_code)


async def parts_after_takeover(able: Workspace, alice: Browser, chat_id: str, begin: Begin) -> list[dict[str, Any]]:
    """What is stored of an answer that another process finished after `begin`; its viewer was shown the same."""
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await take_over(able)
        chunks += await socket.chunks_on(request, chunks)
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(chunks)
    return parts
