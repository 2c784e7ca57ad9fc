"""Data sets that a draft is asked before it may be published (evaluations.gate)."""

from __future__ import annotations

from typing import ClassVar, Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy

from evaluations.models.cases import Case, DataSet
from evaluations.models.experiments import MAX_SAMPLES
from tenants.models import TenantForeignKey, TenantModel

MARKED_SAMPLES: Final = 3  # of a case that must pass: five good ones of 95 % would else be refused in 23 of 100 tries


class Requirement(TenantModel):
    """A data set that a draft is asked before it may be published (evaluations.gate, docs/decisions/0056)."""

    data_set = TenantForeignKey(
        DataSet,
        models.PROTECT,
        related_name="requirements",
        help_text=gettext_lazy("Its cases that must pass are judged one by one, the others together."),
    )
    agent_key = models.CharField(
        "asked of", max_length=80, blank=True, default=""
    )  # an agent's key, a kind (its agents of all offered providers), or "": all that members talk to
    samples = models.PositiveSmallIntegerField(
        "answers a case",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_SAMPLES)],
        help_text=gettext_lazy("Most of them must pass. Cases that must pass get at least three."),
    )
    tolerance_points = models.PositiveSmallIntegerField(
        "tolerance (points)",
        default=0,
        validators=[MaxValueValidator(50)],
        help_text=gettext_lazy(
            "Publishing is refused when the draft is surely worse than the live release by more than this. 0: surely worse at all."
        ),
    )
    max_cost_percent = models.PositiveSmallIntegerField(
        "cost at most (% more)",
        null=True,
        blank=True,
        default=50,
        help_text=gettext_lazy("Of an answer, beside the live release. Blank: not checked."),
    )
    max_slower_percent = models.PositiveSmallIntegerField(
        "time at most (% more)",
        null=True,
        blank=True,
        help_text=gettext_lazy("Of the slowest 5 %, beside the live release. Blank: not checked."),
    )
    max_cost_usd = models.FloatField(
        "stop at (US dollars)",
        null=True,
        blank=True,
        validators=[MinValueValidator(0.01)],
        help_text=gettext_lazy("What one run of it may cost. One that is stopped does not count as asked. Blank: no limit of its own."),
    )
    asks_first = models.BooleanField(
        "tools with a secret ask first",
        default=True,
        help_text=gettext_lazy("On: a case that needs one fails. Off: such tools run without asking."),
    )

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("required data set")
        ordering: ClassVar[list[str]] = ["data_set__name", "agent_key"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "data_set", "agent_key"],
                name="requirement_once",
                violation_error_message=gettext_lazy("This data set is required there already."),
            ),
        ]

    def __str__(self) -> str:
        return str(self.data_set)

    @property
    def marked_samples(self) -> int:
        return max(MARKED_SAMPLES, self.samples)

    def samples_of(self, case: Case) -> int:
        """Return how many answers the case gets from one agent of one release."""
        return self.marked_samples if case.marked else self.samples
