"""The inbox of a run's execution: what people send in reaches the engine here (SPEC 3.10, 4.11).

An input is a row first: acknowledged means committed. The run's owner is woken and appends it to the conversation, in one transaction
with marking it delivered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from uuid import UUID

import structlog
from django.db import DatabaseError

from agents.engine.messages import ClientOutput
from chat.runs.journal import RunJournal
from chat.storage.waiting import WaitingInput, waiting_inputs
from tenants.db import in_db

log = structlog.get_logger(__name__)


class RunInbox:
    """Implements agents.engine.ports.Inbox. `wake` is called by the run's owner when something may have come in."""

    def __init__(self, journal: RunJournal, *, run_id: UUID, organization_id: UUID, waiting: Iterable[WaitingInput] = ()) -> None:
        self._journal, self._run_id, self._organization_id = journal, run_id, organization_id
        self._woken = asyncio.Event()
        self._messages = asyncio.Event()
        self._waiting: list[WaitingInput] = []
        self._note(waiting)

    def wake(self) -> None:
        self._woken.set()

    @property
    def has_messages(self) -> bool:
        return self._messages.is_set()

    async def arrival(self) -> None:
        while not self.has_messages:
            await self._woken.wait()
            try:
                await self.refresh()
            except DatabaseError as error:  # the lease's next beat wakes it again
                log.warning("inbox_not_read", run_id=str(self._run_id), reason=type(error).__name__)

    async def refresh(self) -> None:
        """Read what came in since the last look."""
        self._woken.clear()
        self._note(await in_db(waiting_inputs, self._run_id, organization_id=self._organization_id))

    async def deliver_messages(self) -> bool:
        return await self._deliver([waiting for waiting in self._waiting if waiting.is_message])

    async def deliver_decisions(self) -> None:
        await self._deliver([waiting for waiting in self._waiting if not waiting.is_message])

    async def deliver_outputs(self) -> None:
        """Record what clients said of their calls, in a run that ends."""
        await self._deliver([waiting for waiting in self._waiting if isinstance(waiting.entry, ClientOutput)])

    async def _deliver(self, inputs: list[WaitingInput]) -> bool:
        await self._journal.append_inputs(inputs)
        self._note([waiting for waiting in self._waiting if waiting not in inputs])
        return bool(inputs)

    def _note(self, waiting: Iterable[WaitingInput]) -> None:
        self._waiting = list(waiting)
        if any(each.is_message for each in self._waiting):
            self._messages.set()
        else:
            self._messages.clear()
