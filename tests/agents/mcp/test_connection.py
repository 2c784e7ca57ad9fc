"""One connection to a real MCP server over HTTP: answers, and each way in which a server fails."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from pytest_django import Settings

from agents.tools.mcp.connection import McpConnection
from agents.tools.mcp.definitions import definitions_of, normalized_names
from agents.tools.mcp.error_translation import translate_error
from agents.tools.mcp.results import MAX_RESULT_BYTES, tool_outcome
from agents.tools.mcp.server import McpDisconnected, McpError, McpServer, McpUnauthorized
from doubles.signals import Gate
from security.secrets.secret_text import SecretText
from tests.support.agents.mcp import MCP_TOKEN, ServedMcp, github, mcp_double, odd_server

__all__ = ["github"]

TEA = {"owner": "demo", "repo": "tea"}


@pytest.fixture
def odd() -> Iterator[ServedMcp]:
    with mcp_double(odd_server()) as double:
        yield double


def address(double: ServedMcp, **changes: Any) -> McpServer:
    headers = {"Authorization": SecretText(f"Bearer {MCP_TOKEN}"), "X-MCP-Readonly": SecretText("true")}
    return replace(McpServer(label="Tea", url=double.url, headers=headers), **changes)


@asynccontextmanager
async def connected(server: McpServer) -> AsyncIterator[McpConnection]:
    """Closed from another task than the one that called, as the end of a run may do it."""
    connection = McpConnection(server)
    try:
        yield connection
    finally:
        await asyncio.create_task(connection.aclose())
        assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("mcp:")]


async def call_output(connection: McpConnection, tool: str, **arguments: Any) -> str:
    return str(tool_outcome(await connection.call(tool, arguments), connection.server).output)


async def test_calls_share_a_connection_that_carries_the_key(github: ServedMcp) -> None:
    async with connected(address(github)) as connection:
        assert {"list_issues", "search_repositories"} <= {tool.name for tool in await connection.tools()}
        answers = await asyncio.gather(*(call_output(connection, "list_issues", **TEA) for _ in range(4)))
    assert all("gift boxes" in answer for answer in answers)
    assert {request.headers["authorization"] for request in github.requests} == {f"Bearer {MCP_TOKEN}"}
    assert {request.headers["x-mcp-readonly"] for request in github.requests} == {"true"}
    assert len([request for request in github.requests if request.method == "server/discover"]) == 1


async def test_a_tool_that_fails_is_an_answer(github: ServedMcp) -> None:
    async with connected(address(github)) as connection:
        missing = tool_outcome(await connection.call("list_issues", {"owner": "demo", "repo": "coffee"}), connection.server)
        unknown = tool_outcome(await connection.call("make_tea", {}), connection.server)
    assert missing.is_error
    assert "404" in missing.output
    assert unknown.is_error


async def test_a_server_that_sends_its_key_back_is_not_quoted(odd: ServedMcp) -> None:
    async with connected(address(odd)) as connection:
        assert await call_output(connection, "echo") == "You sent Bearer [removed]"
    for encoded_token in (MCP_TOKEN[::-1], MCP_TOKEN.encode().hex(), base64.b64encode(f"Bearer {MCP_TOKEN}".encode()).decode()):
        assert "[removed]" in address(odd).hide_keys(f"You sent {encoded_token}")
    refusal = MCPError(code=-32000, message=f"{'x' * 290} {MCP_TOKEN} is no key of mine")
    assert MCP_TOKEN[:5] not in str(translate_error(refusal, server=address(odd), status=None))


@pytest.mark.parametrize(
    ("status", "kind", "text"),
    [
        (401, McpUnauthorized, "did not accept the key"),
        (403, McpUnauthorized, "did not accept the key"),
        (404, McpError, "Check its address"),
        (429, McpError, "too many requests"),
        (503, McpError, "a fault of its own"),
    ],
)
async def test_a_bad_status_is_said_in_a_sentence(github: ServedMcp, status: int, kind: type[McpError], text: str) -> None:
    github.status = status
    async with connected(address(github)) as connection:
        with pytest.raises(kind, match=text):
            await connection.tools()
        github.status = None
        assert await connection.tools()  # the next call opens a new connection


async def test_a_server_that_dies_in_a_call_is_asked_again_only_where_that_does_no_harm(github: ServedMcp) -> None:
    github.crashes_in, github.crashes_left = "issue_write", 2
    async with connected(address(github)) as connection:
        with pytest.raises(McpDisconnected, match="ended the connection"):
            await connection.call("issue_write", TEA | {"title": "More tea"})
        assert github.calls() == ["issue_write"]
        again = tool_outcome(await connection.call("issue_write", TEA | {"title": "More tea"}, repeatable=True), connection.server)
    assert "More tea" in again.output
    assert github.calls() == ["issue_write"] * 3


async def test_a_slow_server_is_given_up_and_can_be_asked_again(github: ServedMcp) -> None:
    github.gate = Gate()
    async with connected(address(github, timeout_s=1)) as connection:
        await connection.tools()
        with pytest.raises(McpError, match=r"within 1 seconds|in time"):
            await connection.call("get_me", {})
        github.gate.release()
        github.gate = None
        assert "demo" in await call_output(connection, "get_me")


async def test_a_server_may_be_silent_for_as_long_as_a_call_may_take(github: ServedMcp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than other requests may wait for a byte."""
    monkeypatch.setattr("security.egress.client.TIMEOUT", httpx2.Timeout(connect=10, read=0.3, write=10, pool=10))
    async with connected(address(github, timeout_s=20)) as connection:
        await connection.tools()
        github.gate = gate = Gate()
        calling = asyncio.create_task(call_output(connection, "get_me"))
        await asyncio.sleep(1)
        gate.release()
        assert "demo" in await calling


