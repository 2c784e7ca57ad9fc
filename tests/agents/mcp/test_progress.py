"""Progress of a call: it is asked for, starts the call's clock again, and has an end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
from mcp.server.mcpserver import Context, MCPServer

from agents.messages import DataPart
from agents.tools.mcp.call_clock import CallClock
from agents.tools.mcp.progress import INTERVAL_S, MAX_TEXT_CHARS, Progress, ProgressCard
from agents.tools.mcp.results import tool_outcome
from agents.tools.mcp.server import McpError
from doubles.github.server import READ
from doubles.mcp.sessions import Sessions
from tests.agents.mcp.test_connection import address, connected
from tests.support.agents.mcp import MCP_TOKEN, ServedMcp, mcp_double


def workshop() -> MCPServer:
    server: MCPServer = MCPServer("workshop")

    async def build(ctx: Context, steps: int, pause_s: float) -> str:
        """Build something."""
        for step in range(1, steps + 1):
            await asyncio.sleep(pause_s)
            await ctx.report_progress(step, steps, f"Step {step}, Bearer {MCP_TOKEN}")
        return "Built."

    server.add_tool(build, annotations=READ, structured_output=False)
    return server


@pytest.fixture(params=[False, True], ids=["without sessions", "with sessions"])
def workshop_double(request: pytest.FixtureRequest) -> Iterator[ServedMcp]:
    with mcp_double(workshop()) as double:
        double.sessions = Sessions() if request.param else None
        yield double


async def test_progress_is_told_without_keys_and_lets_a_call_take_longer_than_its_limit(workshop_double: ServedMcp) -> None:
    steps: list[Progress] = []
    async with connected(address(workshop_double, timeout_s=2)) as connection:
        await connection.tools()
        start = time.monotonic()
        result = await connection.call("build", {"steps": 4, "pause_s": 0.7}, on_progress=steps.append)
        assert time.monotonic() - start > 2.5
        assert tool_outcome(result, connection.server).output == "Built."
        with pytest.raises(McpError, match="within 2 seconds"):
            await connection.call("build", {"steps": 1, "pause_s": 30})
    assert [(step.percent, step.message) for step in steps] == [(25 * step, f"Step {step}, Bearer [removed]") for step in (1, 2, 3, 4)]


async def keep_going(clock: CallClock) -> None:
    async with clock.limit():
        while True:
            await asyncio.sleep(0.05)
            clock.restart()


async def test_a_call_ends_however_much_progress_it_reports_and_however_often_it_is_repeated() -> None:
    clock = CallClock(0.2, total_s=0.5)
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        await keep_going(clock)
    assert time.monotonic() - start > 0.4
    clock.restart()  # late progress changes nothing
    with pytest.raises(TimeoutError):
        await keep_going(clock)


@pytest.mark.parametrize(
    ("progress", "total", "percent"),
    [(1, 4, 25), (5, 4, 100), (-1, 4, 0), (1, None, None), (1, 0, None), (1, -3, None), (float("nan"), 4, None), (float("inf"), 4, None)],
)
def test_progress_is_a_percentage_where_it_has_a_total(progress: float, total: float | None, percent: int | None) -> None:
    assert Progress(progress, total, "").percent == percent


class DataPartSink:
    """A journal that only shows data parts."""

    def __init__(self) -> None:
        self.parts: list[DataPart] = []

    def data(self, part: DataPart) -> None:
        self.parts.append(part)


async def test_a_card_changes_at_most_twice_a_second_and_ends_with_the_newest() -> None:
    sink = DataPartSink()
    with ProgressCard(sink, "c1") as card:
        for number in range(100):
            card.show(Progress(number, 100, f"{number} " + "x" * 1000))
        await asyncio.sleep(INTERVAL_S * 1.5)
        assert [part.data["percent"] for part in sink.parts] == [0, 99]
        card.show(Progress(100, 100, ""))
    await asyncio.sleep(INTERVAL_S * 1.5)
    assert len(sink.parts) == 2, "the call has ended"
    assert all(part.transient and len(part.data["text"]) <= MAX_TEXT_CHARS and part.data["callId"] == "c1" for part in sink.parts)
