"""A call that is only kept open is given up; one that says something, however slowly, goes on to the limit of all calls."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import StreamStalled
from agents.providers.connection import CALL_TIMEOUT_S, CONTENT_TIMEOUT_S
from agents.providers.streaming import StallDetector
from tests.agents.providers.harness import connection

PING, TEXT = {"type": "ping"}, {"type": "content_block_delta"}
Block = tuple[float, dict[str, Any] | None]


async def fault_of(*blocks: Block) -> str:
    """What ends a call whose blocks come so many seconds after its start; None is a comment line, "": nothing does."""
    times = iter([0.0, *(at for at, _ in blocks)])
    async with connection("http://127.0.0.1:9") as provider_connection:
        guard = StallDetector(provider_connection, clock=lambda: next(times))
    try:
        for _, event in blocks:
            if event:
                guard.note_event(event)
            guard.check()
    except StreamStalled as stall:
        assert list(times) == [], "too early"
        return str(stall)
    return ""


@pytest.mark.parametrize(
    "blocks",
    [[(CONTENT_TIMEOUT_S, PING), (CONTENT_TIMEOUT_S + 1, TEXT)], [(CONTENT_TIMEOUT_S - 1, TEXT), (CALL_TIMEOUT_S, None)]],
    ids=["late", "slow"],
)
async def test_an_answer_may_take_its_time(blocks: list[Block]) -> None:
    assert await fault_of(*blocks) == ""


@pytest.mark.parametrize("sign", [PING, None])
async def test_pings_and_comments_are_no_answer(sign: dict[str, Any] | None) -> None:
    assert "sent nothing" in await fault_of((1.0, TEXT), (CONTENT_TIMEOUT_S, sign), (CONTENT_TIMEOUT_S + 2, sign))


async def test_an_answer_ends_at_its_longest_time() -> None:
    assert "took too long" in await fault_of((CONTENT_TIMEOUT_S, TEXT), (CALL_TIMEOUT_S, TEXT), (CALL_TIMEOUT_S + 1, TEXT))
