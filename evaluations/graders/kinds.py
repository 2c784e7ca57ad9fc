"""The kinds of graders: what admins fill in, how it is checked, and who judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluations.graders import artifacts, figures, judgement, patterns, texts, tools
from evaluations.graders.answer import Answer, ExpectedResult, Verdict
from evaluations.translation import gettext, gettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_VALUE_CHARS: Final = 8000


def no_problem(expected: ExpectedResult) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of grader.

    `value`, `detail`: what admins fill in, in words; an empty `detail` means that there is none. `problem` says what is wrong with what was
    filled in, or "".
    """

    label: StrOrPromise
    value: StrOrPromise
    detail: StrOrPromise = ""
    may_be_blank: bool = False
    problem: Callable[[ExpectedResult], str] = no_problem
    judge: Callable[[ExpectedResult, Answer], Verdict]


KINDS: Final[Mapping[str, Kind]] = {
    "contains": Kind(label=gettext_lazy("Contains"), value=gettext_lazy("Text"), judge=texts.contains),
    "not_contains": Kind(label=gettext_lazy("Does not contain"), value=gettext_lazy("Text"), judge=texts.not_contains),
    "equals": Kind(label=gettext_lazy("Equals"), value=gettext_lazy("Text"), judge=texts.equals),
    "regex": Kind(
        label=gettext_lazy("Matches"), value=gettext_lazy("Regular expression"), problem=patterns.regex_problem, judge=patterns.in_child
    ),
    "json_schema": Kind(
        label=gettext_lazy("Is JSON"),
        value=gettext_lazy("JSON schema, or blank"),
        may_be_blank=True,
        problem=patterns.schema_problem,
        judge=patterns.in_child,
    ),
    "tool_called": Kind(
        label=gettext_lazy("Tool was called"),
        value=gettext_lazy("Name of the tool"),
        detail=gettext_lazy("Arguments (JSON)"),
        problem=tools.called_problem,
        judge=tools.tool_called,
    ),
    "tool_not_called": Kind(label=gettext_lazy("Tool was not called"), value=gettext_lazy("Name of the tool"), judge=tools.not_called),
    "number": Kind(
        label=gettext_lazy("Has a number"),
        value=gettext_lazy("Number"),
        detail=gettext_lazy("Tolerance"),
        problem=texts.number_problem,
        judge=texts.number,
    ),
    "artifact_parses": Kind(
        label=gettext_lazy("Artifact parses"),
        value=gettext_lazy("python, mermaid, json or csv; blank: all"),
        may_be_blank=True,
        problem=artifacts.parses_problem,
        judge=artifacts.parses,
    ),
    "latency": Kind(
        label=gettext_lazy("Time at most"), value=gettext_lazy("Seconds"), problem=figures.limit_problem, judge=figures.latency
    ),
    "cost": Kind(label=gettext_lazy("Cost at most"), value=gettext_lazy("US dollars"), problem=figures.limit_problem, judge=figures.cost),
    judgement.JUDGE: Kind(label=gettext_lazy("A model judges"), value=gettext_lazy("What a good answer does"), judge=judgement.not_judged),
}


def expected_problem(expected: ExpectedResult) -> str:
    """Return what is wrong with an expectation, or ""."""
    kind = KINDS.get(expected.kind)
    if kind is None:
        return gettext("Choose what to check.")
    if not expected.value.strip() and not kind.may_be_blank:
        return gettext("Fill this in: %(value)s.") % {"value": kind.value}
    if max(len(expected.value), len(expected.detail)) > MAX_VALUE_CHARS:
        return gettext("At most %(max_value_chars)s characters.") % {"max_value_chars": f"{MAX_VALUE_CHARS:,}"}
    if expected.detail.strip() and not kind.detail:
        return gettext("“%(label)s” has no second field. Leave it blank.") % {"label": kind.label}
    return kind.problem(expected)


def grade(expected: Sequence[ExpectedResult], answer: Answer) -> list[Verdict]:
    """Return a verdict for each expectation, in their order; a model is asked elsewhere. Blocks while patterns are tried."""
    return [KINDS[each.kind].judge(each, answer) for each in expected]
