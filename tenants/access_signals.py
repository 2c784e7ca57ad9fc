"""Sends a notice when a row is saved or deleted that access depends on, whoever does it: a service, an admin page, a command.

`QuerySet.update` sends no signal: whoever ends an access by it calls `access_notice_send` (tenants.redis.access_notices).
"""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone

from tenants.models import Membership, Organization, Session, User
from tenants.redis.access_notices import Kind, access_notice_send

ENDING_FIELDS: dict[type, set[str]] = {
    User: {"password", "is_active"},
    Organization: {"is_active", "policy"},
    Membership: {"role", "is_active"},
}
KINDS: dict[type, Kind] = {User: "user", Organization: "organization", Membership: "membership"}


@receiver(post_save, sender=User)
@receiver(post_save, sender=Organization)
@receiver(post_save, sender=Membership)
def change_announce(
    sender: type, instance: Any, created: bool, using: str, update_fields: frozenset[str] | None = None, **kwargs: Any
) -> None:
    if not created and (update_fields is None or update_fields & ENDING_FIELDS[sender]):
        access_notice_send(KINDS[sender], instance.pk, using=using)


@receiver(post_delete, sender=Session)
def session_end_announce(instance: Session, using: str, **kwargs: Any) -> None:
    """Old ones, which a task deletes at night, ended long ago."""
    if instance.expire_date > timezone.now():
        access_notice_send("session", instance.pk, using=using)


@receiver(post_delete, sender=Membership)
def removal_announce(instance: Membership, using: str, **kwargs: Any) -> None:
    access_notice_send("membership", instance.pk, using=using)
