"""Model of the limits on messages."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from tenants.models import MemberGroup, Membership, TenantForeignKey, TenantModel


class MessageLimit(TenantModel):
    """How many messages somebody may send. An empty number means: what the next wider limit says."""

    class Scope(models.TextChoices):
        ORGANIZATION = "organization", "All members together"
        EACH_MEMBER = "each_member", "Each member"
        ROLE = "role", "Each member with a role"
        GROUP = "group", "Each member of a group"
        MEMBER = "member", "One member"
        EACH_TOKEN = "each_token", "Each API token"

    scope = models.CharField("applies to", max_length=12, choices=Scope)
    role = models.CharField(max_length=10, choices=Membership.Role, blank=True)
    group = TenantForeignKey(MemberGroup, models.CASCADE, null=True, blank=True, related_name="+")
    membership = TenantForeignKey(Membership, models.CASCADE, null=True, blank=True, related_name="+", verbose_name="member")
    per_minute = models.PositiveIntegerField("a minute", null=True, blank=True)
    per_hour = models.PositiveIntegerField("an hour", null=True, blank=True)
    per_day = models.PositiveIntegerField("a day", null=True, blank=True)
    per_month = models.PositiveIntegerField("in 30 days", null=True, blank=True)
    last_day = models.DateField(null=True, blank=True, help_text="The limit applies up to this day (UTC). Empty: it stays.")
    reason = models.CharField(max_length=200, blank=True, help_text="For other admins, and for the audit log.")

    class Meta(TenantModel.Meta):
        verbose_name = "message limit"
        ordering: ClassVar[list[str]] = ["scope", "role", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "scope", "role", "group", "membership"],
                name="message_limit_once",
                nulls_distinct=False,
                violation_error_message="There is already a limit for this. Change that one.",
            ),
            models.CheckConstraint(condition=Q(scope="role") ^ Q(role=""), name="message_limit_role"),
            models.CheckConstraint(condition=Q(scope="group") ^ Q(group=None), name="message_limit_group"),
            models.CheckConstraint(condition=Q(scope="member") ^ Q(membership=None), name="message_limit_member"),
        ]

    def __str__(self) -> str:
        match self.scope:
            case self.Scope.ROLE:
                return f"Each {self.get_role_display().lower()}"
            case self.Scope.GROUP:
                return f"Each member of {self.group}"
            case self.Scope.MEMBER:
                return str(self.membership.user) if self.membership else ""
        return self.get_scope_display()

    @property
    def has_ended(self) -> bool:
        return self.last_day is not None and self.last_day < timezone.now().date()

    @property
    def counts(self) -> tuple[int | None, ...]:
        """The numbers, in the order of limits.allowances.SECONDS."""
        return self.per_minute, self.per_hour, self.per_day, self.per_month
