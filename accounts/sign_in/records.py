"""What follows signing in and out: a line in the log (security.audit.sign_ins writes the audit log), and the end of session keys."""

from __future__ import annotations

from typing import Any

import structlog
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.sign_in.addresses import address_follow
from accounts.sign_in.throttle import account_hash
from security.member_keys import session_hash, session_keys_end
from tenants.models import User

log = structlog.get_logger(__name__)


@receiver(user_logged_in)
def record_sign_in(user: User, **kwargs: Any) -> None:
    log.info("signed_in", user_id=user.pk)


@receiver(user_logged_out)
def end_session_keys(request: HttpRequest, user: User | None, **kwargs: Any) -> None:
    """Delete the provider keys that were entered for this session only. Django sends the signal while the session still exists."""
    if user is not None:
        session_keys_end(user_id=user.pk, session_id_hash=session_hash(request.session.session_key))


@receiver(user_login_failed)
def record_sign_in_failure(credentials: dict[str, Any], **kwargs: Any) -> None:
    log.info("sign_in_failed", account=account_hash(str(credentials.get("email", ""))))


@receiver(post_save, sender=User)
def keep_address(instance: User, created: bool, update_fields: frozenset[str] | None, **kwargs: Any) -> None:
    """Follow a change of `User.email` that did not come through the person's own page."""
    if not created and (update_fields is None or "email" in update_fields):
        address_follow(instance)
