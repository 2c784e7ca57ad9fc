"""Session authentication: find session, user and membership in one query.

This covers only the normal case: a valid session whose user is an active member and whose password has not changed since signing in. In all
other cases the functions decide nothing, and the caller uses Django's own authentication, which also rotates and ends sessions.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from channels.auth import get_user
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from tenants.access import Actor, SessionRules, actor_for, actor_from_session, session_rules
from tenants.authentication.session_proof import require_second_factor, require_sign_on
from tenants.authentication.sessions import USE_INTERVAL, SessionStore, session_hash, sessions_use_note
from tenants.db import in_db
from tenants.errors import NotSignedIn, SecondFactorNeeded, SignOnNeeded
from tenants.models import User
from tenants.request_context import note_actor

# Ways to sign in that end a session by Django's own rules alone; others may have rules of their own.
PLAIN_BACKENDS = frozenset({"django.contrib.auth.backends.ModelBackend", "accounts.sign_in.backends.SignInBackend"})


def session_member(session: SessionBase, slug: str | None) -> tuple[Actor, User] | None:
    """Return the membership in the organization `slug` and the session's user, the one that `django.contrib.auth.get_user` would return.

    One query, which also reads the session's data, and a second one every two minutes to note the use. No query and None when the data was
    read before. None decides nothing (see the module). Raises SecondFactorNeeded and SignOnNeeded.
    """
    if slug is None or not isinstance(session, SessionStore) or session.session_key is None or session.is_loaded:
        return None
    member = actor_from_session(session_key=session.session_key, slug=slug)
    if member is None:
        return None
    session.load_data(member.session_data)
    if not _belongs_to(session, member.user):
        return None
    _require(session, member.actor, SessionRules(member.second_factor, member.sign_on, member.joined_at, member.user.email))
    if timezone.now() - member.last_used_at > USE_INTERVAL:
        sessions_use_note([session_hash(session.session_key)])
    return member.actor, member.user


def meets_rules(session: SessionBase, actor: Actor, rules: SessionRules) -> bool:
    """Return whether the session's data, which has been read, is enough for what the organization asks of this member."""
    try:
        _require(session, actor, rules)
    except (SecondFactorNeeded, SignOnNeeded):
        return False
    return True


def actor_for_session(session: SessionBase, *, user_id: int, slug: str) -> Actor:
    """Return the signed-in user as a member, where `session_member` decided nothing. Raises NotFound, SecondFactorNeeded, SignOnNeeded."""
    actor = actor_for(user_id=user_id, slug=slug)
    _require(session, actor, session_rules(actor))
    return actor


async def session_member_async(session: SessionBase, slug: str | None) -> tuple[Actor, User] | None:
    """Async version of `session_member`."""
    has_key = session.session_key is not None  # without one, save the database connection
    return await in_db(session_member, session, slug, using="auth") if has_key else None


async def socket_member(scope: Any) -> tuple[Actor, User]:
    """Return who opens a socket in the organization of its URL. Raises NotSignedIn, SecondFactorNeeded, SignOnNeeded, and NotFound alike for foreign and
    missing organizations.
    """
    slug = scope["url_route"]["kwargs"]["slug"]
    member = await session_member_async(scope["session"], slug)
    if member is None:
        user: Any = await get_user(scope)
        if not user.is_authenticated:
            raise NotSignedIn
        member = await in_db(partial(actor_for_session, scope["session"]), user_id=user.pk, slug=slug, using="auth"), user
    note_actor(member[0].organization_id, member[0].user_id)
    return member


def _require(session: SessionBase, actor: Actor, rules: SessionRules) -> None:
    require_sign_on(session, rules.sign_on, organization_id=actor.organization_id, user_id=actor.user_id, email=rules.email)
    require_second_factor(session, rules.second_factor, role=actor.role, joined_at=rules.joined_at)


def _belongs_to(session: SessionStore, user: User) -> bool:
    """Make the checks of `django.contrib.auth.get_user`. The membership's query has already checked that the user is active."""
    backend = session.get(BACKEND_SESSION_KEY)
    return (
        session.get(SESSION_KEY) == str(user.pk)
        and backend in PLAIN_BACKENDS
        and backend in settings.AUTHENTICATION_BACKENDS
        and constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
    )
