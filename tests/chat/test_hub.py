"""One run's odd content and a viewer that leaves harm nobody else."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from chat.hub import Hub
from chat.log_writer import EventLogWriter, Watch
from tests.support.nesting import nested


def writer_of(run_id: UUID) -> EventLogWriter:
    return EventLogWriter(run_id, 1, first_seq=1, watch=Watch(list, lambda _: None, lambda: None))


async def is_over() -> bool:
    return False


@pytest.mark.parametrize("value", ["half a pair \ud83d", 2**70, float("inf"), {"a set"}, nested(300)])
async def test_a_chunk_that_json_has_no_place_for_ends_no_stream(value: Any) -> None:
    run_id = uuid4()
    writer = writer_of(run_id)
    writer.publish({"type": "data-odd", "data": {"value": value}})
    await writer.close(final=False)
    writer.publish({"type": "finish"})
    await writer.close(final=True)
    async with aclosing(Hub.current().follow(run_id, is_over)) as batches:
        replay = await anext(batches)
    assert [orjson.loads(chunk)["type"] for chunk in replay] == ["data-odd", "finish"]


async def test_nothing_of_a_viewer_stays_when_it_has_left() -> None:
    run_id, hub = uuid4(), Hub.current()
    writer = writer_of(run_id)
    writer.publish({"type": "start"})
    await writer.close(final=False)
    stream = hub.follow(run_id, is_over)
    await anext(stream)
    assert hub._viewers
    await stream.aclose()
    assert (hub._viewers, hub._last) == ({}, {})
