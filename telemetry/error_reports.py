"""Reports errors to a server that speaks Sentry's protocol, when SENTRY_DSN names one: what the log says at the level ERROR.

A report has the event's name, the error's class, where it was raised, and ids. It has no error's text, no variables, no source, no request:
any of them may hold what people wrote. sentry-sdk is an optional dependency, and none of its integrations is on.
"""

from __future__ import annotations

import logging
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from structlog.contextvars import get_contextvars

if TYPE_CHECKING:
    from sentry_sdk.types import Event

IDS: Final = ("request_id", "organization_id", "run_id", "trace_id")
MAX_FRAMES: Final = 50
FLUSH_S: Final = 2.0


def start_error_reports(part: str) -> None:
    """Report from now on. `part`: web, worker or beat. Does nothing without a DSN, and loads nothing."""
    if not settings.SENTRY_DSN:
        return
    import sentry_sdk

    sentry_sdk.init(
        settings.SENTRY_DSN,
        default_integrations=False,
        auto_enabling_integrations=False,
        include_local_variables=False,
        include_source_context=False,
        max_breadcrumbs=0,
        send_client_reports=False,
        shutdown_timeout=FLUSH_S,
    )
    logging.getLogger().addHandler(ErrorReporter(part))


class ErrorReporter(logging.Handler):
    """Reports each record of the level ERROR and above."""

    def __init__(self, part: str) -> None:
        super().__init__(logging.ERROR)
        self._part = part

    def emit(self, record: logging.LogRecord) -> None:
        import sentry_sdk

        if not record.name.startswith("sentry_sdk"):  # what it says of its own failures
            sentry_sdk.capture_event(report_of(record, self._part))


def report_of(record: logging.LogRecord, part: str) -> Event:
    ids = {name: str(value) for name, value in get_contextvars().items() if name in IDS}
    report: Event = {
        "level": "fatal" if record.levelno >= logging.CRITICAL else "error",
        "logger": record.name,
        "message": _name_of(record),
        "tags": {"part": part, **ids},
    }
    if record.exc_info and record.exc_info[0] is not None:
        kind, _, trace = record.exc_info
        report["exception"] = {"values": [{"type": kind.__name__, "module": kind.__module__, "stacktrace": {"frames": _frames(trace)}}]}
    return report


def _name_of(record: logging.LogRecord) -> str:
    """Return the event's name, or a library's sentence before anything is put into it."""
    if isinstance(record.msg, dict):
        return str(record.msg.get("event", ""))
    # asyncio puts an error's text below its first line; whoever logs an error itself has its text there.
    return record.msg.partition("\n")[0] if isinstance(record.msg, str) else type(record.msg).__name__


def _frames(trace: TracebackType | None) -> list[dict[str, Any]]:
    """Return where the error passed, the outermost first."""
    frames = [(frame, line) for frame, line in traceback.walk_tb(trace)][-MAX_FRAMES:]
    return [
        {
            "filename": frame.f_code.co_filename,
            "function": frame.f_code.co_name,
            "module": frame.f_globals.get("__name__", ""),
            "lineno": line,
        }
        for frame, line in frames
    ]
