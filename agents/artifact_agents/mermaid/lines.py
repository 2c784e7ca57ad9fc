"""The significant lines of a diagram: without front matter, directives, comments and accessibility texts."""

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
    """One line of a diagram."""

    number: int  # from 1, in the original text
    text: str


def diagram_lines(code: str) -> Sequence[Line]:
    """Return the significant lines, stripped. Removed parts keep their line breaks, so that line numbers stay correct."""
    visible_code = _HIDDEN.sub(lambda match: "\n" * match[0].count("\n"), code)
    return [Line(number, text.strip()) for number, text in enumerate(visible_code.split("\n"), 1) if text.strip()]
