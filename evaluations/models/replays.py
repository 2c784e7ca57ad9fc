"""Rows of replays: recorded runs that are run again with changes (docs/decisions/0064)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import Release
from chat.models import Run
from evaluations.models.leased_work import LeasedWork
from tenants.models import TenantForeignKey, TenantModel


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
    tool_definitions = models.JSONField(default=dict, blank=True)  # other words for tools (agents.runtime.replay.recorded_calls), by name
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
    held_up_since = models.DateTimeField(null=True, editable=False)  # from then on it could not begin (evaluations.services.leases)
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
