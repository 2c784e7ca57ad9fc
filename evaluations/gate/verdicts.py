"""Whether a draft's answers let it be published: each case that must pass on its own, the others together, then cost and time.

The bounds are those of simulations (docs/decisions/0056): of 100 harmless drafts at most three are refused.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Final

from evaluations.statistics import LEVEL, ROUNDS, SEED
from evaluations.translation import gettext, ngettext

FEW: Final = 50  # cases; fewer show only a large drop
TOO_FEW: Final = 5  # cases; if all of fewer got worse, it could still be chance


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment found of a case."""

    name: str
    passed_count: int
    samples: int
    marked: bool = False

    @property
    def passes(self) -> bool:
        return self.passed_count * 2 > self.samples


@dataclass(frozen=True, slots=True)
class Figures:
    """What an answer cost on average, and the time that nineteen of twenty stayed below; None: not known."""

    cost_usd: float | None
    slow_ms: int | None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a requirement allows. None: not checked."""

    tolerance_points: float = 0
    max_cost_percent: int | None = None
    max_slower_percent: int | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """A figure with a limit of its own."""

    name: str
    change: str
    limit: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands against publishing, in sentences; the cases to look at, by their keys, and what to know besides."""

    problems: Sequence[str]
    failing: Sequence[str]
    warnings: Sequence[str]
    guards: Sequence[Guard]
    sentence: str = ""  # how the cases together do beside the live release

    @property
    def passes(self) -> bool:
        return not self.problems


@dataclass(slots=True)
class _Findings:
    problems: list[str] = field(default_factory=list)
    failing: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    sentence: str = ""


def judge(
    now: Mapping[str, Outcome],
    before: Mapping[str, Outcome] | None,
    limits: Limits,
    figures: tuple[Figures, Figures] | None = None,
) -> Verdict:
    """Return the verdict on a draft's outcomes by case. `before`: those of the live release; None: it has no such agent.

    `figures`: of the live release and of the draft.
    """
    findings = _Findings()
    _judge_marked(now, findings)
    if before is not None:
        _judge_together(now, before, limits, findings)
    if figures:
        _judge_silence(*figures, findings)
        _judge_price(limits, *figures, findings)
    guards = list(_guards(limits, *figures)) if figures else []
    findings.problems += [
        gettext("%(name)s: %(change)s. The limit is %(limit)s.") % {"name": guard.name, "change": guard.change, "limit": guard.limit}
        for guard in guards
        if not guard.is_kept
    ]
    return Verdict(findings.problems, findings.failing, findings.warnings, guards, findings.sentence)


def _judge_silence(before: Figures, now: Figures, findings: _Findings) -> None:
    """Without a single answer a provider was away, and nothing is known of either release."""
    if now.slow_ms is None:
        findings.problems.append(gettext("The draft gave no answer. Run the checks again when its provider answers."))
    if before.slow_ms is None:
        findings.problems.append(
            gettext("The live release gave no answer to compare with. Run the checks again when its provider answers.")
        )


def _judge_price(limits: Limits, before: Figures, now: Figures, findings: _Findings) -> None:
    """A draft that moves to a model without a price would keep within every limit of cost."""
    if limits.max_cost_percent is not None and before.cost_usd is not None and now.slow_ms is not None and now.cost_usd is None:
        findings.problems.append(
            gettext("Cost of an answer: not known, because a model has no price. Give it one, or leave the limit blank.")
        )


def _judge_marked(now: Mapping[str, Outcome], findings: _Findings) -> None:
    for key, case in now.items():
        if case.marked and not case.passes:
            findings.failing.append(key)
            findings.problems.append(
                gettext("“%(name)s” must pass and fails in %(failed)s of %(samples)s answers.")
                % {"name": case.name, "failed": case.samples - case.passed_count, "samples": case.samples}
            )


def _judge_together(now: Mapping[str, Outcome], before: Mapping[str, Outcome], limits: Limits, findings: _Findings) -> None:
    keys = [key for key in now if key in before]
    regressions = [key for key in keys if before[key].passes and not now[key].passes]
    better = sum(now[key].passes and not before[key].passes for key in keys)
    count = len(keys)
    if count < TOO_FEW:
        findings.warnings.append(
            ngettext(
                "With %(count)s case no drop can be told from chance. Add cases, or mark those that must pass.",
                "With %(count)s cases no drop can be told from chance. Add cases, or mark those that must pass.",
                count,
            )
            % {"count": count}
        )
    elif count < FEW:
        findings.warnings.append(gettext("With %(count)s cases only a drop of far more than 20 points is seen.") % {"count": count})
    if not count:
        return
    points = 100 * (better - len(regressions)) / count
    findings.sentence = gettext("%(points)s points: better in %(better)s, worse in %(worse)s of %(count)s") % {
        "points": _format_signed(points),
        "better": better,
        "worse": len(regressions),
        "count": count,
    }
    differences = [int(now[key].passes) - int(before[key].passes) for key in keys]
    if worse_p(better, len(regressions)) < LEVEL and 100 * upper_bound(differences) < -limits.tolerance_points:
        findings.failing += [key for key in regressions if key not in findings.failing]
        findings.problems.append(
            gettext("It does worse than the live release: %(sentence)s. This is hardly chance.") % {"sentence": findings.sentence}
        )


def worse_p(better: int, worse: int) -> float:
    """Return how likely at least so many of the cases that changed sides got worse if both were equally likely (McNemar, exact)."""
    changed = better + worse
    return sum(comb(changed, count) for count in range(worse, changed + 1)) / (1 << changed)


def upper_bound(differences: Sequence[int]) -> float:
    """Return what the mean difference lies below with 95 % certainty, by drawing cases with replacement."""
    draw = random.Random(SEED)  # noqa: S311 no secret depends on it
    count = len(differences)
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(ROUNDS))
    return means[int(ROUNDS * (1 - LEVEL)) - 1]


def _guards(limits: Limits, before: Figures, now: Figures) -> list[Guard]:
    comparisons = [
        (gettext("Cost of an answer"), before.cost_usd, now.cost_usd, limits.max_cost_percent),
        (gettext("Time of the slowest 5 %"), before.slow_ms, now.slow_ms, limits.max_slower_percent),
    ]
    return [
        _guard(name, old, new, limit) for name, old, new, limit in comparisons if limit is not None and old is not None and new is not None
    ]


def _guard(name: str, before: float, now: float, limit: int) -> Guard:
    if before == 0:
        return Guard(name, gettext("no longer free") if now else gettext("still free"), f"+{limit} %", now == 0)
    change = 100 * (now / before - 1)
    return Guard(name, f"{_format_signed(change)} %", f"+{limit} %", change <= limit)


def _format_signed(value: float) -> str:
    return "0" if round(value) == 0 else f"{value:+.0f}".replace("-", "\N{MINUS SIGN}")
