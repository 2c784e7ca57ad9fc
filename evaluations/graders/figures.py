"""Graders of what an answer took: time and money."""

from __future__ import annotations

from evaluations.graders.answer import Answer, ExpectedResult, Verdict
from evaluations.graders.texts import is_decimal
from evaluations.translation import gettext, gettext_noop as _


def latency(expected: ExpectedResult, answer: Answer) -> Verdict:
    """`value`: seconds at most, from the question to the end of the answer."""
    return Verdict(answer.duration_s <= float(expected.value), _("Took %(seconds)s s."), {"seconds": f"{answer.duration_s:.1f}"})


def cost(expected: ExpectedResult, answer: Answer) -> Verdict:
    """`value`: US dollars at most, of all model calls of the run."""
    if answer.cost_usd is None:
        return Verdict(False, _("The model has no price. Enter one on the Models page."))
    return Verdict(answer.cost_usd <= float(expected.value), _("Cost $%(dollars)s."), {"dollars": f"{answer.cost_usd:.4f}"})


def limit_problem(expected: ExpectedResult) -> str:
    if is_decimal(expected.value) and float(expected.value) > 0:
        return ""
    return gettext("Enter a number above 0, such as 0.5 or 12.")
