"""The check of flowcharts: brackets and quotes are closed, texts with brackets are quoted, subgraphs end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agents.artifact_agents.mermaid.lines import Line
from agents.artifact_agents.problems import Problem

_HEADER = re.compile(r"(?:TB|TD|BT|RL|LR|>|<|\^|v)?\s*;?\Z")
_FREE = re.compile(r"(?:style|classDef|class|linkStyle|click|href|direction|title)\b")
_EDGE_TEXT = re.compile(r"\|[^|]*\|")
_QUOTED = re.compile(r'"[^"]*"')
# The asymmetric shape A>flag]. The first group skips other shapes, whose text may contain ">", as in A[x<br>y].
_ASYMMETRIC = re.compile(r"(\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\})|(?<=\w)>[^\]\[]*\]")
_SHAPE = re.compile(r'@\{(?:"[^"]*"|[^}"])*(?P<end>\})?')
_END_AS_ID = re.compile(r"(?:-->|---|==>|-\.->|&)\s*end\b(?!\w)|^end\s*(?:-|=|\[|\(|\{)")
_CLOSES = {")": "(", "]": "[", "}": "{"}
_PARTNER = {opener: closer for closer, opener in _CLOSES.items()}
_MAY_QUOTE = ("", "/", "\\", *_PARTNER)  # what may come before a text


@dataclass(slots=True)
class _Brackets:
    """Reads texts character by character. Quotes may span lines."""

    open: list[tuple[str, int]] = field(default_factory=list)  # brackets that are not closed yet, with their lines
    quote_line: int = 0  # line of the open quote; 0 when none is open

    def problem(self, line: Line) -> Problem | None:
        before = ""
        for place, character in enumerate(line.text):
            if character == '"':
                if self.open and not self.quote_line and line.text[:place].rstrip()[-1:] not in _MAY_QUOTE:
                    return Problem("a double quote stands inside of a text. Write #quot; instead.", line.number)
                self.quote_line = 0 if self.quote_line else line.number
            elif not self.quote_line and (problem := self._bracket(character, before, line.number)):
                return problem
            before = character
        return None

    def _bracket(self, character: str, before: str, number: int) -> Problem | None:
        if character in _PARTNER:
            if self.open and before not in _PARTNER:
                return Problem(f'"{character}" stands inside of a text. Put that text into double quotes, as in A["text (more)"].', number)
            self.open.append((character, number))
        elif character in _CLOSES:
            if not self.open or self.open[-1][0] != _CLOSES[character]:
                reason = f'"{_PARTNER[self.open[-1][0]]}" was expected' if self.open else "nothing was open"
                return Problem(f'"{character}" closes nothing here: {reason}.', number)
            self.open.pop()
        return None

    def end(self) -> Problem | None:
        if self.quote_line:
            return Problem("a double quote is not closed.", self.quote_line)
        return Problem(f'"{self.open[-1][0]}" is not closed.', self.open[-1][1]) if self.open else None


def flowchart_problem(lines: Sequence[Line]) -> Problem | None:
    """Return the first problem, or None. The diagram's type is removed from the first line."""
    first, *rest = lines
    direction = first.text.split(";")[0].strip()
    if not _HEADER.match(direction):
        return Problem(f'"{direction[:20]}" is no direction. Write one of TB, TD, BT, LR and RL.', first.number)
    return _statements_problem(rest)


def _statements_problem(lines: Sequence[Line]) -> Problem | None:
    brackets, subgraphs = _Brackets(), list[int]()
    for line in _without_shapes(lines):
        if not brackets.quote_line:
            if problem := _subgraph_problem(line, subgraphs) or _edge_text_problem(line):
                return problem
            if _FREE.match(line.text):
                continue
        if problem := brackets.problem(line if brackets.quote_line else _plain(line)):
            return problem
        if brackets.open and not brackets.quote_line:
            return brackets.end()
    return brackets.end() or (Problem("this subgraph has no end.", subgraphs[-1]) if subgraphs else None)


def _subgraph_problem(line: Line, subgraphs: list[int]) -> Problem | None:
    """Return a problem with a subgraph, or None. `subgraphs`: the lines of the open subgraphs; updated."""
    if re.match(r"subgraph\b", line.text):
        subgraphs.append(line.number)
    elif re.fullmatch(r"end\s*;?", line.text):
        if not subgraphs:
            return Problem("this end closes no subgraph.", line.number)
        subgraphs.pop()
    elif _END_AS_ID.search(_without_quotes(line.text)):
        return Problem('"end" can\'t be an id. Write End or another word.', line.number)
    return None


def _without_shapes(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines without `A@{ shape: rect }`, which has its own rules and may span lines."""
    is_inside = False
    for line in lines:
        if is_inside:
            is_inside = "}" not in line.text
            continue
        match = _SHAPE.search(line.text)
        is_inside = match is not None and not match["end"]
        yield line._replace(text=_SHAPE.sub("", line.text))


def _edge_text_problem(line: Line) -> Problem | None:
    for text in _EDGE_TEXT.findall(_without_quotes(line.text)):
        if re.search(r"[\[\](){}]", text):
            return Problem(f'the text {text} has brackets. Put it into double quotes, as in |"text (more)"|.', line.number)
    return None


def _plain(line: Line) -> Line:
    """Return the line without the parts in which brackets do not count."""
    text = _EDGE_TEXT.sub("", _QUOTED.sub('""', line.text))
    return line._replace(text=_ASYMMETRIC.sub(lambda match: match[1] or "", text))


def _without_quotes(text: str) -> str:
    return _QUOTED.sub("", text)
