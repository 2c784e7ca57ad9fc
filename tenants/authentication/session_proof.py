"""How the person behind a session proved who they are, and whether that is enough for an organization or for a dangerous act.

The accounts library keeps the list in the session's signed data: one entry per step, with its method and time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from tenants.errors import ProofNeeded, SecondFactorNeeded, SignOnNeeded

View = Callable[..., HttpResponseBase]

METHODS = "account_authentication_methods"  # the library's keys in the session
METHODS_USER = "account_authentication_methods_user"
RECENT_S = 15 * 60
SIGN_ON = "sign_on"  # in an organization's policy, written by accounts.sso
BY_SIGN_ON = "socialaccount"  # the method of a step at a provider; its `provider` is the organization's id
PROVED_AT = "proved_at"  # of a step by sign-on: when the person signed in at the provider, perhaps long before; NEVER if it does not say
NEVER = 0.0

STRONG = frozenset({"mfa"})  # a passkey, a code of an authenticator app, a recovery code
PROOFS = frozenset({"password", "mfa", "socialaccount"})  # not a mail's code: whoever reads the mail has it


@dataclass(frozen=True)
class SecondFactorRule:
    """What an organization asks of its members: `organization.policy["second_factor"]`.

    `{"roles": ["owner", "admin"], "since": "2026-11-23T08:00:00+00:00", "grace_days": 7}`. Without roles it holds for everybody. A member has
    `grace_days` from `since`, or from joining if that was later.
    """

    roles: frozenset[str]
    since: datetime
    grace: timedelta

    @classmethod
    def from_policy(cls, value: Any) -> SecondFactorRule | None:
        """Return the rule, or None if nothing is asked. A rule that can't be read asks everybody at once: it fails closed."""
        policy = json.loads(value) if isinstance(value, str) else value
        if not policy:
            return None
        try:
            since = datetime.fromisoformat(policy["since"])
            return cls(frozenset(policy.get("roles") or ()), since, timedelta(days=policy.get("grace_days", 0)))
        except (KeyError, TypeError, ValueError, AttributeError):
            return cls(frozenset(), datetime.fromtimestamp(0, tz=timezone.get_default_timezone()), timedelta())

    def deadline(self, *, role: str, joined_at: datetime) -> datetime | None:
        """Return from when on the member needs a second factor; None: never."""
        if self.roles and role not in self.roles:
            return None
        return max(self.since, joined_at) + self.grace


def require_second_factor(session: SessionBase, policy: Any, *, role: str, joined_at: datetime) -> None:
    """Raise SecondFactorNeeded if the organization asks a second factor of this member and the session was begun without one."""
    rule = SecondFactorRule.from_policy(policy)
    deadline = rule.deadline(role=role, joined_at=joined_at) if rule else None
    if deadline is not None and deadline <= timezone.now() and not has_second_factor(session):
        raise SecondFactorNeeded


def require_sign_on(session: SessionBase, policy: Any, *, organization_id: UUID, user_id: int, email: str) -> None:
    """Raise SignOnNeeded if the organization lets this member in by its own sign-on only and the session was begun otherwise.

    `policy`: `{"domains": ["example.org"], "way_in": [user ids]}`. It holds for addresses in these domains; guests have other ones. An owner
    who is a way in may come directly, with a second factor. A rule that can't be read holds for everybody: it fails closed.
    """
    rule = json.loads(policy) if isinstance(policy, str) else policy
    if not asks_for_sign_on(rule, email=email) or is_by_sign_on(session, organization_id):
        return
    if is_way_in(rule, user_id=user_id, email=email):
        if has_second_factor(session):
            return
        raise SecondFactorNeeded
    raise SignOnNeeded(organization_id)


def asks_for_sign_on(rule: Any, *, email: str) -> bool:
    """Return whether the organization lets somebody with this address in by its sign-on only. A rule that can't be read asks everybody."""
    return bool(rule) and not (_is_readable(rule) and email.rpartition("@")[2].lower() not in rule["domains"])


def is_way_in(rule: Any, *, user_id: int, email: str) -> bool:
    """Return whether the organization asks for its sign-on and lets this owner in without it."""
    return asks_for_sign_on(rule, email=email) and _is_readable(rule) and user_id in rule["way_in"]


def is_by_sign_on(session: SessionBase, organization_id: UUID) -> bool:
    """Return whether the session was begun by this organization's sign-on."""
    return any(step.get("method") == BY_SIGN_ON and step.get("provider") == str(organization_id) for step in _steps(session))


def _is_readable(rule: Any) -> bool:
    return isinstance(rule, dict) and isinstance(rule.get("domains"), list) and isinstance(rule.get("way_in"), list)


def has_second_factor(session: SessionBase) -> bool:
    return any(step.get("method") in STRONG for step in _steps(session))


def proved_recently(session: SessionBase) -> bool:
    """Return whether a password or a factor was given in this session, or at the organization's provider, within the last 15 minutes."""
    newest = max((step.get(PROVED_AT, step.get("at", 0)) for step in _steps(session) if step.get("method") in PROOFS), default=0)
    return bool(time.time() - newest < RECENT_S)


def require_recent_proof(session: SessionBase) -> None:
    """Raise ProofNeeded before a dangerous act if the person behind the session was last asked longer ago than 15 minutes."""
    if not proved_recently(session):
        raise ProofNeeded


def proof_required(view: View) -> View:
    """Decorate a sync view of a dangerous act: keys, tokens, sign-on, deletion. Browsers are asked for a proof and come back to the page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if proved_recently(request.session):
            return view(request, *args, **kwargs)
        if request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("Accept", ""):
            return redirect_to_login(request.get_full_path(), settings.PROOF_URL)
        raise ProofNeeded

    return guarded


def _steps(session: SessionBase) -> list[Mapping[str, Any]]:
    """The steps of the session's own user: those of somebody who was signed in before don't count."""
    if session.get(METHODS_USER) != session.get("_auth_user_id"):
        return []
    steps = session.get(METHODS)
    return steps if isinstance(steps, list) else []
