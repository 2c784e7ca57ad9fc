"""Announcements about conversations to the open tabs and devices of their owner (docs/protocol.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from asgiref.sync import async_to_sync

from chat.conversations.deletion import DeletedConversations
from chat.conversations.selectors import ConversationState, committed_state, run_state
from chat.conversations.shapes import ConversationItem
from chat.models import Run
from chat.storage.loaded_run import LoadedRun
from chat.stream.event_log import signal_stop
from tenants.db import in_db_alone
from tenants.redis.notifications import notify_member
from tenants.rest.renderers import as_json

START_DELAY_S = 0.5  # as long as most models take to their first token, which goes first; a shorter answer announces its end alone


async def announce_conversation(
    *, organization_id: UUID, conversation_id: UUID, state: ConversationState | None = None
) -> ConversationState | None:
    """Send the conversation's state to the owner's tabs, if it is in their list. Return the state, or None when it is deleted.

    `state`: as read after the commit of what is announced; None: it is read now.
    """
    if state is None:
        state = await in_db_alone(partial(committed_state, organization_id, conversation_id))
    if state is not None and state.is_listed:
        await notify_member(state.owner_id, {"type": "conversation", "conversation": as_json(state.item)})
    return state


class RunAnnouncer:
    """Announces the start of one run in this process, and its end or pause."""

    def __init__(self, run: LoadedRun) -> None:
        self._run = run
        self._timer: asyncio.TimerHandle | None = None
        self._start: asyncio.Task[None] | None = None

    def announce_start(self) -> None:
        """Announce the start after a short delay, because the first token is more urgent. Not sent if the run ends before that."""
        self._timer = asyncio.get_running_loop().call_later(START_DELAY_S, self._begin_start)

    def _begin_start(self) -> None:
        self._start = asyncio.create_task(self._send_start())

    async def announce_end(self, state: ConversationState | None) -> bool:
        """Announce the end or pause. Return whether the conversation still needs a title.

        `state`: the conversation's, as read after the commit of the end; None: it is read now.
        """
        self.stop()
        current_state = await self._announce(state)
        return current_state is not None and current_state.is_untitled

    def stop(self) -> None:
        """Cancel the announcement of the start, if it is still delayed."""
        if self._timer is not None:
            self._timer.cancel()

    async def aclose(self) -> None:
        """Cancel a delayed announcement of the start, and wait for one that has begun."""
        self.stop()
        if self._start is not None:
            await asyncio.gather(self._start, return_exceptions=True)

    async def _send_start(self) -> None:
        if self._run.first_title is None or self._run.is_temporary:
            await self._announce()
        else:
            await notify_member(
                self._run.membership_id,
                {"type": "conversation", "conversation": as_json(new_conversation_item(self._run, self._run.first_title))},
            )

    async def _announce(self, state: ConversationState | None = None) -> ConversationState | None:
        run = self._run
        return await announce_conversation(organization_id=run.organization_id, conversation_id=run.conversation_id, state=state)


def new_conversation_item(run: LoadedRun, title: str) -> ConversationItem:
    """Return the list item of the conversation that this run started, without a query.

    Its revision is 0, so any state that was read from the database counts as newer.
    """
    return ConversationItem(
        id=run.conversation_id,
        title=title,
        head_id=run.answer_id,
        created_at=run.created_at,
        updated_at=run.created_at,
        unread=False,
        pinned=False,
        archived=False,
        project_id=run.project.id if run.project else None,
        revision=0,
        **run_state(Run.Status.INITIALIZING),
    )


async def announce_changed(*, membership_id: UUID, items: Sequence[ConversationItem]) -> None:
    """Tell the owner's tabs that several conversations changed together."""
    if items:
        await notify_member(membership_id, {"type": "conversations", "conversations": [as_json(item) for item in items]})


def announce_deletion(membership_id: UUID, deleted: DeletedConversations) -> None:
    """Signal the active runs to stop, and tell the owner's tabs what was deleted."""
    async_to_sync(_announce_deletion)(membership_id, deleted)


async def _announce_deletion(membership_id: UUID, deleted: DeletedConversations) -> None:
    for run_id in deleted.run_ids:
        await signal_stop(run_id)
    if deleted.ids:
        await notify_member(membership_id, {"type": "conversations-deleted", "ids": [str(each) for each in deleted.ids]})


async def announce_restored(*, membership_id: UUID, items: Sequence[ConversationItem]) -> None:
    """Tell the owner's tabs that deleted conversations are back.

    The frame is not that of a change: tabs ignore changes of what was deleted.
    """
    if items:
        await notify_member(membership_id, {"type": "conversations-restored", "conversations": [as_json(item) for item in items]})
