"""Who is signed in, as a member of an organization: session, user and membership by one query.

Only the rule is answered here: a valid session whose user is an active member, begun with the password that holds now. Of anything else
nothing is concluded: the caller goes Django's way, which also rotates and ends sessions.
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

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"  # any other way to sign in may have rules of its own


def session_member(session: SessionBase, slug: str | None) -> tuple[Actor, User] | None:
    """The session's user, as `django.contrib.auth.get_user` would have it, and the membership in the organization `slug`.

    One query, which reads the session's data, too; none when they were read before. None: see above.
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
    """The same for async code."""
    has_key = session.session_key is not None  # nobody without one is worth a connection
    return await in_db(session_member, session, slug) if has_key else None


async def socket_member(scope: Any) -> tuple[Actor, User]:
    """Who opens a socket in the organization of its address. Raises NotSignedIn, and NotFound alike for foreign and missing organizations."""
    slug = scope["url_route"]["kwargs"]["slug"]
    found = await session_member_async(scope["session"], slug)
    if found is not None:
        return found
    user: Any = await get_user(scope)
    if not user.is_authenticated:
        raise NotSignedIn
    return await in_db(actor_for, user_id=user.pk, slug=slug), user


def _belongs_to(session: SessionStore, user: User) -> bool:
    """The checks of `django.contrib.auth.get_user`; that the user is active has been asked with the membership."""
    return (
        session.get(SESSION_KEY) == str(user.pk)
        and session.get(BACKEND_SESSION_KEY) == MODEL_BACKEND
        and MODEL_BACKEND in settings.AUTHENTICATION_BACKENDS
        and constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
    )
