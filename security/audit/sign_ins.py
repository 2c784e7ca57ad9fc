"""Receivers of Django's sign-in signals, whichever page or library sends them.

A failed sign-in is only counted here, and written in the background: it takes the same time for known and unknown addresses.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from security.audit.event_count_rows import ACCOUNT
from security.audit.event_counts import count_event
from security.audit.writing import audit, platform_audit
from tenants.members import organizations_of_user
from tenants.models import User


@receiver(user_logged_in, dispatch_uid="audit_sign_in")
def record_sign_in(user: User, **kwargs: Any) -> None:
    """Write a sign-in to the log of each of the user's organizations and to the operator's."""
    _record(user, "user.sign_in")


@receiver(user_logged_out, dispatch_uid="audit_sign_out")
def record_sign_out(user: User | None, **kwargs: Any) -> None:
    if user is not None:
        _record(user, "user.sign_out")


@receiver(user_login_failed, dispatch_uid="audit_sign_in_failed")
def record_sign_in_failure(credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any) -> None:
    name = credentials.get("username") or credentials.get("email") or ""
    sign_in_count(str(name), action="user.sign_in_failed", outcome="failed")


def sign_in_count(name: str, *, action: str, outcome: str) -> None:
    """Count a sign-in that failed or was refused, for the organizations of the account and the operator."""
    account = hashlib.sha256(name.strip().lower().encode()).hexdigest()
    count_event(
        organization_id=None,
        actor_user_id=None,
        actor_kind="stranger",
        action=action,
        object_kind=ACCOUNT,
        object_id=account,
        outcome=outcome,
    )


def _record(user: User, action: str) -> None:
    label = user.get_full_name()
    for organization in organizations_of_user(user_id=user.pk):
        audit(
            organization_id=organization.id,
            actor_user_id=user.pk,
            action=action,
            object_kind="user",
            object_id=user.pk,
            object_label=label,
        )
    platform_audit(actor_user_id=user.pk, action=action, object_kind="user", object_id=user.pk, object_label=label)
