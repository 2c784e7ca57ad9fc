"""Closes sockets and event streams within two seconds when their access ends (SECURITY 20).

Checks the database every CHECK_INTERVAL_S for all connections of an event loop together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from django.db.models.functions import Now

from tenants.access import Actor
from tenants.db import in_db
from tenants.models import Membership, Session, User
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


class AccessWatch:
    """Watches the connections of one event loop. `current()` creates it on first use."""

    _of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, AccessWatch] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> AccessWatch:
        loop = asyncio.get_running_loop()
        watch = cls._of_loop.get(loop)
        if watch is None:
            watch = cls._of_loop[loop] = cls()
        return watch

    def __init__(self) -> None:
        self._sockets: set[WatchedConnection] = set()
        self._task: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def add(self, socket: WatchedConnection) -> None:
        self._sockets.add(socket)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch(), name="access-watch")

    def remove(self, socket: WatchedConnection) -> None:
        self._sockets.discard(socket)

    async def _watch(self) -> None:
        while self._sockets:
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
        ended = [socket for socket in sockets if not _has_access(socket, members, sessions, open_tokens)]
        self._close_all(self._sockets.intersection(ended))  # some may have been removed in the meantime

    def _close_all(self, sockets: Collection[WatchedConnection]) -> None:
        """Close each socket in a task of its own: a client that has stopped reading must delay neither the others nor the next check."""
        for socket in sockets:
            self.remove(socket)
            task = asyncio.ensure_future(_close_one(socket))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


async def _close_one(socket: WatchedConnection) -> None:
    try:
        await socket.close()
    except Exception:
        log.exception("socket_not_closed")


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
    active = Membership.objects.using("auth").filter(pk__in=membership_ids, organization__is_active=True, user__is_active=True)
    members: dict[UUID, tuple[int, str]] = {}
    user = User()  # reused, because creating an object per row took twice as long
    for pk, version, user.password in active.values_list("pk", "version", "user__password"):
        members[pk] = (version, user.get_session_auth_hash())
    sessions = set(Session.objects.filter(pk__in=session_hashes, expire_date__gt=Now()).values_list("pk", flat=True))
    return members, sessions
