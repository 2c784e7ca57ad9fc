"""Closes sockets and event streams within two seconds when their access ends (SECURITY 20).

Checks the database every CHECK_INTERVAL_S for all connections of an event loop together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from time import monotonic
from uuid import UUID

import structlog
from django.db.models.functions import Now

from chat.api.socket_rounds import SocketRounds
from tenants.access import Actor
from tenants.db import in_db
from tenants.models import Membership, Session, User
from tenants.sessions import USE_INTERVAL, sessions_use_note
from tenants.tokens import tokens_still_valid

log = structlog.get_logger(__name__)

CHECK_INTERVAL_S = 1.5


@dataclass(eq=False, slots=True)
class WatchedConnection:
    """A socket or event stream, with what its access depends on."""

    actor: Actor  # as at the handshake; access ends when the membership changes
    session_hash: str  # empty for a token
    auth_hash: str = field(repr=False)  # the user's session hash at the handshake, which changes with the password
    close: Callable[[], Awaitable[None]]  # awaited when access has ended
    token_id: UUID | None = None  # the API token that opened it; then session and password do not matter
    is_used: bool = False  # whether the client sent something since that was last noted


class AccessWatch(SocketRounds[WatchedConnection]):
    """Watches the connections of one event loop."""

    _next_note = 0.0  # of time.monotonic()

    async def round(self) -> None:
        await asyncio.sleep(CHECK_INTERVAL_S)
        try:
            await self.check()
        except Exception:
            log.exception("access_not_checked", sockets=len(self._sockets))

    async def check(self) -> None:
        """Start to close every socket whose access has ended. Two queries for any number of sockets; a third for tokens."""
        sockets = list(self._sockets)
        members, sessions = await in_db(
            _current_access, {s.actor.membership_id for s in sockets}, {s.session_hash for s in sockets if s.session_hash}, using="auth"
        )
        tokens = {s.token_id for s in sockets if s.token_id}
        open_tokens = await in_db(tokens_still_valid, tokens, using="system") if tokens else set()
        self.start_close([socket for socket in sockets if not _has_access(socket, members, sessions, open_tokens)])
        await self._note_use(sockets)

    async def _note_use(self, sockets: Collection[WatchedConnection]) -> None:
        """Note the sessions whose sockets got something, in one statement each two minutes: who chats may make no other requests."""
        used = [socket for socket in sockets if socket.is_used]
        if not used or monotonic() < self._next_note:
            return
        self._next_note = monotonic() + USE_INTERVAL.total_seconds()
        for socket in used:
            socket.is_used = False
        await in_db(sessions_use_note, {socket.session_hash for socket in used if socket.session_hash})


def _has_access(
    socket: WatchedConnection,
    members: Mapping[UUID, tuple[int, str]],
    sessions: Collection[str],
    open_tokens: Collection[UUID | None],
) -> bool:
    version, auth_hash = members.get(socket.actor.membership_id, (None, ""))
    by_session = socket.session_hash in sessions and socket.auth_hash == auth_hash
    allowed = socket.token_id in open_tokens if socket.token_id else by_session
    return allowed and version == socket.actor.membership_version


def _current_access(membership_ids: Collection[UUID], session_hashes: Collection[str]) -> tuple[dict[UUID, tuple[int, str]], set[str]]:
    """Return (version, user's session hash) by membership, and the hashes of the sessions that are valid. As the auth role."""
    active = Membership.objects.using("auth").filter(
        pk__in=membership_ids, is_active=True, organization__is_active=True, user__is_active=True
    )
    members: dict[UUID, tuple[int, str]] = {}
    user = User()  # reused, because creating an object per row took twice as long
    for pk, version, user.password in active.values_list("pk", "version", "user__password"):
        members[pk] = (version, user.get_session_auth_hash())
    sessions = set(Session.objects.filter(pk__in=session_hashes, expire_date__gt=Now()).values_list("pk", flat=True))
    return members, sessions
