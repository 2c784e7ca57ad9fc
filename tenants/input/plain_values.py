"""Values from files, servers and forms that the database, a release and every language's JSON can hold.

Python's readers of JSON and YAML give more: NaN, numbers of any size, dates, halves of characters, any depth.
"""

from __future__ import annotations

import math
from typing import Any, Final

from django.utils.translation import gettext

MAX_DEPTH: Final = 100  # below what any of our writers and readers of JSON refuses
MAX_SHOWN: Final = 200  # characters of a place
_LEAST, _MOST = -(2**63), 2**64 - 1  # what 64 bits hold, with a sign or without


class NotPlain(ValueError):
    """Something can't be kept. `str(error)` is a sentence that begins with its place."""


def plain_check(value: Any, where: str) -> None:
    """Raise NotPlain for the first part of a value that can't be kept. `where`: the value's place, as a reader knows it; "": the whole of a file."""
    _check(value, where, 0)


def is_deeper(value: Any, limit: int) -> bool:
    """Return whether more than `limit` objects and lists are inside each other."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return limit == 0 or any(is_deeper(each, limit - 1) for each in inner)


def _check(value: Any, where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _refusal(where, gettext("%(where)s: it is nested too deeply."))
    if isinstance(value, dict):
        for key, part in value.items():
            _check_scalar(key, where)
            _check(part, f"{where}.{str(key)[:MAX_SHOWN]}".removeprefix("."), depth + 1)
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            _check(part, f"{where}[{place}]", depth + 1)
    else:
        _check_scalar(value, where)


def _check_scalar(value: Any, where: str) -> None:
    match value:
        case None | bool():
            return
        case str():
            text_check(value, where)
        case float() if not math.isfinite(value):
            raise _refusal(where, gettext("%(where)s: this is no number that can be kept (infinity, too large, or none at all)."))
        case int() | float():
            # The database gives a whole float back as an int.
            if (isinstance(value, int) or value.is_integer()) and not _LEAST <= value <= _MOST:
                raise _refusal(where, gettext("%(where)s: the number has too many digits."))
        case _:
            raise _refusal(where, gettext("%(where)s: only texts, numbers, yes, no, lists and objects can be kept. Put dates in quotes."))


def text_check(text: str, where: str) -> None:
    """Raise NotPlain for a text that can't be kept."""
    if "\x00" in text:
        raise _refusal(where, gettext("%(where)s: it has a null character, which can't be kept."))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _refusal(where, gettext("%(where)s: it has half of a character, which can't be kept.")) from None


def _refusal(where: str, sentence: str) -> NotPlain:
    where = where or gettext("the file")
    place = where if len(where) <= MAX_SHOWN else f"{where[: MAX_SHOWN // 2]}…{where[-MAX_SHOWN // 2 :]}"
    return NotPlain(sentence % {"where": place.replace("\x00", "").encode(errors="replace").decode()})
