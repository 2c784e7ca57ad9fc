"""Answers that a model wrapped in a code fence, although it was asked for the bare text."""

from __future__ import annotations

import re
from collections.abc import Collection

_FENCED = re.compile(r"\A\s*(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]*)\n(?P<body>.*\n)?(?P=fence)\s*\Z", re.DOTALL)
_INNER = re.compile(r"^(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]+)\n(?P<body>.*?\n)(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE)


def without_fence(text: str, languages: Collection[str]) -> str:
    """Return the body when one code fence of those languages wraps the whole text, else the text unchanged."""
    match = _FENCED.match(text)
    if match is None or match["language"].strip().lower() not in languages:
        return text
    body = match["body"] or ""
    return body if _fences_are_paired(body, match["fence"]) else text


def only_fence(text: str, languages: Collection[str]) -> str:
    """Return the body of the one fence of those languages that stands among other words, else the text unchanged."""
    found = [match for match in _INNER.finditer(text) if match["language"].strip().lower() in languages]
    return found[0]["body"] if len(found) == 1 else text


def _fences_are_paired(body: str, fence: str) -> bool:
    """False when the fence that wraps was closed inside `body`: then it never wrapped the whole text."""
    inside = False
    for info in re.findall(rf"^{fence}[`~]*([^\n]*)$", body, re.MULTILINE):
        if not inside or not info.strip():  # a closing fence has no info string
            inside = not inside
    return not inside
