"""Rows of evaluations: data sets of cases, what is expected of their answers, experiments and their results (SPEC 8.4)."""

from __future__ import annotations

from typing import ClassVar, Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import Canary, Release
from agents.runtime.recorded_calls import GivenResult
from chat.models import Run
from evaluations.graders.answer import ExpectedResult, sentence_of
from evaluations.graders.kinds import KINDS
from tenants.models import Membership, TenantForeignKey, TenantModel

MAX_SAMPLES: Final = 10
MAX_CASES: Final = 500  # of a data set
MARKED_SAMPLES: Final = 3  # of a case that must pass: five good ones of 95 % would else be refused in 23 of 100 tries


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
    tool_results = models.JSONField(default=list, editable=False)  # agents.runtime.recorded_calls.GivenResult, of the run it was made from
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


class LeasedWork(TenantModel):
    """Work of many runs that a task does piece by piece (evaluations.services.leases)."""

    class Status(models.TextChoices):
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        STOPPED = "stopped", gettext_lazy("Stopped")
        FAILED = "failed", gettext_lazy("Failed")

    max_cost_usd = models.FloatField(null=True, blank=True)  # no further run is begun when this is spent
    status = models.CharField(max_length=8, choices=Status, default=Status.RUNNING)
    error = models.CharField(max_length=300, blank=True, default="")  # why it stopped or failed, for people
    asked_by = TenantForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    worker = models.UUIDField(null=True, editable=False)  # the call of the task that works on it
    lease_expires_at = models.DateTimeField(db_default=Now())  # from then on another worker may take it
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        abstract = True
        ordering: ClassVar[list[str]] = ["-created_at", "-id"]

    @property
    def is_running(self) -> bool:
        return self.status == self.Status.RUNNING


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


class Replay(LeasedWork):
    """Recorded runs, run again with the same changes and with recorded results of tools (docs/decisions/0064)."""

    class Source(models.TextChoices):
        RECORDED = "recorded", gettext_lazy("As recorded")
        DRAFT = "draft", gettext_lazy("Draft")
        LIVE = "live", gettext_lazy("Live release")
        OTHER = "other", gettext_lazy("Another release")

    source = models.CharField(max_length=8, choices=Source)
    # What it runs with, which is never live (admin_config.services.trials); None: each run with its own release.
    release = TenantForeignKey(Release, models.PROTECT, null=True, related_name="+")
    release_label = models.CharField(max_length=40)
    model_config_id = models.UUIDField(null=True)  # None: each run with its own model
    model_name = models.CharField(max_length=120, blank=True, default="")
    changes_prompt = models.BooleanField(default=False)
    prompt = models.TextField(blank=True, default="")
    tool_definitions = models.JSONField(default=dict, blank=True)  # other words for tools (agents.runtime.recorded_calls), by name
    looks_up = models.BooleanField(default=False)  # calls that only read inside Parley may run when they were not recorded
    left_out = models.PositiveIntegerField(default=0)  # runs that were chosen and may not be read

    class Meta(LeasedWork.Meta):
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["lease_expires_at"], condition=Q(status="running"), name="replay_lease"),
        ]

    def __str__(self) -> str:
        return ", ".join(self.changes)

    @property
    def changes(self) -> list[str]:
        """What it changes, in words."""
        model = [self.model_name] if self.model_config_id else []
        changed = [
            *([] if self.source == self.Source.RECORDED else [self.release_label]),
            *model,
            *([gettext("New prompt")] if self.changes_prompt else []),
            *(gettext("Tool %(name)s") % {"name": name} for name in self.tool_definitions),
        ]
        return changed or [gettext("Unchanged")]


class ReplayedRun(TenantModel):
    """A recorded run in a replay. All of a replay's are inserted at its start."""

    class Status(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Waiting")
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")  # there is no answer to compare

    replay = TenantForeignKey(Replay, models.CASCADE, related_name="runs")
    position = models.PositiveSmallIntegerField()  # from 1
    original = TenantForeignKey(Run, models.CASCADE, related_name="+")
    run = TenantForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    error = models.CharField(max_length=300, blank=True, default="")
    # Of a run that ended:
    unrecorded_call = models.CharField(max_length=120, blank=True, default="")  # the tool at whose call it stopped; "": it did not
    same_calls = models.BooleanField(default=False)  # the same tools with the same arguments, in the same order
    likeness = models.FloatField(default=0.0)  # of both answers, from 0 to 1
    length_change = models.IntegerField(default=0)  # of the answer, in characters
    equal_requests = models.PositiveSmallIntegerField(default=0)
    requests = models.PositiveSmallIntegerField(default=0)
    cost_usd = models.FloatField(null=True)
    original_cost_usd = models.FloatField(null=True)
    duration_ms = models.PositiveIntegerField(null=True)
    original_duration_ms = models.PositiveIntegerField(null=True)

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "replay", "position"], name="replayed_run_once"),
        ]

    def __str__(self) -> str:
        return f"{self.replay_id} {self.position}"

    @property
    def has_ended(self) -> bool:
        return self.status in (self.Status.DONE, self.Status.FAILED)


class CanaryLook(TenantModel):
    """How a canary did when its rules looked at it, for the curves of its page. Some 400 rows in two weeks."""

    canary = TenantForeignKey(Canary, models.CASCADE, related_name="+")
    looked_at = models.DateTimeField(auto_now_add=True)
    canary_runs = models.PositiveIntegerField()
    live_runs = models.PositiveIntegerField()
    figures = models.JSONField(default=list)  # the measures (evaluations.canary.measures)

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["looked_at"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "canary", "looked_at"], name="canary_look_time")]

    def __str__(self) -> str:
        return f"{self.canary_id} {self.looked_at}"
