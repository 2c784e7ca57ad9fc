"""Checks of diagrams that are lists of statements: Gantt charts, pie charts, git graphs, user journeys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.artifact_agents.mermaid.lines import Line
from agents.artifact_agents.problems import Problem

_SLICE = re.compile(r'(?:"[^"]*"|\'[^\']*\')\s*:\s*\d+(?:\.\d+)?\s*\Z')
_GANTT = re.compile(
    r"(?:title|dateFormat|axisFormat|tickInterval|inclusiveEndDates|topAxis|excludes|includes|todayMarker|weekday|weekend|section|click|acc\w+)\b"
)
_GIT = re.compile(r"(?:commit|branch|checkout|switch|merge|cherry-pick|accTitle|accDescr|title)\b")
_TASK = re.compile(r"[^:]+:\s*-?\d+(?:\.\d+)?\s*(?::.*)?\Z")


def pie_problem(lines: Sequence[Line]) -> Problem | None:
    """Return the first problem, or None. As in all checks here, the diagram's type is removed from the first line."""
    return _unreadable_statement(
        lines[1:], _SLICE, ("title",), 'a slice is a text in double quotes, a colon and a number, such as "Tea" : 40'
    )


def gantt_problem(lines: Sequence[Line]) -> Problem | None:
    for line in lines[1:]:
        if not _GANTT.match(line.text) and ":" not in line.text:
            return Problem(f'"{line.text[:60]}" is no task, such as Paint the wall :a1, 2026-03-01, 3d.', line.number)
    return None


def git_problem(lines: Sequence[Line]) -> Problem | None:
    for line in lines[1:]:
        if not _GIT.match(line.text):
            return Problem(f'"{line.text[:60]}" begins with none of commit, branch, checkout, merge and cherry-pick.', line.number)
    return None


def journey_problem(lines: Sequence[Line]) -> Problem | None:
    return _unreadable_statement(lines[1:], _TASK, ("title", "section"), "a task is a text, a score and people, such as Make tea: 5: Me")


def _unreadable_statement(lines: Sequence[Line], pattern: re.Pattern[str], words: tuple[str, ...], rule: str) -> Problem | None:
    for line in lines:
        if not pattern.match(line.text) and not re.match(rf"(?:{'|'.join(words)})\b", line.text):
            return Problem(f'"{line.text[:60]}" can\'t be read: {rule}.', line.number)
    return None
