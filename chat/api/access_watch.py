"""Closes sockets and event streams when their access ends: within a second, and within two while Redis is away (SECURITY 20).

A notice (tenants.redis.access_notices) has it check those whom it names in the database at once. Whatever sends no notice, or is lost, is
found by the check of all connections of an event loop every CHECK_INTERVAL_S.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from time import monotonic
from uuid import UUID

import structlog
from django.contrib.sessions.backends.base import SessionBase

from chat.api.periodic_checks import PeriodicChecks
from tenants.access import Actor, SessionRules
from tenants.authentication.session_auth import meets_rules
from tenants.authentication.sessions import USE_INTERVAL, SessionStore, sessions_use_note
from tenants.authentication.tokens import tokens_still_valid
from tenants.db import in_db
from tenants.models import Session, User
from tenants.postgres.prepared_statements import read_rows
from tenants.redis.access_notices import AccessNotice, access_notices

log = structlog.get_logger(__name__)

CHECK_INTERVAL_S = 1.5
# Plain SQL, because they are asked all the time, and the ORM needs up to a millisecond of CPU to compile such a select.
_MEMBERS = """\
SELECT m.id, m.version, u.password, o.policy -> 'second_factor', o.policy -> 'sign_on', m.created_at, u.email
FROM tenants_membership m
JOIN tenants_user u ON u.id = m.user_id AND u.is_active
JOIN tenants_organization o ON o.id = m.organization_id AND o.is_active
WHERE m.id = ANY(%s) AND m.is_active
"""
_SESSIONS = "SELECT session_key FROM tenants_session WHERE session_key = ANY(%s) AND expire_date > STATEMENT_TIMESTAMP()"


@dataclass(eq=False, slots=True)
class WatchedConnection:
    """A socket or event stream, with what its access depends on."""

    actor: Actor  # as at the handshake; access ends when the membership changes
    session_hash: str  # empty for a token
    auth_hash: str = field(repr=False)  # the user's session hash at the handshake, which changes with the password
    close: Callable[[], Awaitable[None]]  # awaited when access has ended
    session: SessionBase | None = None  # as read last; None for a token
    token_id: UUID | None = None  # the API token that opened it; then session and password do not matter
    is_visitor: bool = False  # of an embedded chat, whose bearer ends by itself; then session and password do not matter either
    is_used: bool = False  # whether the client sent something since that was last noted

    def depends_on(self, notice: AccessNotice) -> bool:
        match notice.kind:
            case "user":
                return notice.id == str(self.actor.user_id)
            case "membership":
                return notice.id == str(self.actor.membership_id)
            case "organization":
                return notice.id == str(self.actor.organization_id)
            case "token":
                return notice.id == str(self.token_id)
            case "session":
                return notice.id == self.session_hash


class AccessWatch(PeriodicChecks[WatchedConnection]):
    """Watches the connections of one event loop."""

    _next_note = 0.0  # of time.monotonic()

    def __init__(self) -> None:
        super().__init__()
        self._named_sockets: set[WatchedConnection] = set()  # by notices; not checked yet
        self._checking_named: asyncio.Task[None] | None = None

    async def round(self) -> None:
        await asyncio.sleep(CHECK_INTERVAL_S)
        try:
            await self.check()
        except Exception:  # of the database or anything else: a watch that stops would leave every later socket open
            log.exception("access_not_checked", sockets=len(self._sockets))

    async def _repeat(self) -> None:
        with access_notices(self._on_notice):
            await super()._repeat()

    def _on_notice(self, notice: AccessNotice) -> None:
        self._named_sockets.update(socket for socket in self._sockets if socket.depends_on(notice))
        if self._named_sockets and (self._checking_named is None or self._checking_named.done()):
            self._checking_named = asyncio.create_task(self._check_named())

    async def _check_named(self) -> None:
        """Check those whom notices named; the notices that come during one check are one more."""
        while self._named_sockets:
            sockets, self._named_sockets = self._named_sockets, set()
            try:
                await self._close_ended(sockets)
            except Exception:  # as in `round`, which checks these sockets again
                log.exception("access_not_checked", sockets=len(sockets))

    async def check(self) -> None:
        """Start to close every socket whose access has ended. Two queries for any number of sockets; a third for tokens.

        And a fourth for sessions that did not have what their organization asks when they were read last.
        """
        sockets = list(self._sockets)
        await self._close_ended(sockets)
        await self._note_use(sockets)

    async def _close_ended(self, sockets: Collection[WatchedConnection]) -> None:
        members, sessions = await in_db(
            _current_access, {s.actor.membership_id for s in sockets}, {s.session_hash for s in sockets if s.session_hash}, using="auth"
        )
        tokens = {s.token_id for s in sockets if s.token_id}
        open_tokens = await in_db(tokens_still_valid, tokens, using="system") if tokens else set()
        allowed = {socket for socket in sockets if _has_access(socket, members, sessions, open_tokens)}
        unproven = {socket for socket in allowed if not _is_proven(socket, members)}
        if unproven:
            await in_db(_read_sessions, unproven, using="auth")
            allowed -= {socket for socket in unproven if not _is_proven(socket, members)}
        self.start_close([socket for socket in sockets if socket not in allowed])

    async def _note_use(self, sockets: Collection[WatchedConnection]) -> None:
        """Note the sessions whose sockets got something, in one statement each two minutes: who chats may make no other requests."""
        used_sockets = [socket for socket in sockets if socket.is_used]
        if not used_sockets or monotonic() < self._next_note:
            return
        self._next_note = monotonic() + USE_INTERVAL.total_seconds()
        for socket in used_sockets:
            socket.is_used = False
        await in_db(sessions_use_note, {socket.session_hash for socket in used_sockets if socket.session_hash})


@dataclass(frozen=True, slots=True)
class _Member:
    """A membership as it is now."""

    version: int
    auth_hash: str
    rules: SessionRules


def _has_access(
    socket: WatchedConnection,
    members: Mapping[UUID, _Member],
    sessions: Collection[str],
    open_tokens: Collection[UUID | None],
) -> bool:
    member = members.get(socket.actor.membership_id)
    if member is None or member.version != socket.actor.membership_version:
        return False
    if socket.token_id:
        return socket.token_id in open_tokens
    return socket.is_visitor or (socket.session_hash in sessions and socket.auth_hash == member.auth_hash)


def _is_proven(socket: WatchedConnection, members: Mapping[UUID, _Member]) -> bool:
    return socket.session is None or meets_rules(socket.session, socket.actor, members[socket.actor.membership_id].rules)


def _read_sessions(sockets: Collection[WatchedConnection]) -> None:
    """Read the sessions' data anew: a second factor may have been given since."""
    rows = Session.objects.filter(pk__in={socket.session_hash for socket in sockets}).values_list("pk", "session_data")
    data = dict(rows)
    for socket in sockets:
        socket.session = SessionStore()
        socket.session.load_data(data.get(socket.session_hash, ""))


def _current_access(membership_ids: Collection[UUID], session_hashes: Collection[str]) -> tuple[dict[UUID, _Member], set[str]]:
    """Return the active ones of these memberships, and the hashes of the sessions that are valid. As the auth role."""
    members: dict[UUID, _Member] = {}
    user = User()  # reused, because creating an object per row took twice as long
    for pk, version, user.password, *rules in read_rows(_MEMBERS, [list(membership_ids)], using="auth"):
        members[pk] = _Member(version, user.get_session_auth_hash(), SessionRules(*rules))
    return members, {session_hash for (session_hash,) in read_rows(_SESSIONS, [list(session_hashes)], using="auth")}
