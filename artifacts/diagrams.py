"""Diagrams in documents that become PDF or Word. Only a browser can draw them (docs/decisions/0008), so it sends them along as PNG."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MERMAID: Final = "mermaid"
MAX_DIAGRAMS: Final = 40  # of a file; the others stay as their source
MAX_SOURCE_CHARS: Final = 20_000
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)


class DrawnDiagram(BaseModel):
    """A diagram that the browser drew. `png`: in base64."""

    model_config = ConfigDict(extra="forbid")

    source: Annotated[str, StringConstraints(min_length=1, max_length=MAX_SOURCE_CHARS)]
    png: Annotated[str, StringConstraints(min_length=1, pattern=r"^[A-Za-z0-9+/]+={0,2}$")]


Diagrams = Annotated[list[DrawnDiagram], Field(max_length=MAX_DIAGRAMS)]


def diagram_sources(text: str) -> Iterator[str]:
    """Yield the sources of the diagrams in a Markdown text, in their order. Each line is looked at once: texts have up to a megabyte."""
    opening: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        fence, language = line[1], line[2].strip()
        if opening is None:
            opening = line
        elif not language and fence.startswith(opening[1]):
            source = text[opening.end() : line.start()].strip()
            if source and opening[2].strip() == MERMAID and len(source) <= MAX_SOURCE_CHARS:
                yield source
            opening = None


def drawn_by_source(diagrams: Sequence[DrawnDiagram]) -> dict[str, str]:
    """Return the pictures in base64 by the diagrams' sources. One that is not base64 is left out; the child checks that it is a PNG."""
    return {diagram.source.strip(): diagram.png for diagram in diagrams if _is_base64(diagram.png)}


def _is_base64(text: str) -> bool:
    try:
        return bool(base64.b64decode(text, validate=True))
    except ValueError:
        return False
