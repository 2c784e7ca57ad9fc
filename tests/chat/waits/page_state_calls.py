"""Runs that ask the page around the chat to change, and the page's answers."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from chat.models import Run
from doubles.script import Call, Text
from tests.support.chat.chat_socket import Browser, Chunk, chat_socket
from tests.support.chat.workspace import Workspace

STATE = {"title": "Tea", "count": 3, "open": False, "note": None}
CHANGES = {"title": "Green tea", "count": 4, "price": 7}
ALLOWED = {"title": "Green tea", "count": 4}
PAGE_OUTPUT = {"ok": True, "written": ["title"], "ignored": ["count"]}
RESULT_TEXT = "written: title; ignored: count (the page did not take it), price (the page has no such key)"


async def ask(browser: Browser, chat_id: str, text: str = "Change the page.", state: Any = STATE) -> list[Chunk]:
    async with chat_socket(browser, "acme") as socket:
        return await socket.answer(chat_id, text, pageState=state)


async def waiting(workspace: Workspace, browser: Browser, chat_id: str) -> tuple[str, list[Chunk]]:
    """A run that waits for the page: the call's id, and the answer's chunks."""
    workspace.double.answer(Text("I change it."), Call("update_page_state", CHANGES))
    chunks = await ask(browser, chat_id)
    [call] = [chunk for chunk in chunks if chunk["type"] == "tool-input-available"]
    return call["toolCallId"], chunks


async def give(browser: Browser, chat_id: str, call_id: str, **fields: Any) -> Any:
    return await browser.call("POST", f"/o/acme/api/conversations/{chat_id}/tool-outputs/", {"toolCallId": call_id, **fields})


async def rest(browser: Browser, chat_id: str) -> list[Chunk]:
    async with chat_socket(browser, "acme") as socket:
        return await socket.chunks(await socket.resume(chat_id))


async def stored_parts(browser: Browser, chat_id: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = (await browser.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    return parts


def sdk_answer(call_id: str, **state: Any) -> list[dict[str, Any]]:
    """The answer as an AI SDK client sends it back; a call of the server's own is in it, too."""
    own = {"type": "dynamic-tool", "toolName": "plan", "toolCallId": "p", "state": "output-available", "input": {}, "output": "x"}
    part = {"type": "dynamic-tool", "toolName": "update_page_state", "toolCallId": call_id, "input": ALLOWED, **state}
    return [{"id": uuid4().hex, "role": "assistant", "parts": [{"type": "text", "text": "I change it."}, own, part]}]


def results_sent(workspace: Workspace, request: int = -1) -> list[Any]:
    contents = workspace.double.requests[request].body["contents"]
    return [part["functionResponse"]["response"] for content in contents for part in content["parts"] if "functionResponse" in part]


async def whole_answer(workspace: Workspace, browser: Browser, chat_id: str) -> list[Chunk]:
    await workspace.wait_for_row(Run, lambda run: run.finished_at)
    return await rest(browser, chat_id)
