"""What a member's open tabs and devices hear of conversations (docs/protocol.md)."""

from __future__ import annotations

import asyncio
from functools import partial
from uuid import UUID

from chat.selectors import conversation_item_load
from tenants.db import in_db
from tenants.screens import screens_tell

BEGUN_AFTER_S = 0.25  # a quick model's first token comes before


async def announce_conversation(*, organization_id: UUID, conversation_id: UUID) -> None:
    """Tell the owner's tabs how the conversation stands now; nothing when it is gone or not in their list."""
    found = await in_db(conversation_item_load, conversation_id, listed_only=True, organization_id=organization_id)
    if found is not None:
        item, owner_id = found
        await screens_tell(owner_id, {"type": "conversation", "conversation": item})


class RunAnnouncer:
    """What the owner's tabs hear of one run in this process: that it began, and that it is over or waits."""

    def __init__(self, organization_id: UUID, conversation_id: UUID) -> None:
        self._announce = partial(announce_conversation, organization_id=organization_id, conversation_id=conversation_id)
        self._stopped = asyncio.Event()

    async def begun(self) -> None:
        """What the user waits for goes first. A run that is over by then is told of as such."""
        try:
            async with asyncio.timeout(BEGUN_AFTER_S):
                await self._stopped.wait()
        except TimeoutError:
            await self._announce()

    async def over(self) -> None:
        self.stop()
        await self._announce()

    def stop(self) -> None:
        """Do not tell of the beginning any more."""
        self._stopped.set()


async def announce_deleted(*, membership_id: UUID, conversation_id: UUID) -> None:
    await screens_tell(membership_id, {"type": "conversation-deleted", "id": str(conversation_id)})
