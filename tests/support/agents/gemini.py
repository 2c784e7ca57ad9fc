"""The Gemini double on a real loopback port, in a thread of its own, for sync and async tests and for processes they start.

    with gemini_double() as double:
        double.answer(Text("Hello"))
        ...  # double.base_url, double.key

or ask for the fixture `gemini` (listed in the root conftest or imported by a test module).
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from doubles.gemini import GeminiDouble
from doubles.server import server

TEST_KEY = "test-key"
# Long, and like no vendor's keys: tests that use it look for it where no key may be (tests/chat/conftest.py).
CANARY_KEY = "CanaryOfTheSuite7Qz41xWv9Tn3"


class ServedGemini(GeminiDouble):
    """A double that knows where it is served; `base_url` has no trailing slash."""

    base_url = ""
    key = CANARY_KEY

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"keys": (CANARY_KEY, TEST_KEY)} | options)


@contextmanager
def gemini_double(**options: Any) -> Iterator[ServedGemini]:
    """A fresh double, served until the block ends. `options`: GeminiDouble's."""
    double = ServedGemini(**options)
    with serve(double) as double.base_url:
        yield double


@contextmanager
def serve(app: Any, host: str = "127.0.0.1") -> Iterator[str]:
    """Serve an ASGI application on a free port; gives its base URL."""
    with socket.socket() as listener:
        listener.bind((host, 0))
        uvicorn_server = server(app)
        thread = threading.Thread(target=uvicorn_server.run, args=([listener],), name="provider double", daemon=True)
        thread.start()
        uvicorn_server.ready.wait()
        try:
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            uvicorn_server.stop()
            thread.join(timeout=10)


@pytest.fixture
def gemini() -> Iterator[ServedGemini]:
    with gemini_double() as double:
        yield double
