"""The MCP project's own example server, unmodified (npm `@modelcontextprotocol/server-everything`), over Streamable HTTP: a stranger's SDK, in another language."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from agents.tools.mcp.connection import McpConnection
from agents.tools.mcp.definitions import definitions_of, normalized_names
from agents.tools.mcp.results import MAX_RESULT_BYTES, tool_outcome
from agents.tools.mcp.server import McpError, McpServer
from tests.support.chat.workspace import allow_egress
from tools.frontend import SOURCES, node_home

SERVER = SOURCES / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
TRIES = 5  # another process may take the free port first


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _started(port: int) -> subprocess.Popen[str]:
    command = [str(node_home() / "bin" / "node"), str(SERVER), "streamableHttp"]
    return subprocess.Popen(command, env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def everything() -> Iterator[McpServer]:
    for _ in range(TRIES):
        port = _free_port()
        with _started(port) as process:
            assert process.stderr is not None
            if any("listening" in line for line in process.stderr):
                try:
                    with allow_egress(f"http://127.0.0.1:{port}"):
                        yield McpServer(label="Everything", url=f"http://127.0.0.1:{port}/mcp")
                finally:
                    process.kill()
                return
    pytest.fail("The example server does not start.")


async def test_the_example_servers_tools_are_offered_and_answer(everything: McpServer) -> None:
    connection = McpConnection(everything)
    try:
        names = set(normalized_names(definitions_of(await connection.tools())[0]).values())
        assert {"echo", "get_sum", "get_structured_content", "trigger_long_running_operation"} <= names
        calls = [connection.call("echo", {"message": "Tea"}), connection.call("get-sum", {"a": 2, "b": 40})]
        outputs = [tool_outcome(result, everything).output for result in await asyncio.gather(*calls)]
        assert outputs == ["Echo: Tea", "The sum of 2 and 40 is 42."]
        large = tool_outcome(await connection.call("echo", {"message": "x" * 1_000_000}), everything)
        assert len(str(large.output).encode()) <= MAX_RESULT_BYTES
    finally:
        await connection.aclose()


async def test_a_call_that_takes_too_long_fails_with_a_sentence_and_the_next_one_works(everything: McpServer) -> None:
    connection = McpConnection(replace(everything, timeout_s=3))
    try:
        with pytest.raises(McpError, match="did not answer"):
            await connection.call("trigger-long-running-operation", {"duration": 30, "steps": 3})
    finally:
        await connection.aclose()
    again = McpConnection(everything)
    try:
        assert tool_outcome(await again.call("echo", {"message": "Still here"}), everything).output == "Echo: Still here"
    finally:
        await again.aclose()
