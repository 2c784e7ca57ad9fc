"""The demo's new documents: an outline for the requested kind, filled with prose about the topic from prose.md."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from doubles.demo.showcase import BRIEF, MARKET_BRIEF
from doubles.demo.titles import headline, without_lead

OUTLINES: Mapping[str, Sequence[str]] = {
    "article": ("introduction", "background", "why", "practice", "limits", "outlook"),
    "report": ("summary", "background", "findings", "risks", "recommendations", "next_steps"),
    "plan": ("goal", "scope", "steps", "risks", "measures", "next_steps"),
    "guide": ("purpose", "before", "steps", "pitfalls", "practice", "help"),
    "letter": ("salutation", "request", "reasons", "next_steps", "closing"),
}
_TOPIC = re.compile(r"\b(?:about|on|regarding|concerning|describing|explaining|for|of)\s+(.+)", re.IGNORECASE | re.DOTALL)
_KINDS = {
    "letter": r"\b(letter|e-?mail|message|invitation|note)\b",
    "plan": r"\b(plan|proposal|roadmap|agenda|strategy|checklist|schedule)\b",
    "guide": r"\b(guide|tutorial|manual|how[- ]to|instructions|onboarding)\b",
    "report": r"\b(report|memo|summary|analysis|review|overview|minutes)\b",
}


def _sections() -> dict[str, tuple[str, list[str]]]:
    """Return heading and variants by section name."""
    text = Path(__file__).with_name("prose.md").read_text(encoding="utf-8")
    sections: dict[str, tuple[str, list[str]]] = {}
    for name, heading, body in re.findall(r"^@@ (\w+): (.+)\n((?:.|\n)*?)(?=^@@ |\Z)", text, re.MULTILINE):
        sections[name] = (heading, [variant.strip() for variant in re.split(r"^@@$", body, flags=re.MULTILINE)])
    return sections


SECTIONS: Mapping[str, tuple[str, Sequence[str]]] = _sections()


def write_document(title: str, instruction: str) -> str:
    """Return a Markdown document of 300 to 600 words."""
    if MARKET_BRIEF.pattern.search(instruction):
        return BRIEF
    topic = topic_of(instruction) or without_lead(title) or "the subject"
    kind = kind_of(f"{title} {instruction}")
    sections = [section(name, topic, title) for name in OUTLINES[kind]]
    return "\n\n".join([f"# {headline(title or topic)}", *sections]) + "\n"


def section(name: str, topic: str, seed: str = "") -> str:
    """Return one section with its heading. The same seed picks the same variant."""
    heading, variants = SECTIONS[name]
    return f"## {heading}\n\n{_pick(variants, topic + seed + name).replace('[topic]', topic).replace('[Topic]', headline(topic))}"


def kind_of(request: str) -> str:
    """Return the kind of document that a request names; an article by default."""
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, request, re.IGNORECASE)), "article")


def topic_of(request: str) -> str:
    """Return the topic: "Write a report about solar energy." gives "solar energy"; "" when there is none."""
    match = _TOPIC.search(request)
    if match is None:
        return ""
    first = re.split(r"(?<=\w)[.!?](?:\s|$)|\n", match.group(1))[0]
    return " ".join(first.strip(" .,;:!?\"'\u201c\u201d").split()[:12])


def _pick(variants: Sequence[str], seed: str) -> str:
    return variants[zlib.crc32(seed.encode()) % len(variants)]
