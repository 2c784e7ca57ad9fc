"""A stream of server-sent events: its order, its comments in a silence, a slow reader, and what it leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import cast

import pytest

from chat.api import sse
from chat.api.access_watch import AccessWatch, WatchedConnection
from chat.api.sse import EventStream

CONNECTION = cast(WatchedConnection, object())


@pytest.fixture(autouse=True)
def no_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AccessWatch, "add", lambda *_: None)
    monkeypatch.setattr(AccessWatch, "remove", lambda *_: None)


class Source:
    """Yields numbered events; waits at `gate` after so many of them, and counts those that were taken."""

    def __init__(self, events: int, waits_after: int = -1, error: Exception | None = None) -> None:
        self.taken_count, self.is_closed, self.gate = 0, False, asyncio.Event()
        self._events, self._waits_after, self._error = events, waits_after, error

    async def generate(self) -> AsyncGenerator[bytes, None]:
        try:
            for number in range(self._events):
                if number == self._waits_after:
                    await self.gate.wait()
                self.taken_count += 1
                yield b"%d," % number
                await asyncio.sleep(0)
            if self._error is not None:
                raise self._error
        finally:
            self.is_closed = True


def numbers(count: int) -> bytes:
    return b"".join(b"%d," % number for number in range(count))


async def test_all_events_come_in_order_to_a_fast_and_a_slow_reader() -> None:
    for pause_s in (0, 0.001):
        source, output = Source(100), b""
        async for event in EventStream(source.generate()).events(CONNECTION):
            output += event
            assert source.taken_count - output.count(b",") <= sse.MAX_WAITING_EVENTS, "the source waits for a reader that lags"
            await asyncio.sleep(pause_s)
        assert (output, source.is_closed) == (numbers(100), True)


async def test_a_silence_is_filled_with_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_S", 0.03)
    source, events = Source(2, waits_after=1), list[bytes]()
    async for event in EventStream(source.generate()).events(CONNECTION):
        events.append(event)
        if events.count(b": still here\n\n") == 3:
            source.gate.set()
    assert events == [b"0,", *[b": still here\n\n"] * 3, b"1,"]


async def test_an_error_follows_the_events_before_it() -> None:
    events: list[bytes] = []

    async def read_each() -> None:
        async for event in EventStream(Source(3, error=ValueError("it broke")).generate()).events(CONNECTION):
            events.append(event)  # noqa: PERF401 - the list would be lost with the error

    with pytest.raises(ValueError, match="it broke"):
        await read_each()
    assert b"".join(events) == numbers(3)


async def test_an_error_instead_of_a_first_event_is_raised_before_the_stream_begins() -> None:
    stream = EventStream(Source(0, error=ValueError("it broke")).generate())
    with pytest.raises(ValueError, match="it broke"):
        await stream.begin(5)
    await stream.close()


async def test_a_stream_begins_without_an_event_that_takes_too_long() -> None:
    source = Source(1, waits_after=0)
    stream = EventStream(source.generate())
    await stream.begin(0.01)
    source.gate.set()
    assert [event async for event in stream.events(CONNECTION)] == [b"0,"]


@pytest.mark.parametrize("leaves", [True, False])
async def test_a_reader_that_leaves_or_whose_access_ends_closes_the_source(leaves: bool) -> None:
    source = Source(2, waits_after=1)
    stream = EventStream(source.generate())
    events = stream.events(CONNECTION)
    assert await anext(events) == b"0,"
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0.01)
    if leaves:
        waiting.cancel()
    else:
        await stream.end()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert source.is_closed
