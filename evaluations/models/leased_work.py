"""Work that a task does piece by piece under a lease: the base of experiments and replays."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from tenants.models import Membership, TenantForeignKey, TenantModel


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
