"""Checks of diagrams whose statements form blocks: sequence, class, state and entity relationship diagrams."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.artifact_agents.mermaid.lines import Line
from agents.artifact_agents.problems import Problem

_SEQUENCE_BLOCK = re.compile(r"(?:loop|alt|opt|par|par_over|critical|break|rect|box)\b")
_SEQUENCE_BRANCH = re.compile(r"(?:else|and|option)\b")
_SEQUENCE_WORD = re.compile(
    r"(?:participant|actor|create|destroy|activate|deactivate|note|autonumber|title|links?|properties|details|acc)\b", re.IGNORECASE
)
_MESSAGE = re.compile(r"[^:]*?(?:<<)?[-/\\|()]{1,4}(?:>>|>|x|X|\)|\\|/|\|)")
_STATE_OPENS = re.compile(r"[^:]*\{\Z")
_NO_COLON = re.compile(r'"[^"]*"|:::\w+')  # a quoted text, and the name of a style
_NOTE = re.compile(r"note\s+(?:left|right|over)\b[^:]*\Z", re.IGNORECASE)
_RELATION = re.compile(r'(?:"[^"]*"|\S+)\s+[|}o][|o{}]?(?:--|\.\.)[|o{}]{1,2}\s+(?:"[^"]*"|\S+)\s*\Z')
_ENTITY_OPENS = re.compile(r"[^:]*\{\Z")
_ATTRIBUTE = re.compile(r"[\w\[\]()<>,.*-]+(?:~[^~]*~)?\s+\S+")


def sequence_problem(lines: Sequence[Line]) -> Problem | None:
    """Return the first problem, or None. As in all checks here, the diagram's type is removed from the first line."""
    blocks: list[Line] = []
    for line in lines[1:]:
        text = line.text.split(";")[0].strip()
        if _SEQUENCE_BLOCK.match(text):
            blocks.append(line)
        elif text == "end":
            if not blocks:
                return Problem("this end closes no block.", line.number)
            blocks.pop()
        elif _SEQUENCE_BRANCH.match(text):
            if not blocks:
                return Problem(f'"{text.split()[0]}" stands in no block.', line.number)
        elif problem := _message_problem(line._replace(text=text)):
            return problem
    return _check_closed(blocks, "end")


def _message_problem(line: Line) -> Problem | None:
    if not line.text or _SEQUENCE_WORD.match(line.text):
        return None
    if not _MESSAGE.match(line.text):
        return Problem(f'"{line.text[:60]}" is no message, such as Alice->>Bob: Hello.', line.number)
    if ":" not in line.text:
        return Problem("a message needs a colon and a text, such as Alice->>Bob: Hello.", line.number)
    return None


def class_problem(lines: Sequence[Line]) -> Problem | None:
    return _braces_problem(lines)


def state_problem(lines: Sequence[Line]) -> Problem | None:
    notes: list[Line] = []
    others: list[Line] = []
    for line in lines:
        if notes:
            if re.match(r"end\s+note\b", line.text, re.IGNORECASE):
                notes.clear()
        elif _NOTE.match(line.text):
            notes.append(line)
        else:
            others.append(line)
    return _check_closed(notes, "end note") or _braces_problem(others)


def er_problem(lines: Sequence[Line]) -> Problem | None:
    entities: list[Line] = []
    for line in lines[1:]:
        if entities:
            if line.text.startswith("}"):
                entities.clear()
            elif not _ATTRIBUTE.match(line.text):
                return Problem(f'"{line.text[:60]}" is no attribute: a type and a name are needed.', line.number)
        elif line.text == "}":
            return Problem('"}" closes no entity.', line.number)
        elif _RELATION.match(line.text):
            return Problem("a relation needs a colon and a label, such as A ||--o{ B : has.", line.number)
        elif _ENTITY_OPENS.match(line.text):
            entities.append(line)
    return _check_closed(entities, "}")


def _braces_problem(lines: Sequence[Line]) -> Problem | None:
    """Return the first unbalanced brace, or None.

    A brace at the end of a line opens a block, one at the start of a line closes it. Quoted texts are ignored.
    """
    blocks: list[Line] = []
    for line in lines:
        if line.text.startswith("}"):
            if not blocks:
                return Problem('"}" closes no block.', line.number)
            blocks.pop()
        elif _STATE_OPENS.match(_NO_COLON.sub("", line.text)):
            blocks.append(line)
    return _check_closed(blocks, "}")


def _check_closed(blocks: Sequence[Line], with_what: str) -> Problem | None:
    if not blocks:
        return None
    word = blocks[-1].text[:40]
    return Problem(f'"{word}" is not closed with {with_what}.', blocks[-1].number)
