"""The sessions of a person: where they are signed in, and how to end that."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.utils import timezone

from accounts.sessions.device_names import device_label
from security.secrets.member_keys import session_keys_end
from tenants.authentication.sessions import session_hash
from tenants.models import Session

DEVICE = "accounts.device"  # in the session's data


@dataclass(frozen=True)
class SessionDetails:
    """One session of a person."""

    id: str  # stands for it in forms
    device: str
    address: str
    since: datetime | None
    last_used_at: datetime
    is_current: bool


def session_note(request: HttpRequest, address: str) -> None:
    """Write into the session which device it belongs to and since when."""
    agent = request.headers.get("User-Agent", "")[:300]
    request.session[DEVICE] = {"agent": agent, "address": address, "since": timezone.now().isoformat(timespec="seconds")}


def sessions_of(*, user_id: int, current: str | None) -> list[SessionDetails]:
    """Return the person's valid sessions, the current one first and then those used last."""
    sessions = [_session_details(row, current) for row in _rows(user_id)]
    return sorted(sessions, key=lambda session: (session.is_current, session.last_used_at), reverse=True)


def session_end(*, user_id: int, session_id: str) -> None:
    """End the person's session with this id, if there is one."""
    for row in _rows(user_id):
        if _session_id(row.pk) == session_id:
            _end(user_id, row)


def sessions_end_others(*, user_id: int, session_key: str | None) -> None:
    """End all sessions of the person but this one. API tokens stay: they have a list of their own."""
    own = session_hash(session_key)
    for row in _rows(user_id):
        if row.pk != own:
            _end(user_id, row)


def sessions_end_where(*, user_id: int, is_meant: Callable[[Mapping[str, Any]], bool]) -> int:
    """End those sessions of the person whose data are meant; return how many."""
    sessions = [row for row in _rows(user_id) if is_meant(row.get_decoded())]
    for row in sessions:
        _end(user_id, row)
    return len(sessions)


def _end(user_id: int, row: Session) -> None:
    session_keys_end(user_id=user_id, session_id_hash=row.pk)
    row.delete()


def _rows(user_id: int) -> Iterator[Session]:
    """The rows whose signed data name this user: the column is only where to look."""
    for row in Session.objects.filter(user_id=user_id, expire_date__gt=timezone.now()):
        if row.get_decoded().get(SESSION_KEY) == str(user_id):
            yield row


def _session_details(row: Session, current: str | None) -> SessionDetails:
    device = row.get_decoded().get(DEVICE, {})
    since = device.get("since")
    return SessionDetails(
        id=_session_id(row.pk),
        device=device_label(device.get("agent", "")),
        address=device.get("address", ""),
        since=datetime.fromisoformat(since) if since else None,
        last_used_at=row.last_used_at,
        is_current=row.pk == session_hash(current),
    )


def _session_id(row_key: str) -> str:
    """Return what stands for the session in forms: neither the key nor its stored hash."""
    return hashlib.sha256(row_key.encode()).hexdigest()[:32]
