"""Sampled stacks fall into the areas that a reader of the profile knows."""

from __future__ import annotations

import pytest

from bench.profiling import LOOP, shares

ROOT = "MainThread;main (uvicorn/main.py:1);run (uvicorn/server.py:2);Runner.run (asyncio/runners.py:118)"


@pytest.mark.parametrize(
    ("stack", "area"),
    [
        (ROOT, LOOP),
        (
            f"{ROOT};stream (agents/providers/google/adapter.py:60);aiter_raw (httpx2/_models.py:5);loads (json/__init__.py:1)",
            "model's socket and HTTP client",
        ),
        (f"{ROOT};stream (agents/providers/google/adapter.py:60)", "adapter, SDK, engine, journal"),
        (f"{ROOT};flush (chat/stream/log_flusher.py:9);write (asyncio/streams.py:344)", "event log and Redis"),
        (f"{ROOT};send (channels/generic/websocket.py:9);send (uvicorn/protocols/websockets/x.py:3)", "hub, Channels, socket server"),
        ("worker;_worker (concurrent/futures/thread.py:83);call (tenants/db.py:70);execute (psycopg/cursor.py:3)", "database"),
        (f"{ROOT};message_post (chat/api/frames.py:1)", "the send's other code"),
    ],
)
def test_a_sample_counts_where_the_innermost_known_function_is(stack: str, area: str) -> None:
    assert shares([f"{stack} 3\n", f"{stack} 2\n"]) == {area: 5}


@pytest.mark.parametrize(
    "leaf",
    ["_worker (concurrent/futures/thread.py:81)", "Condition.wait (threading.py:331)", "Connection.wait (psycopg/connection.py:495)"],
)
def test_threads_that_wait_do_not_count(leaf: str) -> None:
    assert not shares([f"worker;run (threading.py:9);{leaf} 7\n"])
