"""The event log between two owners and with a slow viewer."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import orjson
import pytest
from pytest_django import Settings

from chat.stream import log_flusher
from chat.stream.event_log import ACTIVE_TTL_MS, ENDED_TTL_MS, LeaseLost, LogEntry, LogKeys, log_reset, read_log, signal_input
from chat.stream.log_append import AppendCall, Reply, append_to_logs
from chat.stream.log_flusher import REDIS_PAUSE_S, LogFlusher
from chat.stream.log_writer import EventLogWriter, WriterCallbacks
from chat.stream.viewer import MAX_QUEUE_ENTRIES, LogRebuilt, Viewer
from tenants.redis.clients import close_redis, redis_client
from tests.support.suite.time_limits import scaled_to_load

pytestmark = pytest.mark.redis

PIECES = 60
TEXT = {"type": "text-delta", "id": "t", "delta": "x"}


def callbacks(ends: list[str], inputs: list[str] | None = None) -> WriterCallbacks:
    return WriterCallbacks(list, ends.append, lambda: (inputs if inputs is not None else []).append("input"))


def writer_of(run_id: Any, epoch: int, ends: list[str]) -> EventLogWriter:
    return EventLogWriter(run_id, epoch, first_seq=1, callbacks=callbacks(ends))


async def chunk_types(run_id: Any) -> list[str]:
    return [orjson.loads(chunk)["type"] for entry in await read_log(run_id) for chunk in entry.chunks]


async def test_a_former_owner_cannot_slip_in_before_the_next_ones_first_words() -> None:
    run_id, ends = uuid4(), list[str]()
    former = writer_of(run_id, 1, ends)
    former.publish({"type": "start"})
    await former.close(final=False)

    following, log_state = await EventLogWriter.resume(run_id, 2, callbacks=callbacks(ends))
    assert log_state is not None
    former.publish(dict(TEXT))
    with pytest.raises(LeaseLost):
        await former.close(final=False)
    following.publish({"type": "reset-step"})
    await following.close(final=True)

    assert await chunk_types(run_id) == ["start", "reset-step"]
    assert (log_state.steps, ends) == (0, ["lost"])


async def test_an_older_owner_cannot_resume() -> None:
    run_id = uuid4()
    await EventLogWriter.resume(run_id, 3, callbacks=callbacks([]))
    with pytest.raises(LeaseLost):
        await EventLogWriter.resume(run_id, 2, callbacks=callbacks([]))


async def test_a_viewer_that_lags_reads_the_rest_from_the_log() -> None:
    run_id = uuid4()
    writer = writer_of(run_id, 1, [])
    viewer = Viewer(run_id)
    for number in range(MAX_QUEUE_ENTRIES + 20):
        writer.publish({"type": "text-delta", "id": str(number), "delta": "x"})
        await writer.close(final=False)
        viewer.push((await read_log(run_id, after=number))[0])

    numbers: list[int] = []
    while len(numbers) < MAX_QUEUE_ENTRIES + 20:
        numbers += [entry.seq for entry in await viewer.next()]
    assert numbers == list(range(1, MAX_QUEUE_ENTRIES + 21))


@pytest.mark.parametrize("lost_ids", [(), ("3-0",), ("2-0", "3-0"), ("3-0", "4-0", "5-0")])
async def test_who_saw_a_step_that_redis_lost_before_a_takeover_attaches_again(lost_ids: tuple[str, ...]) -> None:
    run_id = uuid4()
    former = writer_of(run_id, 1, [])
    kinds = (
        ("start", "start-step", "text-start", "text-delta", "start-step") if "5-0" in lost_ids else ("start", "start-step", "text-start")
    )
    for kind in kinds:
        former.publish({"type": kind, "id": "t", "delta": ""})
        await former.close(final=False)
    viewer = Viewer(run_id)
    assert [entry.seq for entry in await viewer.next()] == list(range(1, len(kinds) + 1))
    if lost_ids:
        await redis_client().xdel(LogKeys.of(run_id).log, *lost_ids)

    following, _ = await EventLogWriter.resume(run_id, 2, callbacks=callbacks([]))
    following.publish({"type": "reset-step"})
    await following.close(final=False)
    following.publish({"type": "finish"})
    await following.close(final=True)
    for entry in await read_log(run_id, after=len(kinds)):
        viewer.push(entry)

    if {"2-0", "5-0"} & set(lost_ids):
        with pytest.raises(LogRebuilt):
            await viewer.next()
    else:
        assert [orjson.loads(chunk)["type"] for entry in await viewer.next() for chunk in entry.chunks] == ["reset-step", "finish"]


async def test_a_run_that_redis_refuses_holds_up_no_other() -> None:
    refused_id, other_id = uuid4(), uuid4()
    await redis_client().set(LogKeys.of(refused_id).log, "no stream")
    entries: asyncio.Queue[LogEntry] = asyncio.Queue()
    refused_writer = writer_of(refused_id, 1, [])
    other_writer = EventLogWriter(
        other_id, 1, first_seq=1, callbacks=WriterCallbacks(list, lambda _: None, lambda: None, entries.put_nowait)
    )
    for writer in (refused_writer, other_writer):
        writer.publish({"type": "start"})
        writer.start()
    async with asyncio.timeout(PIECES * REDIS_PAUSE_S / 2):  # a pause for all would make it twice as long; it takes a second
        for number in range(PIECES):
            other_writer.publish({"type": "text-start", "id": str(number)})
            await entries.get()
    assert LogFlusher.current()._retry_at.keys() == {refused_writer}

    await redis_client().delete(LogKeys.of(refused_id).log)
    for writer in (refused_writer, other_writer):
        await writer.close(final=True)
    assert await chunk_types(refused_id) == ["start"], "it was kept until Redis took it"


async def test_what_says_nothing_by_itself_is_logged_with_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_flusher, "IDLE_FLUSH_S", 600.0)
    run_id, entries = uuid4(), asyncio.Queue[LogEntry]()
    writer = EventLogWriter(run_id, 1, first_seq=1, callbacks=replace(callbacks([]), on_entry=entries.put_nowait))
    writer.start()
    async with asyncio.timeout(scaled_to_load(10)):
        for kind in ("start", "start-step"):
            writer.publish({"type": kind})
            assert [orjson.loads(chunk)["type"] for chunk in (await entries.get()).chunks] == [kind], (
                "viewers in this process see it at once"
            )
    await writer.close(final=True)
    assert [len(entry.chunks) for entry in await read_log(run_id)] in ([2], [2, 0]), "the end may be in the same entry"


async def test_nothing_follows_the_end_of_a_log_that_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the heartbeat's estimate of what the answer costs: pages would wait for an end that they had missed."""
    monkeypatch.setattr(log_flusher, "SHOW_INTERVAL_S", 0.0)
    run_id, entries = uuid4(), list[LogEntry]()
    writer = EventLogWriter(run_id, 1, first_seq=1, callbacks=replace(callbacks([]), on_entry=entries.append))
    writer.publish(TEXT)
    closing = asyncio.create_task(writer.close(final=True))
    await asyncio.sleep(0)  # it waits for Redis now
    writer.publish({"type": "message-metadata", "messageMetadata": {}})
    await closing
    assert await chunk_types(run_id) == ["text-delta"]
    assert [(await read_log(run_id))[-1].end, entries[-1].end] == [True, True]


