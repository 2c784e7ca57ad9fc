"""Errors reach a server that speaks Sentry's protocol, with where they were raised and without what anybody wrote."""

from __future__ import annotations

import gzip
import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import sentry_sdk
import structlog
from pytest_django import Settings
from structlog.contextvars import bound_contextvars, clear_contextvars

from telemetry.error_reports import ErrorReporter, start_error_reports

PRIVATE = "the diary of Bob"


@pytest.fixture
def error_endpoint() -> Iterator[tuple[str, list[bytes]]]:
    """A DSN, and the envelopes that came there."""
    envelopes: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            envelopes.append(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the standard library's name
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://public@127.0.0.1:{server.server_port}/7", envelopes
        server.shutdown()


def test_an_error_is_reported_without_its_text(error_endpoint: tuple[str, list[bytes]], settings: Settings) -> None:
    settings.SENTRY_DSN, envelopes = error_endpoint
    clear_contextvars()  # what another test of this process has left
    root = logging.getLogger()
    before = [*root.handlers]
    try:
        start_error_reports("worker")
        with bound_contextvars(run_id="r-1", request_id="q-1", title=PRIVATE):
            try:
                _fail(PRIVATE)
            except ValueError:
                structlog.get_logger("chat.runs").exception("run_crashed", question=PRIVATE)
                logging.getLogger("library").exception("It failed for %s", PRIVATE)
        structlog.get_logger("chat.runs").warning("only_a_warning")
        sentry_sdk.flush(10)
    finally:
        root.handlers[:] = before
        sentry_sdk.init(None)

    events = [event for envelope in envelopes for event in events_of(envelope)]
    assert [event["message"] for event in events] == ["run_crashed", "It failed for %s"]
    [crash] = events[0]["exception"]["values"]
    assert (crash["type"], crash["stacktrace"]["frames"][-1]["function"], "value" in crash) == ("ValueError", "_fail", False)
    assert events[0]["tags"] == {"part": "worker", "run_id": "r-1", "request_id": "q-1"}
    assert PRIVATE.encode() not in b"".join(envelopes)


def test_nothing_is_reported_without_a_server(settings: Settings) -> None:
    settings.SENTRY_DSN = ""
    start_error_reports("web")
    assert not [handler for handler in logging.getLogger().handlers if isinstance(handler, ErrorReporter)]


def _fail(text: str) -> None:
    raise ValueError(text)


def events_of(envelope: bytes) -> list[dict[str, Any]]:
    """The events of an envelope: lines of JSON, of which each item's header comes before its payload."""
    _, *items = [json.loads(line) for line in envelope.splitlines() if line]
    return [payload for header, payload in zip(items[::2], items[1::2], strict=True) if header["type"] == "event"]
