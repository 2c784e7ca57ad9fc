"""Releases that go live at a time that an admin set."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from admin_config.models.releases import Release
from tenants.models import TenantForeignKey, TenantModel


class ScheduledRelease(TenantModel):
    """A release that goes live later. An organization has one at a time."""

    class Outcome(models.TextChoices):
        LIVE = "live", gettext_lazy("Went live")
        CANCELLED = "cancelled", gettext_lazy("Cancelled")
        REFUSED = "refused", gettext_lazy("Not published")

    release = TenantForeignKey(Release, models.PROTECT, editable=False, related_name="+")
    publish_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, editable=False)
    outcome = models.CharField(max_length=9, choices=Outcome, blank=True, default="", editable=False)
    reason = models.CharField(max_length=300, blank=True, default="", editable=False)  # why it was not published, for people
    is_announced = models.BooleanField(default=False, editable=False)  # the mails about its end are written

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("scheduled release")
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], condition=Q(ended_at=None), name="scheduled_release_one_open"),
            models.UniqueConstraint(fields=["organization", "release"], name="scheduled_release_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["publish_at"], condition=Q(is_announced=False), name="scheduled_release_due"),
        ]

    def __str__(self) -> str:
        return gettext("release %(number)s") % {"number": self.release.number}
