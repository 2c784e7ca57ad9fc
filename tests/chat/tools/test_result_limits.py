"""A tool's result that is too large for a small window: cut for the model, whole on the screen and in storage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from asgiref.sync import sync_to_async
from mcp.server.mcpserver import MCPServer

from chat.models import Part
from doubles.github.server import READ
from doubles.script import Call, Text
from tests.chat.runs.logged_calls import checked_calls
from tests.chat.runs.test_call_log_contexts import only_model
from tests.chat.tools.test_mcp import give
from tests.support.agents.mcp import ServedMcp, mcp_double
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

LARGE = "".join(f"{number:06}: tea\n" for number in range(16_000 // 12))


@pytest.fixture
def library() -> Iterator[ServedMcp]:
    server: MCPServer = MCPServer("library")

    def read(page: int) -> str:
        """Return a page of a book."""
        return LARGE

    server.add_tool(read, annotations=READ, structured_output=False)
    with mcp_double(server) as double:
        yield double


@pytest.mark.parametrize("calls", [1, 4])
async def test_a_large_result_in_a_small_window_ends_in_an_answer(
    acme: Workspace, library: ServedMcp, alice: Browser, chat_id: str, calls: int
) -> None:
    await give(acme, library, "read")
    await sync_to_async(only_model)(acme, "gemini-2.5-flash", context_window=6000)
    acme.double.answer(*(Call("gh_read", {"page": number}) for number in range(calls)))
    acme.double.answer(Text("It is about tea."))
    acme.double.answer(Text("You are welcome."))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Read it.")
        assert text_of(await socket.answer(chat_id, "Thanks")) == "You are welcome."

    assert text_of(chunks) == "It is about tea."
    assert [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"] == [LARGE] * calls
    assert [part.content["output"] for part in await acme.rows(Part, kind="tool_result")] == [LARGE] * calls
    result_texts = [str(part["functionResponse"]["response"]) for part in acme.double.requests[1].body["contents"][-1]["parts"]]
    assert len(result_texts) == calls
    assert all("000000: tea" in text and "characters of this result. The user sees all of it.]" in text for text in result_texts)
    assert sum(map(len, result_texts)) < 3 * 6000 / 2 * 1.2
    await checked_calls(acme)  # the log, and so a process that takes over, cuts in the same place
