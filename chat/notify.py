"""Telling a member's open tabs and devices what changed: small control messages over the channel layer (docs/protocol.md)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import structlog
from channels.layers import get_channel_layer

from chat.selectors import conversation_item_load
from tenants.db import in_db
from tenants.redis import REDIS_DOWN

log = structlog.get_logger(__name__)


def member_group(membership_id: UUID) -> str:
    return f"member-{membership_id}"


async def announce_conversation(*, organization_id: UUID, conversation_id: UUID) -> None:
    """Tell the owner's tabs how the conversation stands now; nothing when it is gone."""
    found = await in_db(conversation_item_load, conversation_id, organization_id=organization_id)
    if found is not None:
        item, owner_id = found
        await _send(owner_id, {"type": "conversation", "conversation": item})


async def announce_deleted(*, membership_id: UUID, conversation_id: UUID) -> None:
    await _send(membership_id, {"type": "conversation-deleted", "id": str(conversation_id)})


async def _send(membership_id: UUID, payload: dict[str, Any]) -> None:
    """Never fails its caller: a tab that misses a message reads the list again when it reconnects."""
    layer = get_channel_layer()
    assert layer is not None, "settings.CHANNEL_LAYERS"
    try:
        await layer.group_send(member_group(membership_id), {"type": "member.notice", "payload": payload})
    except REDIS_DOWN as exc:
        log.warning("notice_not_sent", reason=type(exc).__name__)
