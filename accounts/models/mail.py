"""Mails that wait to go out, that went out, or that the operator reads here because no mail server is set."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy

from tenants.models import Membership


class OutgoingMail(models.Model):
    """One mail to one address. It is written in the transaction of what it tells about, and sent after its commit.

    Platform-wide like users: a person's mail belongs to no organization. Texts carry codes, so they are deleted once a mail has gone out.
    """

    class State(models.TextChoices):
        KEPT = "kept", gettext_lazy("Kept here")  # no mail server is set
        WAITING = "waiting", gettext_lazy("Waiting")
        SENDING = "sending", gettext_lazy("Sending")
        SENT = "sent", gettext_lazy("Sent")
        FAILED = "failed", gettext_lazy("Failed")
        UNCLEAR = "unclear", gettext_lazy("Unclear")  # the process ended while it sent; not sent again, since it may have arrived

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    key = models.CharField(max_length=200, unique=True, null=True, editable=False)  # the same mail twice is one; None: never the same
    kind = models.CharField(max_length=60, editable=False)
    recipient = models.EmailField("to", max_length=254, editable=False)
    about_organization_id = models.UUIDField(null=True, editable=False)  # whose matter it is; None: the recipient's own
    subject = models.CharField(max_length=200, editable=False)
    text = models.TextField(editable=False)
    html = models.TextField("HTML", editable=False)
    state = models.CharField(max_length=10, choices=State.choices, editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    error = models.CharField("last error", max_length=200, blank=True, editable=False)
    next_try_at = models.DateTimeField("next try", null=True, editable=False)
    created_at = models.DateTimeField("written", auto_now_add=True)
    changed_at = models.DateTimeField("changed", auto_now=True)

    class Meta:
        verbose_name = gettext_lazy("mail")
        indexes = [
            models.Index(fields=["next_try_at"], name="outgoing_mail_due", condition=models.Q(state="waiting")),
            models.Index(fields=["-created_at"], name="outgoing_mail_newest"),
        ]

    def __str__(self) -> str:
        return self.subject

    @staticmethod
    def organizations_of(mails: Sequence[OutgoingMail]) -> set[UUID]:
        """Return the organizations whose matter these mails are, and those of their readers. One query."""
        addresses = {mail.recipient.lower() for mail in mails}
        own = Membership.objects.filter(user__email__in=addresses, removed_at=None).values_list("organization_id", flat=True)
        return {*own, *(mail.about_organization_id for mail in mails if mail.about_organization_id)}
