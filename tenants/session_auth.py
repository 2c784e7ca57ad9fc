"""Session authentication: find session, user and membership in one query.

This covers only the normal case: a valid session whose user is an active member and whose password has not changed since signing in. In all
other cases the functions decide nothing, and the caller uses Django's own authentication, which also rotates and ends sessions.
"""

from __future__ import annotations

from typing import Any

from channels.auth import get_user
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.utils.crypto import constant_time_compare

from tenants.access import Actor, actor_for, actor_from_session
from tenants.db import in_db
from tenants.errors import NotSignedIn
from tenants.models import User
from tenants.sessions import SessionStore

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"  # other backends may have rules of their own


def session_member(session: SessionBase, slug: str | None) -> tuple[Actor, User] | None:
    """Return the membership in the organization `slug` and the session's user, the one that `django.contrib.auth.get_user` would return.

    One query, which also reads the session's data. No query and None when they were read before. None decides nothing (see the module).
    """
    if slug is None or not isinstance(session, SessionStore) or session.session_key is None or session.is_loaded:
        return None
    found = actor_from_session(session_key=session.session_key, slug=slug)
    if found is None:
        return None
    actor, user, session_data = found
    session.load_data(session_data)
    return (actor, user) if _belongs_to(session, user) else None


async def session_member_async(session: SessionBase, slug: str | None) -> tuple[Actor, User] | None:
    """Async version of `session_member`."""
    has_key = session.session_key is not None  # without one, save the database connection
    return await in_db(session_member, session, slug, using="auth") if has_key else None


async def socket_member(scope: Any) -> tuple[Actor, User]:
    """Return who opens a socket in the organization of its URL. Raises NotSignedIn, and NotFound alike for foreign and missing
    organizations.
    """
    slug = scope["url_route"]["kwargs"]["slug"]
    found = await session_member_async(scope["session"], slug)
    if found is not None:
        return found
    user: Any = await get_user(scope)
    if not user.is_authenticated:
        raise NotSignedIn
    return await in_db(actor_for, user_id=user.pk, slug=slug, using="auth"), user


def _belongs_to(session: SessionStore, user: User) -> bool:
    """Make the checks of `django.contrib.auth.get_user`. The membership's query has already checked that the user is active."""
    return (
        session.get(SESSION_KEY) == str(user.pk)
        and session.get(BACKEND_SESSION_KEY) == MODEL_BACKEND
        and MODEL_BACKEND in settings.AUTHENTICATION_BACKENDS
        and constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
    )
