"""A server that has forgotten the session: the call is repeated where it was not carried out, and a new session serves the rest."""

from __future__ import annotations

import asyncio

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import REQUEST_TIMEOUT

from agents.tools.mcp.error_translation import translate_error
from agents.tools.mcp.server import McpDisconnected, McpError, McpServer, McpSessionLost
from doubles.mcp.sessions import LossAnswer, Sessions
from doubles.signals import Gate
from tests.agents.mcp.test_connection import TEA, address, call_output, connected
from tests.support.agents.mcp import ServedMcp, github

__all__ = ["github"]

ISSUE = TEA | {"title": "More tea"}


@pytest.fixture
def sessions(github: ServedMcp) -> Sessions:
    github.sessions = Sessions()
    return github.sessions


@pytest.mark.parametrize("loss", ["typescript", "python", "empty"])
async def test_a_refused_call_is_repeated_on_a_new_session_even_if_it_has_effects(
    github: ServedMcp, sessions: Sessions, loss: LossAnswer
) -> None:
    sessions.loss = loss
    async with connected(address(github)) as connection:
        await connection.tools()
        sessions.forget()
        assert "More tea" in await call_output(connection, "issue_write", **ISSUE)
        assert "demo" in await call_output(connection, "get_me")
    assert sessions.session_count == 2
    assert github.calls() == ["issue_write", "issue_write", "get_me"]  # the first was refused


async def test_a_lost_session_of_unknown_outcome_is_repeated_only_where_that_does_no_harm(github: ServedMcp, sessions: Sessions) -> None:
    sessions.loss = "error"
    async with connected(address(github)) as connection:
        await connection.tools()
        sessions.forget()
        with pytest.raises(McpDisconnected, match="It is unknown whether the call was carried out"):
            await connection.call("issue_write", ISSUE)
        await connection.tools()
        sessions.forget()
        await connection.call("get_me", {}, repeatable=True)
    assert github.calls() == ["issue_write", "get_me", "get_me"]
    assert sessions.session_count == 3


async def test_calls_that_lose_their_session_together_share_the_new_one(github: ServedMcp, sessions: Sessions) -> None:
    async with connected(address(github)) as connection:
        await connection.tools()
        sessions.forget()
        answers = await asyncio.gather(*(call_output(connection, "list_issues", **TEA) for _ in range(4)))
    assert all("gift boxes" in answer for answer in answers)
    assert sessions.session_count == 2


async def test_a_call_that_the_server_still_works_on_keeps_its_lost_session(github: ServedMcp, sessions: Sessions) -> None:
    async with connected(address(github)) as connection:
        await connection.tools()
        github.gate = gate = Gate()
        slow = asyncio.create_task(call_output(connection, "get_me"))
        await gate.reached.wait_async()
        github.gate = None
        sessions.forget()
        assert "gift boxes" in await call_output(connection, "list_issues", **TEA)
        gate.release()
        assert "demo" in await slow
    assert github.calls() == ["get_me", "list_issues", "list_issues"]


async def test_a_server_that_loses_every_session_is_given_up(github: ServedMcp, sessions: Sessions) -> None:
    async with connected(address(github)) as connection:
        await connection.tools()
        sessions.forget()

        async def forget_again() -> None:
            await connection.tools()
            sessions.forget()

        with pytest.raises(McpSessionLost, match="was not carried out"):
            await connection.call("get_me", {}, before_repeat=forget_again)
        assert "demo" in await call_output(connection, "get_me")


@pytest.mark.parametrize(
    ("message", "server", "kind"),
    [
        ("Request timed out", McpServer(label="Tea", url="https://tea.example/mcp"), McpError),
        ("Timeout of the upstream", McpServer(label="Tea", url="https://tea.example/mcp"), McpError),
        ("Session not found", McpServer(label="Tea", stdio_server="tea"), McpError),
        ("Session not found", McpServer(label="Tea", url="https://tea.example/mcp"), McpSessionLost),
    ],
)
def test_the_code_that_means_two_things_is_told_apart_by_its_words(message: str, server: McpServer, kind: type[McpError]) -> None:
    problem = translate_error(MCPError(code=REQUEST_TIMEOUT, message=message), server=server, status=None)
    assert type(problem) is kind
    assert ("in time" in str(problem)) is (kind is McpError)
