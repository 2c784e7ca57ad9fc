"""What experiments found, as pages show it: cases in rows, experiments in columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext

from evaluations.models import Case, CaseResult, DataSet, Experiment
from evaluations.statistics import Comparison, compare

# Case, status, passed, cost in US dollars, milliseconds, when it was asked, when the case was changed last.
_Result = tuple[UUID, str, bool, float | None, int | None, datetime, datetime]
COLUMNS = 4  # newest experiments of a data set that are shown side by side


@dataclass(frozen=True, slots=True)
class Cell:
    """What an experiment found of a case."""

    passed_count: int
    ended_count: int
    samples: int
    is_old: bool  # the case was changed since

    @property
    def passes(self) -> bool:
        """Most samples pass. Those that never ended count as failed."""
        return self.passed_count * 2 > self.samples

    @property
    def is_complete(self) -> bool:
        return self.ended_count == self.samples

    @property
    def look(self) -> str:
        if not self.is_complete:
            return "open"
        return "all" if self.passed_count == self.samples else "some" if self.passed_count else "none"


@dataclass(frozen=True, slots=True)
class Column:
    """An experiment with its sums. `cost_usd` is None when a price is missing."""

    experiment: Experiment
    cells: Mapping[UUID, Cell]  # by case
    cost_usd: float | None
    slow_ms: int | None  # nineteen of twenty answers were faster
    answer_count: int  # answers that came
    is_running: bool = False  # one of the experiments

    @property
    def count(self) -> int:
        return len(self.cells)

    @property
    def passed_count(self) -> int:
        return sum(cell.passes for cell in self.cells.values())

    @property
    def share(self) -> int:
        """Per cent of the cases that pass."""
        return round(100 * self.passed_count / self.count) if self.cells else 0

    @property
    def ended_count(self) -> int:
        return sum(cell.ended_count for cell in self.cells.values())

    @property
    def answers(self) -> int:
        return sum(cell.samples for cell in self.cells.values())


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    cells: Sequence[Cell | None]
    change: str  # of the newest column beside the one before


@dataclass(frozen=True, slots=True)
class Matrix:
    columns: Sequence[Column]
    rows: Sequence[Row]
    comparison: Comparison | None  # None: fewer than two experiments have ended


def matrix_of(data_set: DataSet) -> Matrix:
    """Return the newest experiments of the data set, oldest first, and all its cases. Three queries."""
    newest = list(Experiment.objects.filter(data_set=data_set).select_related("release").defer("release__content")[:COLUMNS])
    columns = columns_of(newest[::-1])
    ended_columns = [column for column in columns if not column.is_running]
    before, now = ended_columns[-2:] if len(ended_columns) > 1 else (None, None)
    rows = [Row(case, [column.cells.get(case.pk) for column in columns], change_of(case.pk, before, now)) for case in data_set.cases.all()]
    return Matrix(columns, rows, compare_columns(before, now) if before and now else None)


def columns_of(experiments: Sequence[Experiment]) -> list[Column]:
    """Return a column for each experiment, in the same order. One query."""
    results = _results_of(experiments)
    return [_column(experiment, results[experiment.pk]) for experiment in experiments]


def pooled_column(experiments: Sequence[Experiment]) -> Column | None:
    """Return one column with all answers of equal experiments, newest first; None when none of them counts. One query.

    Asking again until it passes then helps nobody. Left out are experiments with a case that was changed while it was asked, and those
    without a single answer, because the provider was away; but when no other is left, the newest of these counts.
    """
    results = _results_of(experiments)
    unchanged = [experiment for experiment in experiments if not any(changed > began for *_, began, changed in results[experiment.pk])]
    answered = [it for it in unchanged if it.is_running or any(status == CaseResult.Status.DONE for _, status, *_ in results[it.pk])]
    pool = answered or unchanged[:1]
    if not pool:
        return None
    column = _column(pool[0], [result for experiment in pool for result in results[experiment.pk]])
    return replace(column, is_running=any(experiment.is_running for experiment in pool))


def _results_of(experiments: Sequence[Experiment]) -> dict[UUID, list[_Result]]:
    names = ("experiment_id", "case_id", "status", "passed", "cost_usd", "duration_ms", "created_at", "case__changed_at")
    results: dict[UUID, list[_Result]] = defaultdict(list)
    for experiment_id, *values in CaseResult.objects.filter(experiment__in=experiments).order_by().values_list(*names):
        results[experiment_id].append(tuple(values))
    return results


def _column(experiment: Experiment, results: Collection[_Result]) -> Column:
    done = [result for result in results if result[1] == CaseResult.Status.DONE]
    costs = [result[3] for result in done]
    times = sorted(result[4] for result in done if result[4] is not None)
    by_case: dict[UUID, list[tuple[str, bool, bool]]] = defaultdict(list)
    for case_id, status, passed, _, _, began, changed in results:
        by_case[case_id].append((status, passed, changed > began))
    return Column(
        experiment,
        {case_id: _cell(samples) for case_id, samples in by_case.items()},
        None if None in costs else sum(cost for cost in costs if cost is not None),
        times[int(0.95 * (len(times) - 1))] if times else None,
        len(done),
        experiment.is_running,
    )


def _cell(samples: Sequence[tuple[str, bool, bool]]) -> Cell:
    ended_statuses = (CaseResult.Status.DONE, CaseResult.Status.FAILED)
    return Cell(
        passed_count=sum(passed for _, passed, _ in samples),
        ended_count=sum(status in ended_statuses for status, _, _ in samples),
        samples=len(samples),
        is_old=any(is_old for _, _, is_old in samples),
    )


def compare_columns(before: Column, now: Column) -> Comparison:
    """Compare the cases that both experiments have."""
    both = [case_id for case_id in now.cells if case_id in before.cells]
    return compare([(before.cells[case_id].passes, now.cells[case_id].passes) for case_id in both])


def change_of(case_id: UUID, before: Column | None, now: Column | None) -> str:
    """Return in a word what became of a case; "" when one of the experiments doesn't have it."""
    former, present = (column.cells.get(case_id) if column else None for column in (before, now))
    if former is None or present is None:
        return ""
    if former.passes != present.passes:
        return gettext("Fixed") if present.passes else gettext("Broken")
    return (
        gettext("Less stable")
        if present.passes and present.passed_count * former.samples < former.passed_count * present.samples
        else gettext("Same")
    )
