"""Problems of connection tests in the reader's language. They are stored in English, for readers of other languages (docs/decisions/0062)."""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext

_SENTENCE_ENDS: Final = re.compile(r"(?<=\.) ")
_AGAIN: Final = re.compile(r"Try again in (\d+) s\.")


def problem_text(problem: str) -> str:
    """Return the stored problem with its marked sentences in the reader's language; what a provider said stays."""
    whole = _translate(problem)
    return whole if whole != problem else " ".join(map(_sentence, _SENTENCE_ENDS.split(problem)))


def _sentence(text: str) -> str:
    if again := _AGAIN.fullmatch(text):
        return gettext("Try again in %(seconds)s s.") % {"seconds": again[1]}
    if (translation := _translate(text)) != text:
        return translation
    start, end, detail = text.partition(": ") if ": " in text else text.rpartition(".")
    return f"{_translate(start)}{end}{detail}"


def _translate(text: str) -> str:
    return gettext(text) if text else ""  # gettext("") would return the catalogue's header
