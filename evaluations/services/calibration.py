"""How well models judge, by what people said of their judgements. All functions need the organization's `tenant_tx`."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q
from django.utils.translation import gettext

from evaluations.graders.judgement import JUDGE
from evaluations.models import DataSet, Experiment, Grade
from evaluations.statistics import share_interval
from tenants.errors import NotFound


@dataclass(frozen=True, slots=True)
class Calibration:
    """What people said of one model's judgements of a data set's answers."""

    judge: str
    right: int
    too_kind: int  # it passed what a person would not
    too_strict: int

    @property
    def count(self) -> int:
        return self.right + self.too_kind + self.too_strict

    @property
    def sentence(self) -> str:
        low, high = share_interval(self.right, self.count)
        return gettext("right in %(right)s of %(count)s, with 95 %% certainty in %(value)s to %(value_2)s of 100") % {
            "right": self.right,
            "count": self.count,
            "value": f"{100 * low:.0f}",
            "value_2": f"{100 * high:.0f}",
        }


def calibrations_of(data_set: DataSet) -> list[Calibration]:
    """Return a calibration for each model that judged and about which somebody said something, by name. One query."""
    judgements = Grade.objects.filter(result__experiment__data_set=data_set, kind=JUDGE).exclude(is_right=None)
    sums = judgements.values_list("result__experiment__judge").order_by("result__experiment__judge")
    rows = sums.annotate(
        right=Count("pk", filter=Q(is_right=True)),
        too_kind=Count("pk", filter=Q(is_right=False, passed=True)),
        too_strict=Count("pk", filter=Q(is_right=False, passed=False)),
    )
    return [Calibration(judge or gettext("an unknown model"), *counts) for judge, *counts in rows]


def judgement_label(*, experiment: Experiment, grade_id: UUID, is_right: bool | None) -> None:
    """Store what a person says of a model's judgement; None takes it back. Raises NotFound."""
    if not Grade.objects.filter(pk=grade_id, kind=JUDGE, result__experiment=experiment).update(is_right=is_right):
        raise NotFound
