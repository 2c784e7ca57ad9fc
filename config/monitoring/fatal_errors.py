"""What a process says when it ends by an error: a traceback for people, one JSON object with LOG_FORMAT=json.

Knows no settings, because they may be what is wrong.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from datetime import UTC, datetime
from types import TracebackType


def is_json() -> bool:
    return os.environ.get("LOG_FORMAT", "").strip() == "json"


def say(text: str) -> None:
    """Write one line to the process's own standard error: Celery's beat has put its log in the place of sys.stderr."""
    print(_line(text) if is_json() else f"parley: {text}", file=sys.__stderr__, flush=True)


def install_hooks() -> None:
    """With LOG_FORMAT=json, let exceptions that nobody handles be one line, too."""
    if is_json():
        sys.excepthook = _say_exception
        threading.excepthook = lambda args: _say_exception(args.exc_type, args.exc_value, args.exc_traceback)


def _say_exception(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    """Say where it happened and the error's class; its text only when it is one of ours that names variables to set."""
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)[-20:]]
    text = str(error) if kind.__name__ in ("InvalidEnvironment", "ImproperlyConfigured") else ""
    print(_line("process_failed", error=kind.__name__, text=text, frames=frames), file=sys.__stderr__, flush=True)


def _line(event: str, **fields: object) -> str:
    return json.dumps({"time": datetime.now(UTC).isoformat(), "level": "critical", "event": event, **fields})
