"""Rows of data sets: cases, and what is expected of their answers."""

from __future__ import annotations

from typing import ClassVar, Final

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from agents.runtime.replay.recorded_calls import GivenResult
from chat.models import Run
from evaluations.graders.answer import ExpectedResult
from evaluations.graders.kinds import KINDS
from tenants.models import TenantForeignKey, TenantModel

MAX_CASES: Final = 500  # of a data set


class DataSet(TenantModel):
    """Cases that belong together, such as those of one task of an agent."""

    name = models.CharField(max_length=80)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("data set")
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "name"],
                name="data_set_name",
                violation_error_message=gettext_lazy("There is already a data set of this name."),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Case(TenantModel):
    """A conversation whose last message is a question, and what is expected of the answer."""

    data_set = TenantForeignKey(DataSet, models.CASCADE, related_name="cases")
    name = models.CharField(max_length=120)
    messages = models.JSONField(default=list)  # [{"role": "user" | "assistant", "text": …}, …], the last one a user's
    marked = models.BooleanField(
        "must pass", default=False, help_text=gettext_lazy("When it fails, it is named first, however well the others do.")
    )
    tool_results = models.JSONField(
        default=list, editable=False
    )  # agents.runtime.replay.recorded_calls.GivenResult, of the run it was made from
    recorded_tools = models.BooleanField(
        "recorded tools",
        default=False,
        help_text=gettext_lazy("Tools give the recorded results below instead of running. A call without one fails the case."),
    )
    source_run = TenantForeignKey(Run, models.SET_NULL, null=True, blank=True, editable=False, related_name="+")  # it was made from
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(db_default=Now(), editable=False)  # results that began before are of another case

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["created_at", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def given_results(self) -> list[GivenResult] | None:
        """What the tools of its answers give; None: they run."""
        results: list[GivenResult] = self.tool_results
        return results if self.recorded_tools else None


class Expectation(TenantModel):
    """A grader of a case with what it looks for (evaluations.graders.kinds). An answer passes when all of the case's do."""

    case = TenantForeignKey(Case, models.CASCADE, related_name="expectations")
    position = models.PositiveSmallIntegerField(default=0, editable=False)
    kind = models.CharField("check", max_length=20, choices=[(key, kind.label) for key, kind in KINDS.items()])
    value = models.TextField("what", blank=True)
    detail = models.TextField("more", blank=True)

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["position", "id"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.value}".strip()[:80]

    @property
    def expected(self) -> ExpectedResult:
        return ExpectedResult(self.kind, self.value, self.detail)
