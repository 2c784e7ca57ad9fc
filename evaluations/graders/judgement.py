"""The grader that is a model: what it is given, and what its reply means. The call itself is in evaluations.services.judge."""

from __future__ import annotations

from typing import Final

from evaluations.graders.answer import Answer, ExpectedResult, Verdict, quote
from evaluations.translation import gettext_noop as _

JUDGE: Final = "judge"


def not_judged(expected: ExpectedResult, answer: Answer) -> Verdict:
    return Verdict(False, _("No model has judged this."))


def read_judgement(text: str) -> Verdict:
    """Return what a reply of the judge says; one that begins with neither word is no pass."""
    first, rest = text.strip().partition("\n")[::2]
    word = first.strip(" *#:.").split(" ")[0].strip("*:.,").upper()
    reason = (rest if rest.strip() else first.partition(" ")[2]).strip()
    if word in {"PASS", "FAIL"}:
        return Verdict(word == "PASS", reason or _("The judge gave no reason."))
    if not text.strip():
        return Verdict(False, _("The judge said nothing."))
    return Verdict(False, _("The judge gave no verdict, but %(text)s."), {"text": quote(text)})
