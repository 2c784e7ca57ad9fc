"""The kinds of graders: what admins fill in, how it is checked, and who judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluations.graders import figures, judgement, patterns, texts, tools
from evaluations.graders.answer import Answer, Expected, Verdict

MAX_VALUE_CHARS: Final = 8000


def fine(expected: Expected) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of grader.

    `value`, `detail`: what admins fill in, in words; an empty `detail` means that there is none. `problem` says what is wrong with what was
    filled in, or "".
    """

    label: str
    value: str
    detail: str = ""
    may_be_blank: bool = False
    problem: Callable[[Expected], str] = fine
    judge: Callable[[Expected, Answer], Verdict]


KINDS: Final[Mapping[str, Kind]] = {
    "contains": Kind(label="Contains", value="Text", judge=texts.contains),
    "not_contains": Kind(label="Does not contain", value="Text", judge=texts.not_contains),
    "equals": Kind(label="Equals", value="Text", judge=texts.equals),
    "regex": Kind(label="Matches", value="Regular expression", problem=patterns.regex_problem, judge=patterns.in_child),
    "json_schema": Kind(
        label="Is JSON", value="JSON schema, or blank", may_be_blank=True, problem=patterns.schema_problem, judge=patterns.in_child
    ),
    "tool_called": Kind(
        label="Tool was called", value="Name of the tool", detail="Arguments (JSON)", problem=tools.called_problem, judge=tools.called
    ),
    "tool_not_called": Kind(label="Tool was not called", value="Name of the tool", judge=tools.not_called),
    "number": Kind(label="Has a number", value="Number", detail="Tolerance", problem=texts.number_problem, judge=texts.number),
    "latency": Kind(label="Time at most", value="Seconds", problem=figures.limit_problem, judge=figures.latency),
    "cost": Kind(label="Cost at most", value="US dollars", problem=figures.limit_problem, judge=figures.cost),
    judgement.JUDGE: Kind(label="A model judges", value="What a good answer does", judge=judgement.not_judged),
}


def expected_problem(expected: Expected) -> str:
    """Return what is wrong with an expectation, or ""."""
    kind = KINDS.get(expected.kind)
    if kind is None:
        return "Choose what to check."
    if not expected.value.strip() and not kind.may_be_blank:
        return f"Fill this in: {kind.value.lower()}."
    if max(len(expected.value), len(expected.detail)) > MAX_VALUE_CHARS:
        return f"At most {MAX_VALUE_CHARS:,} characters."
    if expected.detail.strip() and not kind.detail:
        return f"“{kind.label}” has no second field. Leave it blank."
    return kind.problem(expected)


def grade(expected: Sequence[Expected], answer: Answer) -> list[Verdict]:
    """Return a verdict for each expectation, in their order; a model is asked elsewhere. Blocks while patterns are tried."""
    return [KINDS[each.kind].judge(each, answer) for each in expected]
