"""Rows of canaries: how each one did at the looks of its rules."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from admin_config.models import Canary
from tenants.models import TenantForeignKey, TenantModel


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
