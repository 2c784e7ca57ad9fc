"""Errors as logs have them: class, code and frames. An error's text may hold what people wrote, or a key, so it stays out (SECURITY 12, 35).

Texts of our own errors stay: ParleyError's are sentences of ours, and ImproperlyConfigured names variables to set.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, MutableMapping
from types import TracebackType
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

from tenants.errors import ParleyError

MAX_FRAMES: Final = 50  # of each error
MAX_ERRORS: Final = 10  # an error, those that caused it, and members of groups
ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def error_rows(exc_info: ExcInfo) -> list[dict[str, Any]]:
    """Return the error and what caused it, the newest first: `exc_type`, `code` and `text` where they are ours, `frames`."""
    return [{**_error_fields(error), "frames": _frames(error)} for error in _errors(exc_info[1])]


def error_text(exc_info: ExcInfo) -> str:
    """Return the same for people: frames with their lines of source."""
    parts = [[*traceback.format_tb(error.__traceback__)[-MAX_FRAMES:], _line(error)] for error in _errors(exc_info[1])]
    return "\ncaused by\n".join("".join(lines) for lines in parts)


def hide_error_texts(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """structlog processor for lines of libraries, which put an error's text and traceback into their sentence.

    Needs the sentence's arguments as `positional_args`, and takes them out.
    """
    arguments = event.pop("positional_args", None) or ()
    errors = [each for each in (arguments.values() if isinstance(arguments, dict) else arguments) if isinstance(each, BaseException)]
    if exc_info := event.get("exc_info"):
        errors += _errors(exc_info[1]) if exc_info[1] is not None else ()  # None: there was no error when it was logged
        event["event"] = str(event["event"]).partition("\n")[0]
    for error in errors:
        for text in filter(None, (repr(error), str(error))):
            event["event"] = str(event["event"]).replace(text, type(error).__name__)
    return event


def _errors(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, then what caused it, each once."""
    waiting, error_ids = [error], set[int]()
    while waiting and len(error_ids) < MAX_ERRORS:
        each = waiting.pop(0)
        if id(each) in error_ids:
            continue
        error_ids.add(id(each))
        yield each
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
        if cause := each.__cause__ or (None if each.__suppress_context__ else each.__context__):
            waiting.append(cause)


def _error_fields(error: BaseException) -> dict[str, str]:
    fields = {"exc_type": type(error).__name__}
    if isinstance(code := getattr(type(error), "code", None), str):
        fields["code"] = code
    if isinstance(error, ParleyError | ImproperlyConfigured):
        fields["text"] = str(error)
    return fields


def _line(error: BaseException) -> str:
    fields = _error_fields(error)
    return " ".join([fields.pop("exc_type"), *(f"{name}={value!r}" for name, value in fields.items())])


def _frames(error: BaseException) -> list[dict[str, Any]]:
    frames = list(traceback.walk_tb(error.__traceback__))[-MAX_FRAMES:]
    return [{"filename": frame.f_code.co_filename, "lineno": line, "name": frame.f_code.co_name} for frame, line in frames]
