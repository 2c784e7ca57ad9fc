"""What follows signing in and out: a line in the log (security.audit.sign_ins writes the audit log), and the end of session keys."""

from __future__ import annotations

from typing import Any

import structlog
from allauth.account.internal.flows.login import record_authentication
from allauth.account.signals import email_changed, password_changed, password_reset, password_set
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.signals import social_account_added
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.sign_in.addresses import address_follow
from accounts.sign_in.throttle import account_hash
from security.audit import audit
from security.secrets.member_keys import session_keys_end
from tenants.authentication.session_proof import METHODS
from tenants.authentication.sessions import session_hash, session_start
from tenants.members import organizations_of_user
from tenants.models import User

log = structlog.get_logger(__name__)


@receiver(user_logged_in)
def record_sign_in(request: HttpRequest, user: User, **kwargs: Any) -> None:
    session_start(request.session)
    log.info("signed_in", user_id=user.pk)


@receiver(user_logged_out)
def end_session_keys(request: HttpRequest, user: User | None, **kwargs: Any) -> None:
    """Delete the provider keys that were entered for this session only. Django sends the signal while the session still exists."""
    if user is not None:
        session_keys_end(user_id=user.pk, session_id_hash=session_hash(request.session.session_key))


@receiver(user_login_failed)
def record_sign_in_failure(credentials: dict[str, Any], **kwargs: Any) -> None:
    email = str(credentials.get("email", "")).strip().lower()
    log.info("sign_in_failed", account=account_hash(email))


@receiver(authenticator_added)
def record_factor(request: HttpRequest, user: User, authenticator: Authenticator, **kwargs: Any) -> None:
    """Note the new factor in the session: who adds one has just used it."""
    audit_everywhere(user, "user.factor_add", type=authenticator.type)
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)


@receiver(authenticator_removed)
def record_factor_removed(request: HttpRequest, user: User, authenticator: Authenticator, **kwargs: Any) -> None:
    """Where the last factor is gone, the session no longer counts as one with a second factor."""
    audit_everywhere(user, "user.factor_remove", type=authenticator.type)
    if not Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.RECOVERY_CODES).exists():
        request.session[METHODS] = [step for step in request.session.get(METHODS, []) if step.get("method") != "mfa"]


@receiver(password_changed)
@receiver(password_set)
@receiver(password_reset)
def record_password(user: User, **kwargs: Any) -> None:
    audit_everywhere(user, "user.password_change")


@receiver(social_account_added)
def record_link(sociallogin: SocialLogin, **kwargs: Any) -> None:
    audit_everywhere(sociallogin.user, "user.link_add", provider=sociallogin.account.provider)


@receiver(email_changed)
def record_address(user: User, **kwargs: Any) -> None:
    audit_everywhere(user, "user.address_change")


def audit_everywhere(user: User, action: str, **detail: Any) -> None:
    """Write an event to the audit log of each of the user's organizations."""
    for organization in organizations_of_user(user_id=user.pk):
        audit(organization_id=organization.id, actor_user_id=user.pk, action=action, object_kind="user", object_id=user.pk, detail=detail)


@receiver(post_save, sender=User)
def keep_address(instance: User, created: bool, update_fields: frozenset[str] | None, **kwargs: Any) -> None:
    """Follow a change of `User.email` that did not come through the person's own page."""
    if not created and (update_fields is None or "email" in update_fields):
        address_follow(instance)
