"""Keeps the notify sockets of a process in their groups, and closes those that Redis has forgotten.

Redis forgets groups when it loses its data, and Channels forgets members after a day (`group_expiry`). Such a socket would
stay open and hear nothing. Its page reconnects after the close, and reads what it missed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from uuid import UUID

import structlog

from chat.api.periodic_checks import PeriodicChecks
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.notifications import renew_memberships

log = structlog.get_logger(__name__)

ROUND_S = 15.0  # for all sockets once; one that joins or moves up in a round waits for at most two (docs/reliability.md)
BATCH_SOCKETS = 100  # renewed, or closed, at the same moment


@dataclass(eq=False, slots=True)
class NotifySocket:
    """An open notify socket."""

    membership_id: UUID
    channel_name: str
    close: Callable[[], Awaitable[None]]  # awaited when Redis has forgotten the socket


class GroupRenewal(PeriodicChecks[NotifySocket]):
    """Renews the memberships of one event loop's sockets that are in their groups."""

    async def round(self) -> None:
        """Renew each socket once. The batches are spread over the round, and so are the pages that reconnect."""
        sockets = list(self._sockets)
        batches = [sockets[start : start + BATCH_SOCKETS] for start in range(0, len(sockets), BATCH_SOCKETS)]
        for batch in batches:
            await asyncio.sleep(ROUND_S / len(batches))
            try:
                await self._renew(batch)
            except REDIS_ERRORS as exc:
                log.warning("groups_not_renewed", sockets=len(batch), reason=type(exc).__name__)
            except Exception:
                log.exception("groups_not_renewed", sockets=len(batch))

    async def _renew(self, batch: Sequence[NotifySocket]) -> None:
        batch = [socket for socket in batch if socket in self._sockets]  # some have left since the round began
        renewals = await renew_memberships([(socket.membership_id, socket.channel_name) for socket in batch])
        lost_sockets = list(compress(batch, (not is_member for is_member in renewals)))
        self.start_close(lost_sockets)
        if lost_sockets:
            log.warning("notify_sockets_forgotten", sockets=len(lost_sockets))
