"""Rows of experiments: all cases of a data set asked of one agent, the answers, and what the graders said."""

from __future__ import annotations

from typing import ClassVar, Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import Release
from chat.models import Run
from evaluations.graders.answer import sentence_of
from evaluations.graders.kinds import KINDS
from evaluations.models.cases import Case, DataSet
from evaluations.models.leased_work import LeasedWork
from tenants.models import TenantForeignKey, TenantModel

MAX_SAMPLES: Final = 10


class Experiment(LeasedWork):
    """All cases of a data set, asked of one agent as one release has it."""

    class Source(models.TextChoices):
        DRAFT = "draft", gettext_lazy("Draft")
        LIVE = "live", gettext_lazy("Live release")

    data_set = TenantForeignKey(DataSet, models.CASCADE, related_name="experiments")
    agent_key = models.CharField(max_length=80)
    agent_name = models.CharField(max_length=120)  # as it was then
    source = models.CharField(max_length=5, choices=Source)
    # What it runs with, which is never live (admin_config.services.trials).
    release = TenantForeignKey(Release, models.PROTECT, related_name="+")
    samples = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(MAX_SAMPLES)]
    )  # answers for each case; most of them must pass
    marked_samples = models.PositiveSmallIntegerField(default=1)  # the same for cases that must pass
    # What of the data set and the judge it was asked with, so that an equal experiment need not be asked again (evaluations.gate).
    revision = models.CharField(max_length=64, blank=True, default="", editable=False)
    judge = models.CharField(max_length=160, blank=True, default="", editable=False)

    class Meta(LeasedWork.Meta):
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["lease_expires_at"], condition=Q(status="running"), name="experiment_lease"),
            models.Index(fields=["organization", "data_set", "-created_at"], name="experiment_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.agent_name}, {'draft' if self.source == self.Source.DRAFT else 'release'} {self.release_label}".strip()

    @property
    def release_label(self) -> str:
        """The number of the release, and for a draft of the one that was live then."""
        return (
            str(self.release.number)
            if self.source == self.Source.LIVE
            else gettext("after release %(number)s") % {"number": self.release.number}
        )


class CaseResult(TenantModel):
    """One answer to a case in an experiment. All of an experiment's are inserted at its start, so that what is missing can be seen."""

    class Status(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Waiting")
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")  # there was no answer to judge

    experiment = TenantForeignKey(Experiment, models.CASCADE, related_name="results")
    case = TenantForeignKey(Case, models.CASCADE, related_name="results")
    sample = models.PositiveSmallIntegerField()  # from 1
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    run = TenantForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    answer = models.TextField(blank=True, default="")
    passed = models.BooleanField(default=False)
    error = models.CharField(max_length=300, blank=True, default="")
    held_up_since = models.DateTimeField(null=True, editable=False)  # from then on it could not begin (evaluations.services.leases)
    cost_usd = models.FloatField(null=True)
    duration_ms = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["sample"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "experiment", "case", "sample"], name="case_result_once"),
        ]

    def __str__(self) -> str:
        return f"{self.case_id} {self.sample}"


class Grade(TenantModel):
    """What one grader said about a result."""

    result = TenantForeignKey(CaseResult, models.CASCADE, related_name="grades")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)
    passed = models.BooleanField()
    template = models.CharField(max_length=500)  # the reason, marked for translation
    values = models.JSONField(default=dict)  # in it; a judge's own words have none
    is_right = models.BooleanField(null=True, editable=False)  # what a person says of a model's judgement

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "result", "position"], name="grade_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"

    @property
    def reason(self) -> str:
        return sentence_of(self.template, self.values)

    @property
    def label(self) -> str:
        return str(KINDS[self.kind].label) if self.kind in KINDS else self.kind
