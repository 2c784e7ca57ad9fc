"""Django's sessions in the database, in rows that name their user: who is signed in is then read with the session (tenants.session_auth)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseSession
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models


class Session(AbstractBaseSession):
    """`user`: where to look for whom the session is of. What its signed data say counts; nothing may be concluded from this column."""

    # Neither a constraint nor a cascade: a session may outlive its user, as Django's own does, and is then nobody's.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        null=True,
        editable=False,
        db_constraint=False,
        db_index=False,  # sessions are found by their key
        related_name="sessions",
    )

    @classmethod
    def get_session_store_class(cls) -> type[SessionStore]:
        return SessionStore


class SessionStore(DatabaseSession):
    """What SESSION_ENGINE names."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    @property
    def is_loaded(self) -> bool:
        """Whether the data are known already."""
        return hasattr(self, "_session_cache")

    def load_data(self, session_data: str) -> None:
        """The data of this session's valid row, which a statement for more than the session has read."""
        self._session_cache = self.decode(session_data)

    def _validate_session_key(self, key: str | None) -> bool:
        """The database takes no NUL, which a cookie may hold; Django's keys are letters and digits."""
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
    return row