async def test_the_owner_learns_with_its_next_flush_that_something_was_sent_into_the_run() -> None:
    run_id, inputs = uuid4(), list[str]()
    writer = EventLogWriter(run_id, 1, first_seq=1, callbacks=callbacks([], inputs))
    await signal_input(run_id)
    await writer.close(final=False)
    await writer.close(final=False)
    assert inputs == ["input"]


async def test_the_log_of_a_paused_run_is_replaced_when_the_run_goes_on() -> None:
    run_id = uuid4()
    writer = writer_of(run_id, 1, [])
    writer.publish({"type": "start"})
    await writer.close(final=True)

    snapshot = WriterCallbacks(lambda: [{"type": "start"}, {"type": "start-step"}], lambda _: None, lambda: None)
    following, log_state = await EventLogWriter.resume(run_id, 2, callbacks=snapshot)
    await following.close(final=False)
    assert log_state is None
    entries = await read_log(run_id)
    assert [(entry.snapshot, entry.end, len(entry.chunks)) for entry in entries] == [(True, False, 2)]


async def test_a_log_that_is_lost_with_an_unanswered_flush_is_shown_to_who_saw_that(monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = uuid4()
    writer = EventLogWriter(run_id, 1, first_seq=1, callbacks=WriterCallbacks(lambda: [{"type": "start"}], lambda _: None, lambda: None))
    writer.publish({"type": "start"})
    await writer.close(final=False)
    writer.publish(dict(TEXT))
    appended = asyncio.Event()
    replies = iter([ConnectionError("its answer was lost")])

    async def append_with_lost_answer(calls: Sequence[AppendCall]) -> list[Reply]:
        answers = await append_to_logs(calls)
        appended.set()
        return [next(replies, answer) for answer in answers]

    monkeypatch.setattr("chat.stream.log_flusher.append_to_logs", append_with_lost_answer)
    writer.start()
    await appended.wait()
    (entry,) = await read_log(run_id, after=1)

    await redis_client().delete(LogKeys.of(run_id).log)
    writer.publish({"type": "finish"})
    await writer.close(final=True)
    assert (await read_log(run_id, after=entry.seq))[0].snapshot


async def test_a_log_that_is_written_lives_a_day_and_one_that_has_ended_a_minute() -> None:
    run_id = uuid4()
    writer = writer_of(run_id, 1, [])
    lives_ms = []
    for is_last in (False, True):
        writer.publish(dict(TEXT))
        await writer.close(final=is_last)
        lives_ms.append(await redis_client().pttl(LogKeys.of(run_id).log))
    assert ACTIVE_TTL_MS - 10_000 < lives_ms[0] <= ACTIVE_TTL_MS
    assert ENDED_TTL_MS - 10_000 < lives_ms[1] <= ENDED_TTL_MS


async def test_the_late_end_of_a_pause_does_not_come_back_when_the_run_goes_on() -> None:
    run_id, ends = uuid4(), list[str]()
    writer = writer_of(run_id, 1, ends)
    writer.publish({"type": "finish"})
    await log_reset(run_id, 2)
    with pytest.raises(LeaseLost):
        await writer.close(final=True)
    assert await read_log(run_id) == []


async def test_a_writer_that_closes_waits_for_a_redis_that_hangs_in_seconds(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.stream.log_writer.CLOSE_TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.REDIS_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        await close_redis()
        writer = writer_of(uuid4(), 1, [])
        writer.publish({"type": "start"})
        async with asyncio.timeout(scaled_to_load(3)):
            await writer.close(final=False)
    await close_redis()
