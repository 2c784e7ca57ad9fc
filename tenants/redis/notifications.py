"""Notifications to a member's open tabs and devices: small messages over the channel layer (docs/protocol.md, Notifications)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from channels.layers import get_channel_layer

from tenants.redis.channel_layer import BoundedChannelLayer
from tenants.redis.clients import COMMAND_TIMEOUT_S, REDIS_ERRORS

log = structlog.get_logger(__name__)

SEND_TIMEOUT_S = 1.0


def member_group(membership_id: UUID) -> str:
    return f"member-{membership_id}"


async def notify_member(membership_id: UUID, payload: dict[str, Any]) -> None:
    """Send `payload` to each of the member's open pages.

    Never raises when Redis fails: a page that misses a message reads everything again when it reconnects.
    """
    layer = _layer()
    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):  # the layer's own connections have no time limit
            await layer.group_send(member_group(membership_id), {"type": "member.notice", "payload": payload})
    except REDIS_ERRORS as exc:
        log.warning("notice_not_sent", reason=type(exc).__name__)


async def notify_members(membership_ids: Sequence[UUID], payload: dict[str, Any]) -> None:
    """Send `payload` to the open pages of these members. Never raises when Redis fails."""
    await asyncio.gather(*(notify_member(membership_id, payload) for membership_id in membership_ids))


@asynccontextmanager
async def member_notices(membership_id: UUID) -> AsyncIterator[Callable[[], Awaitable[Any]]]:
    """Yield a function that waits for the next notice to the member, for what is no socket of the channel layer. Raises REDIS_ERRORS."""
    layer, group = _layer(), member_group(membership_id)
    channel = await layer.new_channel()
    async with asyncio.timeout(COMMAND_TIMEOUT_S):
        await layer.group_add(group, channel)
    try:
        yield partial(layer.receive, channel)
    finally:
        try:
            async with asyncio.timeout(COMMAND_TIMEOUT_S):
                await layer.group_discard(group, channel)
        finally:
            layer.receive_buffer.pop(channel, None)  # what came after the last wait would stay there for ever


async def renew_memberships(members: Sequence[tuple[UUID, str]]) -> list[bool]:
    """Renew the (membership, channel) pairs in their groups. Return for each whether Redis still had it."""
    async with asyncio.timeout(COMMAND_TIMEOUT_S):
        return await _layer().renew_members([(member_group(membership_id), channel) for membership_id, channel in members])


def _layer() -> BoundedChannelLayer:
    layer = get_channel_layer()
    assert isinstance(layer, BoundedChannelLayer), "settings.CHANNEL_LAYERS"
    return layer
