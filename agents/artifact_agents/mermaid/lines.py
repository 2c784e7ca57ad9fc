"""The lines of a diagram that mean something: without front matter, directives, comments and accessibility texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_HIDDEN = re.compile(
    r"\A\s*---[ \t]*\n.*?\n[ \t]*---[ \t]*(?=\n|\Z)"  # front matter
    r"|%%\{.*?\}%%"  # directives
    r"|^[ \t]*%%[^\n]*"  # comments
    r"|^[ \t]*accDescr[ \t]*\{[^}]*\}"
    r"|^[ \t]*acc(?:Title|Descr)[ \t]*:[^\n]*",
    re.DOTALL | re.MULTILINE,
)


class Line(NamedTuple):
    """`number` from 1, as the whole text counts."""

    number: int
    text: str


def diagram_lines(code: str) -> Sequence[Line]:
    """What is left, stripped; what was taken out leaves its line breaks behind, so that the numbers are right."""
    shown = _HIDDEN.sub(lambda found: "\n" * found[0].count("\n"), code)
    return [Line(number, text.strip()) for number, text in enumerate(shown.split("\n"), 1) if text.strip()]
