"""Model of invitations to an organization."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext

from tenants.models import Membership, TenantForeignKey, TenantModel


class Invitation(TenantModel):
    """An invitation of one address, or a link that several people may use. Its token is stored as a SHA-256 only."""

    email = models.EmailField(blank=True, editable=False)  # in lower case; blank: a link
    name = models.CharField(max_length=60, blank=True, editable=False)  # of a link, for the list
    email_domain = models.CharField(max_length=120, blank=True, editable=False)  # of a link: only addresses of this domain
    role = models.CharField(max_length=10, choices=Membership.Role.choices, editable=False)
    group_ids = models.JSONField(default=list, editable=False)  # texts; groups that are gone at acceptance are left out
    digest = models.CharField(max_length=64, editable=False)
    invited_by = TenantForeignKey(Membership, models.SET_NULL, null=True, editable=False, related_name="+")
    # the user who sent it as an operator, when no membership stands behind it; a plain number, which outlives the user
    operator_id = models.BigIntegerField(null=True, editable=False)
    max_uses = models.PositiveIntegerField(default=1, editable=False)
    uses = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, editable=False)
    expires_at = models.DateTimeField(editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "digest"], name="invitation_once"),
            models.CheckConstraint(condition=Q(uses__lte=models.F("max_uses")), name="invitation_uses"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "-created_at"], name="invitation_newest_first")]

    def __str__(self) -> str:
        return self.email or self.name or gettext("Link")

    @property
    def domain(self) -> str:
        """The domain of the addresses that it is for; "" for a link that names none."""
        return self.email.rpartition("@")[2] or self.email_domain

    @property
    def is_link(self) -> bool:
        return not self.email


OPEN = Q(revoked_at=None, expires_at__gt=Now(), uses__lt=models.F("max_uses"))
