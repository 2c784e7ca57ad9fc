"""Sealed secrets and the audit log."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from tenants.models import TenantModel


class Secret(TenantModel):
    """A sealed value, bound to the origin it was entered for. Only security.services seals and opens; the value is never shown again."""

    ciphertext = models.TextField(editable=False)
    key_id = models.CharField(max_length=40, editable=False)
    bound_origin = models.CharField(max_length=300, editable=False)
    last_four = models.CharField(max_length=4, blank=True, editable=False)
    purpose = models.CharField(max_length=60, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["key_id"], name="secret_key_id")]  # rotation

    def __str__(self) -> str:
        return f"set, ends in {self.last_four}" if self.last_four else "set"


class AuditEvent(TenantModel):
    """Who did what to which object. The app role can only insert and read; `detail` holds ids and names of fields, never content.

    `actor_user_id` is a plain number, so that the row outlives the user. None: the platform itself.
    """

    actor_user_id = models.BigIntegerField(null=True, editable=False)
    action = models.CharField(max_length=60, editable=False)
    object_kind = models.CharField(max_length=60, editable=False)
    object_id = models.CharField(max_length=80, editable=False)
    detail = models.JSONField(default=dict, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering: ClassVar[list[str]] = ["-created_at"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "-created_at"], name="audit_newest_first")]

    def __str__(self) -> str:
        return f"{self.action} {self.object_kind} {self.object_id}"
