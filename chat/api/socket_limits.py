"""What the sockets of one member, and of one organization, may do in this process: how many are open, how many frames they send, and how
many resumes read the database at the same time.

One viewer's flood must not slow others, so nothing here asks a database or Redis. Requests per minute are counted for all processes
together (tenants.rest.throttles).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID
from weakref import WeakKeyDictionary

from django.conf import settings

from accounts.sign_in.throttle import network_prefix
from tenants.access import Actor

MAX_SOCKETS: Final = 60  # of one member: a tab has two, and those of a page that was just closed may still be there
MAX_FRAMES_PER_S: Final = 50  # of one socket
MAX_MEMBER_FRAMES_PER_S: Final = (
    150  # so that one socket's flood closes no other; ten tabs that come back together resume about thirty answers
)
EXCESS: Final = 3  # how many times the limit of reads a minute
UNIT_BYTES: Final = 64 * 1024  # a longer frame counts once for each of these
MAX_RESUMES_AT_ONCE: Final = 2  # of one member, with the process's connections to the database
MAX_RESUMES_OF_ORGANIZATION: Final = 4
MAX_REFUSED_PER_MINUTE: Final = 60  # from one network, that are opened to be closed with a code: each stays for up to ten seconds
PAUSE_S: Final = 10.0  # for which a session may open no socket after a flood
FORGET_S: Final = 120.0  # after its last socket was closed


@dataclass(slots=True)
class _Window:
    length_s: float
    limit: int
    start: float
    count: int = 0

    def add(self, amount: int, now: float) -> bool:
        """Count, and return whether it is too much."""
        if now - self.start >= self.length_s:
            self.start, self.count = now, 0
        self.count += amount
        return self.count > self.limit


class FrameMeter:
    """Counts the frames of one socket in a second."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._window = _Window(1.0, MAX_FRAMES_PER_S, clock())

    def is_flood(self, length: int) -> bool:
        """Count a frame of this length. Return whether the socket has sent too many."""
        return self._window.add(_amount(length), self._clock())


def _amount(length: int) -> int:
    return 1 + length // UNIT_BYTES


@dataclass(slots=True)
class _Share:
    """What one member or one organization uses. `last_used`: when a socket was last opened or closed, in seconds."""

    max_sockets: int
    windows: list[_Window]
    resumes: asyncio.Semaphore
    last_used: float
    sockets: int = 0

    def is_flood(self, amount: int, now: float) -> bool:
        floods = [window.add(amount, now) for window in self.windows]  # a list: all windows count
        return any(floods)


@dataclass(slots=True)
class SocketLimits:
    """The limits of one event loop's sockets. `current()` creates it on first use. `clock` returns seconds."""

    clock: Callable[[], float] = time.monotonic
    _shares: dict[UUID, _Share] = field(default_factory=dict)
    _paused: dict[str, float] = field(default_factory=dict)  # until when, by session key
    _refusals: dict[str, _Window] = field(default_factory=dict)  # by network
    _next_clean_up: float = 0.0

    @classmethod
    def current(cls) -> SocketLimits:
        return _of_loop.setdefault(asyncio.get_running_loop(), cls())

    def open(self, actor: Actor) -> bool:
        """Count a new socket. Return False, and count nothing, when the member or the organization has too many."""
        self._clean_up()
        shares = self._shares_of(actor)
        if any(share.max_sockets and share.sockets >= share.max_sockets for share in shares):
            return False
        for share in shares:
            share.sockets += 1
        return True

    def close(self, actor: Actor) -> None:
        """Count a socket that `open` has counted as closed."""
        for share in self._shares_of(actor):
            share.sockets -= 1
            share.last_used = self.clock()

    def meter(self) -> FrameMeter:
        """Return the meter of one socket's frames."""
        return FrameMeter(self.clock)

    def is_flood(self, actor: Actor, length: int) -> bool:
        """Count a frame of this length. Return whether the member's sockets, or those of the organization, have sent too many."""
        now = self.clock()
        floods = [share.is_flood(_amount(length), now) for share in self._shares_of(actor)]  # a list: both count
        return any(floods)

    @asynccontextmanager
    async def resume_turn(self, actor: Actor) -> AsyncIterator[None]:
        """Wait until the member and the organization have a resume less at work."""
        member, organization = self._shares_of(actor)
        async with member.resumes, organization.resumes:
            yield

    def pause(self, session_key: str | None) -> None:
        """Refuse new sockets of this session for PAUSE_S."""
        if session_key:
            self._paused[session_key] = self.clock() + PAUSE_S

    def is_paused(self, session_key: str | None) -> bool:
        return bool(session_key) and self._paused.get(str(session_key), 0.0) > self.clock()

    def may_open_refused(self, address: str) -> bool:
        """Count a socket that is refused. Return whether it may be opened for that: False when the address's network has had too many."""
        self._clean_up()
        now, network = self.clock(), network_prefix(address)
        window = self._refusals.setdefault(network, _Window(60.0, MAX_REFUSED_PER_MINUTE, now))
        return not window.add(1, now)

    def _shares_of(self, actor: Actor) -> tuple[_Share, _Share]:
        factor = settings.ORGANIZATION_FACTOR
        member = self._shares.get(actor.membership_id) or self._add(actor.membership_id, 1, MAX_RESUMES_AT_ONCE)
        organization = self._shares.get(actor.organization_id) or self._add(actor.organization_id, factor, MAX_RESUMES_OF_ORGANIZATION)
        return member, organization

    def _add(self, key: UUID, factor: int, resumes: int) -> _Share:
        """Start to count for a member (`factor` 1) or an organization, which may do `factor` times as much; 0: no limit."""
        now = self.clock()
        limits = {1.0: factor * MAX_MEMBER_FRAMES_PER_S, 60.0: factor * EXCESS * settings.API_REQUESTS_PER_MINUTE["read"]}
        windows = [_Window(length_s, limit, now) for length_s, limit in limits.items() if limit]
        self._shares[key] = share = _Share(factor * MAX_SOCKETS, windows, asyncio.Semaphore(resumes), now)
        return share

    def _clean_up(self) -> None:
        """Forget, once a minute, who has had no socket for a while."""
        now = self.clock()
        if now < self._next_clean_up:
            return
        self._next_clean_up = now + 60
        self._shares = {key: share for key, share in self._shares.items() if share.sockets or now - share.last_used < FORGET_S}
        self._paused = {key: until for key, until in self._paused.items() if until > now}
        self._refusals = {network: window for network, window in self._refusals.items() if now - window.start < window.length_s}


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, SocketLimits] = WeakKeyDictionary()
