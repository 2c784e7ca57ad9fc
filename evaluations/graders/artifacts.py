"""Graders of what an agent wrote beside the chat. Whether it parses was found out before (evaluations.services.written_artifacts)."""

from __future__ import annotations

from typing import Final

from evaluations.graders.answer import Answer, ExpectedResult, Verdict
from evaluations.translation import gettext, gettext_noop as _

PARSED: Final = ("python", "mermaid", "json", "csv")


def parses(expected: ExpectedResult, answer: Answer) -> Verdict:
    """`value`: one of PARSED; blank: all of them. The last version of each artifact counts."""
    language = expected.value.strip().lower()
    artifacts = [artifact for artifact in answer.artifacts if artifact.language == language or not language]
    if not artifacts:
        return Verdict(
            False, _("It wrote no artifact that can be parsed.") if not language else _("It wrote no %(what)s."), {"what": language}
        )
    for artifact in artifacts:
        if artifact.problem:
            return Verdict(False, _("%(title)s does not parse. %(problem)s"), {"title": artifact.title, "problem": artifact.problem})
    return Verdict(True, _("Parsed: %(title)s."), {"title": ", ".join(artifact.title for artifact in artifacts)})


def parses_problem(expected: ExpectedResult) -> str:
    language = expected.value.strip().lower()
    return "" if not language or language in PARSED else gettext("Choose one of: %(value)s.") % {"value": ", ".join(PARSED)}
