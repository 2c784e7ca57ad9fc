"""Model of the exports that members make of what is theirs."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext

from tenants.models import Membership, TenantForeignKey, TenantModel


class PersonalExport(TenantModel):
    """A ZIP of what a member has in the organization, which a worker makes; it is kept for some days (accounts.profile.personal_exports)."""

    class State(models.TextChoices):
        WAITING = "waiting"
        READY = "ready"
        FAILED = "failed"

    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING, editable=False)
    done = models.PositiveIntegerField(default=0, editable=False)  # things that are in the file already, of `total`
    total = models.PositiveIntegerField(default=0, editable=False)
    size_bytes = models.PositiveBigIntegerField(default=0, editable=False)
    stored_as = models.CharField(max_length=200, blank=True, default="", editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    progress_at = models.DateTimeField(db_default=Now(), editable=False)  # its worker's last sign of life

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "membership"], name="personal_export_once"),
        ]

    def __str__(self) -> str:
        return gettext("%(done)s of %(total)s") % {"done": self.done, "total": self.total}
