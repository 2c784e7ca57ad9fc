"""Graders that read the answer's text."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from evaluations.graders.answer import Answer, ExpectedResult, Verdict, quote
from evaluations.translation import gettext, gettext_noop as _

MAX_NUMBER = 1e15
# No repetition is nested, so it takes linear time.
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


def contains(expected: ExpectedResult, answer: Answer) -> Verdict:
    if expected.value in answer.text:
        return Verdict(True, _("Has %(text)s."), {"text": quote(expected.value)})
    return Verdict(False, _("%(text)s is missing."), {"text": quote(expected.value)})


def not_contains(expected: ExpectedResult, answer: Answer) -> Verdict:
    at = answer.text.find(expected.value)
    if at < 0:
        return Verdict(True, _("Doesn't have %(text)s."), {"text": quote(expected.value)})
    return Verdict(False, _("%(text)s stands at character %(place)s."), {"text": quote(expected.value), "place": at + 1})


def equals(expected: ExpectedResult, answer: Answer) -> Verdict:
    """Compare without the white space around both texts."""
    if expected.value.strip() == answer.text.strip():
        return Verdict(True, _("Is exactly as expected."))
    return Verdict(False, _("The answer is %(text)s."), {"text": quote(answer.text)})


def number(expected: ExpectedResult, answer: Answer) -> Verdict:
    """Look for a number within the tolerance anywhere in the answer."""
    target, tolerance = Decimal(expected.value.strip()), Decimal(expected.detail.strip() or "0")
    numbers = [_decimal(text) for text in _NUMBER.findall(answer.text)]
    near = next((each for each in numbers if abs(each - target) <= tolerance), None)
    if near is not None:
        return Verdict(True, _("Has %(text)s."), {"text": str(near)})
    if not numbers:
        return Verdict(False, _("The answer has no number."))
    return Verdict(False, _("No number is within %(tolerance)s of %(wanted)s."), {"tolerance": str(tolerance), "wanted": str(target)})


def number_problem(expected: ExpectedResult) -> str:
    for text, label in ((expected.value, "number"), (expected.detail or "0", "tolerance")):
        if not is_decimal(text):
            return gettext("The %(label)s must be a number, such as 42 or 0.5.") % {"label": label}
    return "" if Decimal(expected.detail.strip() or "0") >= 0 else gettext("The tolerance can't be negative.")


def is_decimal(text: str) -> bool:
    try:
        return abs(float(Decimal(text.strip()))) < MAX_NUMBER  # no NaN, and nothing that arithmetic overflows on
    except (InvalidOperation, ValueError):
        return False


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))
