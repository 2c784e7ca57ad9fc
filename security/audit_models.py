"""Models of the audit log: events, and the webhooks and exports that carry them on.

No role of the running product changes or deletes events (tenants.postgres.append_only). The database sets their dates, shortens
addresses by the organization's policy, and queues each event for the organization's webhooks (security.audit_sql).
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from tenants.models import TenantForeignKey, TenantModel
from tenants.time_ids import time_id


class AuditFields(models.Model):
    """Who did what to which object, from where. Never content of chats, never a secret."""

    class ActorKind(models.TextChoices):
        USER = "user", gettext_lazy("User")
        SERVICE = "service", gettext_lazy("service account")
        SYSTEM = "system", gettext_lazy("Parley")
        STRANGER = "stranger", gettext_lazy("somebody unknown")

    class Outcome(models.TextChoices):
        DONE = "done", gettext_lazy("Done")
        REFUSED = "refused", gettext_lazy("Refused")
        FAILED = "failed", gettext_lazy("Failed")

    # a plain number, so that the row outlives the user; None: Parley itself, or somebody unknown
    actor_user_id = models.BigIntegerField(null=True, editable=False)
    actor_kind = models.CharField(max_length=10, choices=ActorKind.choices, default=ActorKind.SYSTEM, editable=False)
    action = models.CharField(max_length=60, editable=False)
    category = models.CharField(max_length=20, default="other", editable=False)  # security.audit.actions
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.DONE, editable=False)
    object_kind = models.CharField(max_length=60, editable=False)
    object_id = models.CharField(max_length=80, editable=False)
    object_label = models.CharField(max_length=200, blank=True, default="", editable=False)  # its name at that time
    object_key = models.CharField(
        max_length=200, blank=True, default="", editable=False, db_collation="C"
    )  # label in small letters, by trigger
    detail = models.JSONField(default=dict, editable=False)  # ids and field names, never content
    before = models.JSONField(default=dict, editable=False)  # what changed, by field; of a secret its last four characters
    after = models.JSONField(default=dict, editable=False)
    count = models.PositiveIntegerField(default=1, editable=False)  # how often it happened within a minute (security.audit.event_counts)
    address = models.CharField(max_length=50, blank=True, default="", editable=False, db_collation="C")  # an IP address or a network
    user_agent = models.CharField(max_length=200, blank=True, default="", editable=False)
    session_hash = models.CharField(max_length=16, blank=True, default="", editable=False)  # tells sessions apart, opens none
    token_id = models.UUIDField(null=True, editable=False)
    request_id = models.CharField(max_length=40, blank=True, default="", editable=False)
    run_id = models.UUIDField(null=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)  # a trigger writes it, whatever the insert says

    class Meta:
        abstract = True


class AuditEvent(AuditFields, TenantModel):
    """An event of one organization. Its id begins with a time: the table is in partitions by month of the id."""

    id = models.UUIDField(primary_key=True, default=time_id, editable=False)

    class Meta(TenantModel.Meta):
        verbose_name_plural = gettext_lazy("audit log")
        ordering: ClassVar[list[str]] = ["-created_at"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["organization", "-created_at", "-id"], name="audit_newest_first"),
            models.Index(fields=["organization", "actor_user_id", "-created_at", "-id"], name="audit_by_actor"),
            models.Index(fields=["organization", "category", "-created_at", "-id"], name="audit_by_category"),
            models.Index(fields=["organization", "object_kind", "-created_at", "-id"], name="audit_by_kind"),
            models.Index(fields=["organization", "object_id", "-created_at", "-id"], name="audit_by_object"),
            models.Index(fields=["organization", "object_key", "-created_at", "-id"], name="audit_by_object_key"),
            models.Index(fields=["organization", "run_id"], condition=models.Q(run_id__isnull=False), name="audit_by_run"),
            models.Index(fields=["organization", "request_id", "-created_at", "-id"], name="audit_by_request"),
            models.Index(fields=["organization", "address", "-created_at", "-id"], name="audit_by_address"),
            models.Index(fields=["organization", "-created_at", "-id"], condition=~models.Q(outcome="done"), name="audit_not_done"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_kind} {self.object_id}"


class PlatformEvent(AuditFields):
    """An event of the platform's operator: sign-ins, the operator's own work, changes of organizations and users."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    about_organization_id = models.UUIDField(null=True, editable=False)  # a plain id, so that the row outlives the organization

    class Meta:
        verbose_name_plural = gettext_lazy("audit log")
        ordering: ClassVar[list[str]] = ["-created_at"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["-created_at", "-id"], name="platform_audit_newest_first"),
            models.Index(fields=["actor_user_id", "-created_at", "-id"], name="platform_audit_by_actor"),
            models.Index(fields=["category", "-created_at", "-id"], name="platform_audit_by_category"),
            models.Index(fields=["object_id", "-created_at", "-id"], name="platform_audit_by_object"),
            models.Index(fields=["object_key", "-created_at", "-id"], name="platform_audit_by_key"),
            models.Index(fields=["run_id"], condition=models.Q(run_id__isnull=False), name="platform_audit_by_run"),
            models.Index(fields=["address", "-created_at", "-id"], name="platform_audit_by_addr"),
            models.Index(fields=["request_id", "-created_at", "-id"], name="platform_audit_by_request"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_kind} {self.object_id}"


