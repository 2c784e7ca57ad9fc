"""The demo's documents. A new one is an outline for the requested kind, filled with prose about the topic from prose.md.

A change shortens, lengthens, adds, replaces or renames. Any other request is noted, not faked. In a selection quoted words are
replaced, a text is changed like a document, and code gets a comment.
"""

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

# Straight and typographic quotes, and backticks.
_QUOTED = '["\'`\u201c\u2018]([^"`\u201d\u2019]+)["\'`\u201d\u2019]'
_REPLACE = re.compile(rf"\b(?:replace|change)\b.*?{_QUOTED}\s+(?:with|by|to|into)\s+{_QUOTED}", re.IGNORECASE | re.DOTALL)
_RENAME = re.compile(rf"\b(?:title|heading|rename)\b.*?\bto\s+{_QUOTED}", re.IGNORECASE | re.DOTALL)
_ADD = re.compile(r"\badd\b.*?\b(?:section|chapter|paragraph|part)\b(.*)", re.IGNORECASE | re.DOTALL)
_SHORTER = re.compile(r"\b(?:short|shorter|shorten|cut|trim|condense|brief|briefer|concise|half)\b", re.IGNORECASE)
_LONGER = re.compile(r"\b(?:long|longer|lengthen|expand|extend|more detail|more detailed|elaborate|add)\b", re.IGNORECASE)
_TRANSLATE = re.compile(r"\b(?:translate|translation)\b", re.IGNORECASE)
_NO_TRANSLATION = (
    "> The demo provider cannot translate. With a real provider's key this document would now be in the language you asked for."
)
_QUOTED_WORDS = re.compile('["\'`\u201c\u2018]([^"`\u201d\u2019]+?)["\'`\u201d\u2019]')
_COMMENTS = {"Python agent": "#", "diagram agent": "%%"}


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


def apply_change(content: str, instruction: str) -> str:
    """Return the complete new text."""
    if match := _RENAME.search(instruction):
        return rename_title(content, match.group(1))
    if match := _REPLACE.search(instruction):
        return content.replace(match.group(1), match.group(2)) if match.group(1) in content else note_request(content, instruction)
    if _TRANSLATE.search(instruction):
        return _insert_below_title(content, _NO_TRANSLATION)
    if _SHORTER.search(instruction):
        return shorten(content)
    if match := _ADD.search(instruction):
        return add_section(content, topic_of(match.group(1)) or match.group(1))
    if _LONGER.search(instruction):
        return lengthen(content)
    return note_request(content, instruction)


def rename_title(content: str, title: str) -> str:
    if re.search(r"^# ", content, re.MULTILINE):
        return re.sub(r"^# .*$", lambda _: f"# {title}", content, count=1, flags=re.MULTILINE)
    return f"# {title}\n\n{content}"


def shorten(content: str) -> str:
    """Return about half of the text: every heading, and the first half of each block's sentences, points or rows."""
    blocks = [_halve(block) for block in _blocks(content)]
    return "\n\n".join(blocks) + "\n"


def lengthen(content: str) -> str:
    """Add one section that the text does not have yet."""
    topic = _topic(content)
    missing = [name for name in ("practice", "limits", "outlook", "pitfalls") if f"## {_heading(name, topic)}" not in content]
    return _append_block(content, section(missing[0] if missing else "why", topic))


def add_section(content: str, about: str) -> str:
    """Add a last section about the requested subject."""
    name = headline(re.sub(r"[\s,]*\bplease\b\W*$", "", about, flags=re.IGNORECASE))[:80] or "Addition"
    paragraph = (
        f"This section was added on request. It gives {_lowercase_first(name)} a place of its own, so that it can be discussed without"
        f" disturbing the rest of the text.\n\nTwo questions should be answered here: what {_lowercase_first(_topic(content))} gains from it, and who takes"
        " care of it. [Add the facts that a script can't know.]"
    )
    return _append_block(content, f"## {name}\n\n{paragraph}")


def note_request(content: str, instruction: str) -> str:
    """Add a visible note about a change that a script can't make."""
    request = " ".join(instruction.split())[:300]
    return _insert_below_title(
        content, f"> **Requested change:** {request}\n>\n> The demo provider notes it here; a real model would rewrite the text."
    )


def _halve(block: str) -> str:
    lines = block.splitlines()
    if block.startswith(("#", "```", ">")):
        return block
    if block.startswith("|"):
        return "\n".join(lines[: 2 + _half(len(lines) - 2)])
    if len(lines) > 1:
        return "\n".join(lines[: _half(len(lines))])
    sentences = re.split(r"(?<=[.!?])\s+", block)
    return " ".join(sentences[: _half(len(sentences))])


def _half(count: int) -> int:
    return max(1, count // 2)


def _blocks(content: str) -> list[str]:
    return [block for block in re.split(r"\n{2,}", content.strip()) if block]


def _topic(content: str) -> str:
    heading = re.search(r"^# (.+)$", content, re.MULTILINE)
    return heading.group(1) if heading else "the subject"


def _lowercase_first(phrase: str) -> str:
    return phrase[:1].lower() + phrase[1:]


def _heading(name: str, topic: str) -> str:
    return section(name, topic).splitlines()[0].removeprefix("## ")


def _append_block(content: str, block: str) -> str:
    return f"{content.rstrip()}\n\n{block}\n"


def _insert_below_title(content: str, block: str) -> str:
    title, _, rest = content.strip().partition("\n")
    if not title.startswith("# "):
        return f"{block}\n\n{content.strip()}\n"
    return f"{title}\n\n{block}\n\n{rest.strip()}\n"


def replace_selection(selection: str, instruction: str, system: str) -> str:
    """Return the replacement of the selection. `system`: the prompt, which names the agent that wrote the text."""
    words = _QUOTED_WORDS.findall(instruction)
    if len(words) == 2 and words[0] in selection:
        return selection.replace(words[0], words[1])
    comment = next((mark for agent, mark in _COMMENTS.items() if agent in system), "")
    return f"{comment} {' '.join(instruction.split())}\n{selection}" if comment else apply_change(selection, instruction)
