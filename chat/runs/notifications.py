"""What a member's open tabs and devices hear of conversations (docs/protocol.md)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from chat.conversations.selectors import ConversationState, conversation_state, run_state
from chat.models import Run
from chat.storage.run_loading import LoadedRun
from tenants.db import in_db
from tenants.redis.notifications import notify_member

START_DELAY_S = 0.25  # a quick model's first token comes before


async def announce_conversation(*, organization_id: UUID, conversation_id: UUID) -> ConversationState | None:
    """Tell the owner's tabs how the conversation stands now, if it is in their list, and return that; None when it is gone."""
    found = await in_db(conversation_state, conversation_id, organization_id=organization_id)
    if found is not None and found.is_listed:
        await notify_member(found.owner_id, {"type": "conversation", "conversation": found.item})
    return found


class RunAnnouncer:
    """What the owner's tabs hear of one run in this process: that it began, and that it is over or waits."""

    def __init__(self, run: LoadedRun) -> None:
        self._run = run
        self._stopped = asyncio.Event()

    async def announce_start(self) -> None:
        """What the user waits for goes first. A run that is over by then is told of as such."""
        try:
            async with asyncio.timeout(START_DELAY_S):
                await self._stopped.wait()
        except TimeoutError:
            await self._send_start()

    async def announce_end(self) -> bool:
        """Whether the conversation still waits for a title."""
        self.stop()
        found = await self._announce()
        return found is not None and found.is_untitled

    def stop(self) -> None:
        """Do not tell of the beginning any more."""
        self._stopped.set()

    async def _send_start(self) -> None:
        if self._run.first_title is None:
            await self._announce()
        else:
            await notify_member(
                self._run.membership_id, {"type": "conversation", "conversation": new_conversation_item(self._run, self._run.first_title)}
            )

    async def _announce(self) -> ConversationState | None:
        return await announce_conversation(organization_id=self._run.organization_id, conversation_id=self._run.conversation_id)


def new_conversation_item(run: LoadedRun, title: str) -> dict[str, Any]:
    """The list item of the conversation that began with the run, without asking the database. Whoever has read any state has a newer one."""
    at = run.created_at.isoformat()
    item = {"id": str(run.conversation_id), "title": title, "createdAt": at, "updatedAt": at, "unread": False, "revision": 0}
    return {**item, **run_state(Run.Status.INITIALIZING)}


async def announce_deleted(*, membership_id: UUID, conversation_id: UUID) -> None:
    await notify_member(membership_id, {"type": "conversation-deleted", "id": str(conversation_id)})
