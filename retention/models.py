"""Model of an organization's retention rule."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from tenants.models import TenantModel


class RetentionRule(TenantModel):
    """After how many days what is deleted; at most one row for each organization. None: never, but for the platform's bound."""

    conversation_days = models.PositiveSmallIntegerField(null=True, editable=False)  # since a conversation was last changed
    file_days = models.PositiveSmallIntegerField(null=True, editable=False)  # since a file was attached or made
    call_days = models.PositiveSmallIntegerField(null=True, editable=False)  # since a model was called; its content alone goes
    begins_at = models.DateTimeField(null=True, editable=False)  # when these numbers hold; before, those of `earlier` that keep more
    earlier = models.JSONField(default=list, editable=False)  # former numbers and until when they were the rule (retention.rules)
    applied_at = models.DateTimeField(null=True, editable=False)  # when it last ended with nothing left to delete
    changed_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        verbose_name = verbose_name_plural = "retention"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="retention_rule_once"),
        ]

    def __str__(self) -> str:
        return "Retention"
