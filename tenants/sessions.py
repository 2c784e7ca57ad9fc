"""Database sessions whose rows name their user, so that one query reads session and user (tenants.session_auth)."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore as DatabaseSession
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

STARTED = "parley_started"  # in the session's data: when its user signed in, in seconds since 1970
USE_INTERVAL = timedelta(minutes=2)


class Session(AbstractBaseSession):
    """Django's session row with columns for its user, and for what organizations ask of sessions (accounts.sign_in.session_policy)."""

    # Only a shortcut for the query: who is signed in is decided by the signed session data, never by this column.
    # Neither a constraint nor a cascade: like Django's own, a session may outlive its user and then belongs to nobody.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        null=True,
        editable=False,
        db_constraint=False,
        db_index=False,  # sessions are looked up by their key
        related_name="sessions",
    )
    started_at = models.DateTimeField(null=True, editable=False)  # from the signed data
    last_used_at = models.DateTimeField(default=timezone.now, editable=False)  # to within USE_INTERVAL

    @classmethod
    def get_session_store_class(cls) -> type[SessionStore]:
        return SessionStore


class SessionStore(DatabaseSession):
    """The session backend that SESSION_ENGINE names."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    @property
    def is_loaded(self) -> bool:
        """Whether the session's data has been read already."""
        return hasattr(self, "_session_cache")

    def load_data(self, session_data: str) -> None:
        """Set the session's data from its valid row, which a wider query has read."""
        self._session_cache = self.decode(session_data)

    def _validate_session_key(self, key: str | None) -> bool:
        """Accept letters and digits only, as in Django's keys: a cookie may hold NUL, which the database refuses."""
        is_long_enough: bool = super()._validate_session_key(key)  # type: ignore[misc]  # the stubs don't know it
        return is_long_enough and str(key).isascii() and str(key).isalnum()

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        return _with_user(super().create_model_instance(data), data)

    async def acreate_model_instance(self, data: dict[str, Any]) -> Session:
        return _with_user(await super().acreate_model_instance(data), data)


def _with_user(row: AbstractBaseSession, data: Mapping[str, Any]) -> Session:
    assert isinstance(row, Session)
    user_id = str(data.get(SESSION_KEY, ""))
    row.user_id = int(user_id) if user_id.isdecimal() else None
    row.started_at = datetime.fromtimestamp(data[STARTED], tz=UTC) if STARTED in data else None
    return row


def session_start(session: SessionBase) -> None:
    """Note that somebody signs in now."""
    session[STARTED] = int(time.time())


def sessions_use_note(session_keys: Collection[str]) -> None:
    """Note that these sessions are used, each at most once in USE_INTERVAL."""
    long_ago = timezone.now() - USE_INTERVAL
    Session.objects.filter(pk__in=session_keys, last_used_at__lt=long_ago).update(last_used_at=timezone.now())
