"""Signing in: a limit on attempts per account, and a log of each outcome."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import redis
import structlog
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.core.exceptions import ValidationError
from django.dispatch import receiver
from django.http import HttpRequest
from redis.backoff import NoBackoff
from redis.retry import Retry

from security.audit import audit
from security.member_keys import session_keys_end
from tenants.members import organizations_of_user
from tenants.models import User
from tenants.sessions import session_hash

MAX_ATTEMPTS = 10
WINDOW_S = 15 * 60

log = structlog.get_logger(__name__)


class SignInForm(AuthenticationForm):
    """A sign-in form that refuses more than MAX_ATTEMPTS per account within WINDOW_S, before it checks the password.

    A successful sign-in resets the count. Attempts are counted by account and not by IP address: behind a proxy all users may share
    one address, and an attacker has many.
    """

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "The e-mail address and the password do not match. Check both and try again.",
        "too_many": "Too many attempts with this e-mail address. Try again in %(minutes)d min.",
    }

    def clean(self) -> dict[str, Any]:
        if self.errors:
            return self.cleaned_data
        account = account_hash(self.cleaned_data["username"])
        wait_s = attempt_record(account)
        if wait_s:
            log.warning("sign_in_refused", account=account, wait_s=wait_s)
            raise ValidationError(self.error_messages["too_many"], code="too_many", params={"minutes": math.ceil(wait_s / 60)})
        super().clean()
        attempts_reset(account)
        return self.cleaned_data


def account_hash(name: str) -> str:
    """Return the SHA-256 (hex) that stands for an account in Redis and in logs, whether or not the account exists.

    The name is normalized as in UserManager.get_by_natural_key.
    """
    return hashlib.sha256(name.strip().lower().encode()).hexdigest()


def attempt_record(account: str) -> int:
    """Count an attempt. Return how many seconds to wait if there were too many, else 0.

    Returns 0 while Redis is down, so that people can still sign in.
    """
    key = _key(account)
    try:
        with _redis() as client, client.pipeline(transaction=True) as commands:
            commands.set(key, 0, ex=WINDOW_S, nx=True).incr(key).ttl(key)
            _, count, left_s = commands.execute()
    except (redis.RedisError, OSError) as error:
        log.warning("sign_in_not_counted", error=type(error).__name__)
        return 0
    return max(left_s, 1) if count > MAX_ATTEMPTS else 0


def attempts_reset(account: str) -> None:
    """Forget the attempts of the account. A Redis that is down is only logged."""
    try:
        with _redis() as client:
            client.delete(_key(account))
    except (redis.RedisError, OSError) as error:
        log.warning("sign_in_not_counted", error=type(error).__name__)


@receiver(user_logged_in)
def record_sign_in(user: User, **kwargs: Any) -> None:
    """Write a sign-in to the log and to the audit log of each of the user's organizations."""
    log.info("signed_in", user_id=user.pk)
    for organization in organizations_of_user(user_id=user.pk):
        audit(organization_id=organization.id, actor_user_id=user.pk, action="user.sign_in", object_kind="user", object_id=user.pk)


@receiver(user_logged_out)
def end_session_keys(request: HttpRequest, user: User | None, **kwargs: Any) -> None:
    """Delete the provider keys that were entered for this session only. Django sends the signal while the session still exists."""
    if user is not None:
        session_keys_end(user_id=user.pk, session_id_hash=session_hash(request.session.session_key))


@receiver(user_login_failed)
def record_sign_in_failure(credentials: dict[str, Any], **kwargs: Any) -> None:
    log.info("sign_in_failed", account=account_hash(str(credentials.get("username", ""))))


def _key(account: str) -> str:
    return f"{settings.REDIS_PREFIX}:sign-in:{account}"


def _redis() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2, retry=Retry(NoBackoff(), 0))