async def test_a_stopped_call_ends_at_once_and_leaves_nothing_behind(github: ServedMcp) -> None:
    github.gate = Gate()
    async with connected(address(github)) as connection:
        calling = asyncio.create_task(connection.call("get_me", {}))
        await github.gate.reached.wait_async()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        github.gate.release()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/mcp", "https://10.0.0.1/mcp", "https://user@example.org/mcp"])
async def test_only_checked_addresses_are_reached(url: str) -> None:
    async with connected(McpServer(label="Tea", url=url)) as connection:
        with pytest.raises(McpError, match="can't be reached, or does not speak"):
            await connection.tools()


async def test_programs_are_the_operators_alone(settings: Settings) -> None:
    code = "from doubles.mcp import github_server; github_server().run('stdio')"
    settings.MCP_STDIO_SERVERS = {"tea": {"command": sys.executable, "args": ["-c", code], "env": {"PYTHONPATH": "."}}}
    async with connected(McpServer(label="Tea", stdio_server="tea")) as connection:
        assert "gift boxes" in await call_output(connection, "list_issues", **TEA)
    async with connected(McpServer(label="Tea", stdio_server="nobody")) as connection:
        with pytest.raises(McpError, match="MCP_STDIO_SERVERS"):
            await connection.tools()


async def test_answers_of_all_kinds_fit_a_model(odd: ServedMcp) -> None:
    async with connected(address(odd)) as connection:
        big, numbers = await call_output(connection, "big"), await call_output(connection, "numbers")
        mixed, bare, huge = [await call_output(connection, tool) for tool in ("mixed", "bare", "huge")]
        names = normalized_names(definitions_of(await connection.tools())[0])
    assert len(big.encode()) == MAX_RESULT_BYTES
    assert "1,000,000 bytes" in big
    assert "7" in numbers
    assert bare == '{"seven":7}'
    assert json.loads(huge) == {"atoms": 10**30}
    assert mixed.split("\n\n") == ["Use [removed] to sign in.", "[image, image/png, not shown]", "[resource Tea: repo://tea]"]
    assert names["Odd.Name/here"] == "odd_name_here"
