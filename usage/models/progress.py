"""How far the sums have come, what they are made of, and what organizations store."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from tenants.models import TenantModel
from usage.models.sums import cost_column


class UsageConversation(TenantModel):
    """What a conversation used in a month, for the list of those that cost most."""

    month = models.DateField()  # its first day
    conversation_id = models.UUIDField()
    member_id = models.UUIDField()
    calls = models.PositiveBigIntegerField()
    tokens = models.PositiveBigIntegerField()
    unpriced_tokens = models.PositiveBigIntegerField()
    cost_usd = cost_column()

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "month", "conversation_id"], name="usage_conversation_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["organization", "month", "-cost_usd", "-tokens"], name="usage_conversation_top"),
        ]

    def __str__(self) -> str:
        return f"{self.month} {self.conversation_id}"


class UsageProgress(TenantModel):
    """Up to when an organization's calls are added up. Its lock keeps two workers from adding the same calls.

    And what was found when somebody last looked for ways to save.
    """

    summed_until = models.DateTimeField()
    hints = models.JSONField(default=list)  # how to save: usage.savings.hints.Hint
    hints_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="usage_progress_once"),
        ]

    def __str__(self) -> str:
        return f"{self.summed_until:%Y-%m-%d %H:%M}"


class OrganizationStorage(TenantModel):
    """What the organization's files take (usage.platform.storage)."""

    size_bytes = models.PositiveBigIntegerField()
    counted_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="organization_storage_once"),
        ]

    def __str__(self) -> str:
        return f"{self.size_bytes} bytes"
