"""What a member's open tabs and devices hear of conversations (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from chat.selectors import conversation_item_load
from tenants.db import in_db
from tenants.screens import screens_tell


async def announce_conversation(*, organization_id: UUID, conversation_id: UUID) -> None:
    """Tell the owner's tabs how the conversation stands now; nothing when it is gone or not in their list."""
    found = await in_db(conversation_item_load, conversation_id, listed_only=True, organization_id=organization_id)
    if found is not None:
        item, owner_id = found
        await screens_tell(owner_id, {"type": "conversation", "conversation": item})


async def announce_deleted(*, membership_id: UUID, conversation_id: UUID) -> None:
    await screens_tell(membership_id, {"type": "conversation-deleted", "id": str(conversation_id)})
