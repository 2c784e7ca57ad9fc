"""Database sessions whose rows name their user, so that one query reads session and user (tenants.authentication.session_auth).

The cookie holds a session's key and the row only the key's hash, so that whoever reads the table can't take a session over.
"""

from __future__ import annotations

import hashlib
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
    """Django's session row with a hashed key, and columns for its user and for what organizations ask of sessions.

    accounts.sessions.policy reads those.
    """

    session_key = models.CharField("SHA-256 of the key", max_length=64, primary_key=True)

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

    def _get_session_from_db(self) -> Session | None:
        return self._or_no_key(self._valid_rows().first())

    async def _aget_session_from_db(self) -> Session | None:
        return self._or_no_key(await self._valid_rows().afirst())

    def exists(self, session_key: str) -> bool:
        return super().exists(session_hash(session_key))

    async def aexists(self, session_key: str) -> bool:
        return await super().aexists(session_hash(session_key))

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            super().delete(session_hash(key))

    async def adelete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            await super().adelete(session_hash(key))

    def _valid_rows(self) -> models.QuerySet[Session]:
        return Session.objects.filter(session_key=session_hash(self.session_key), expire_date__gt=timezone.now())

    def _or_no_key(self, row: Session | None) -> Session | None:
        """Forget a key that no valid row has, so that a new session gets another one."""
        if row is None:
            self._session_key = None
        return row

    def _validate_session_key(self, key: str | None) -> bool:
        """Accept letters and digits only, as in Django's keys: a cookie may hold NUL, which the database refuses."""
        is_long_enough: bool = super()._validate_session_key(key)  # type: ignore[misc]  # the stubs don't know it
        return is_long_enough and str(key).isascii() and str(key).isalnum()

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        return _prepare_row(super().create_model_instance(data), data)

    async def acreate_model_instance(self, data: dict[str, Any]) -> Session:
        return _prepare_row(await super().acreate_model_instance(data), data)


def session_hash(session_key: str | None) -> str:
    """Return the hash (SHA-256, hex) that stands for a session in rows. Empty without a session."""
    return hashlib.sha256(session_key.encode()).hexdigest() if session_key else ""


def _prepare_row(row: AbstractBaseSession, data: Mapping[str, Any]) -> Session:
    """Return the row with its key hashed and its user named."""
    assert isinstance(row, Session)
    row.session_key = session_hash(row.session_key)
    user_id = str(data.get(SESSION_KEY, ""))
    row.user_id = int(user_id) if user_id.isdecimal() else None
    row.started_at = datetime.fromtimestamp(data[STARTED], tz=UTC) if STARTED in data else None
    return row


def session_start(session: SessionBase) -> None:
    """Note that somebody signs in now."""
    session[STARTED] = int(time.time())


def sessions_use_note(session_hashes: Collection[str]) -> None:
    """Note that these sessions are used, each at most once in USE_INTERVAL."""
    long_ago = timezone.now() - USE_INTERVAL
    Session.objects.filter(pk__in=session_hashes, last_used_at__lt=long_ago).update(last_used_at=timezone.now())
