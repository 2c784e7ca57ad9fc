"""Graders of what an agent wrote beside the chat. Whether it parses was found out before (evaluations.services.written_artifacts)."""

from __future__ import annotations

from typing import Final

from evaluations.graders.answer import Answer, ExpectedResult, Verdict
from evaluations.translation import gettext, gettext_noop as _

PARSED: Final = ("python", "mermaid", "json", "csv")


def parses(expected: ExpectedResult, answer: Answer) -> Verdict:
    """`value`: one of PARSED; blank: all of them. The last version of each artifact counts."""
    wanted = expected.value.strip().lower()
    written = [artifact for artifact in answer.artifacts if artifact.language == wanted or not wanted]
    if not written:
        return Verdict(False, _("It wrote no artifact that can be parsed.") if not wanted else _("It wrote no %(what)s."), {"what": wanted})
    for artifact in written:
        if artifact.problem:
            return Verdict(False, _("%(title)s does not parse. %(problem)s"), {"title": artifact.title, "problem": artifact.problem})
    return Verdict(True, _("Parsed: %(title)s."), {"title": ", ".join(artifact.title for artifact in written)})


def parses_problem(expected: ExpectedResult) -> str:
    wanted = expected.value.strip().lower()
    return "" if not wanted or wanted in PARSED else gettext("Choose one of: %(value)s.") % {"value": ", ".join(PARSED)}
