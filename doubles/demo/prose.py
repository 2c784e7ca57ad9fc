"""The sections that the demo's documents are made of, read from prose.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

STAND_IN = "> Written by Parley's demo provider, a scripted stand-in. The outline is real, the knowledge is not: replace what stands here."

OUTLINES: Mapping[str, Sequence[str]] = {
    "article": ("introduction", "background", "why", "practice", "limits", "outlook"),
    "report": ("summary", "background", "findings", "risks", "recommendations", "next_steps"),
    "plan": ("goal", "scope", "steps", "risks", "measures", "next_steps"),
    "guide": ("purpose", "before", "steps", "pitfalls", "practice", "help"),
    "letter": ("salutation", "request", "reasons", "next_steps", "closing"),
}


def _sections() -> dict[str, tuple[str, list[str]]]:
    """Heading and variants by section name."""
    text = Path(__file__).with_name("prose.md").read_text(encoding="utf-8")
    sections: dict[str, tuple[str, list[str]]] = {}
    for name, heading, body in re.findall(r"^@@ (\w+): (.+)\n((?:.|\n)*?)(?=^@@ |\Z)", text, re.MULTILINE):
        sections[name] = (heading, [variant.strip() for variant in re.split(r"^@@$", body, flags=re.MULTILINE)])
    return sections


SECTIONS: Mapping[str, tuple[str, Sequence[str]]] = _sections()
