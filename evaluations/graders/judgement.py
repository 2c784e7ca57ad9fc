"""The grader that is a model: what it is given, and what its reply means. The call itself is in evaluations.services.judge."""

from __future__ import annotations

from typing import Final

from evaluations.graders.answer import Answer, Expected, Verdict, shown

JUDGE: Final = "judge"


def not_judged(expected: Expected, answer: Answer) -> Verdict:
    return Verdict(False, "No model has judged this.")


def read_judgement(text: str) -> Verdict:
    """Return what a reply of the judge says; one that begins with neither word is no pass."""
    first, _, rest = text.strip().partition("\n")
    word = first.strip(" *#:.").split(" ")[0].strip("*:.,").upper()
    reason = (rest if rest.strip() else first.partition(" ")[2]).strip()
    if word in {"PASS", "FAIL"}:
        return Verdict(word == "PASS", reason or "The judge gave no reason.")
    return Verdict(False, f"The judge gave no verdict, but {shown(text)}." if text.strip() else "The judge said nothing.")