class AuditWebhook(TenantModel):
    """An address that gets every event of the organization, signed (security.audit.webhooks)."""

    url = models.CharField("address", max_length=500)
    secret = TenantForeignKey("security.Secret", models.RESTRICT, editable=False, related_name="+")
    is_enabled = models.BooleanField("enabled", default=True)
    failures = models.PositiveIntegerField(default=0, editable=False)  # in a row
    last_error = models.CharField(max_length=200, blank=True, default="", editable=False)
    last_failed_at = models.DateTimeField(null=True, editable=False)
    last_delivered_at = models.DateTimeField(null=True, editable=False)
    delivered = models.PositiveBigIntegerField(default=0, editable=False)  # events, ever
    next_try_at = models.DateTimeField(db_default=Now(), editable=False)
    leased_until = models.DateTimeField(null=True, editable=False)  # by the worker that sends now
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("audit webhook")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "url"],
                name="audit_webhook_once",
                violation_error_message=gettext_lazy("This address gets the events already."),
            ),
        ]

    def __str__(self) -> str:
        return self.url


class AuditDelivery(TenantModel):
    """An event that waits for a webhook. The database makes it with the event; it is deleted when the receiver has answered."""

    webhook = TenantForeignKey(AuditWebhook, models.CASCADE, editable=False, related_name="+")
    event = TenantForeignKey(AuditEvent, models.CASCADE, editable=False, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(TenantModel.Meta):
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["organization", "webhook", "created_at", "id"], name="audit_delivery_order"),
            models.Index(fields=["organization", "event"], name="audit_delivery_event"),
        ]

    def __str__(self) -> str:
        return str(self.event_id)


class AuditExport(TenantModel):
    """A file of many events, which a worker makes; it is kept for some days (security.audit.exports)."""

    class Status(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Waiting")
        READY = "ready", gettext_lazy("Ready")
        FAILED = "failed", gettext_lazy("Failed")

    user_id = models.BigIntegerField(editable=False)  # who asked for it
    format = models.CharField(max_length=5, editable=False)
    filters = models.JSONField(default=dict, editable=False)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING, editable=False)
    rows = models.PositiveIntegerField(default=0, editable=False)
    stored_as = models.CharField(max_length=200, blank=True, default="", editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)

    class Meta(TenantModel.Meta):
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "-created_at"], name="audit_export_newest_first")]

    def __str__(self) -> str:
        return f"{self.format} {self.status}"
