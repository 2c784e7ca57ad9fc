"""The demo's changes to a document: shorten, lengthen, add, replace, rename. Any other request is noted, not faked.

Also rewrites a selection: quoted words are replaced, a text is changed like a document, code gets a comment.
"""

from __future__ import annotations

import re

from doubles.demo.documents import section, topic_of
from doubles.demo.titles import headline

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
