"""What graders read, which is an answer and the result that is expected, and what they say of it: a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluations.translation import gettext

MAX_SHOWN = 120  # characters of an answer or expectation in a reason


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A call that the agent made."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WrittenArtifact:
    """Something that the agent wrote beside the chat, in a language that can be parsed. `problem`: why it does not parse, or ""."""

    language: str
    title: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of an agent, with what it took."""

    text: str
    tools: Sequence[CalledTool] = field(default_factory=tuple)
    artifacts: Sequence[WrittenArtifact] = field(default_factory=tuple)
    duration_s: float = 0.0
    cost_usd: float | None = 0.0  # None: a model without a known price was used


@dataclass(frozen=True, slots=True)
class ExpectedResult:
    """A row of a case. What `value` and `detail` mean depends on the kind (evaluations.graders.kinds)."""

    kind: str
    value: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is as expected, and why in one sentence.

    `template`: marked for translation, with `values` in it, because whoever reads it later may have another language than the worker.
    Words of others, such as a judge's, have no values.
    """

    passed: bool
    template: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        return sentence_of(self.template, self.values)


def sentence_of(template: str, values: Mapping[str, str | int]) -> str:
    """Return what a verdict says, in the reader's language. Without values the text stands as it is, percent signs included."""
    text = gettext(template) if template else ""
    return text % values if values else text


def quote(text: str) -> str:
    """Return the text in quotes, shortened."""
    line = " ".join(text.split())
    return f"“{line[:MAX_SHOWN]}…”" if len(line) > MAX_SHOWN else f"“{line}”"
