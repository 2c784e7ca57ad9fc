"""The inbox of a run's execution: what people send in reaches the engine here (SPEC 3.10, 4.11).

An input is a row first: acknowledged means committed. The run's owner is woken and appends it to the conversation, in one transaction
with marking it delivered.

How the process's supervisor reaches into a run that works here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal
from uuid import UUID

import structlog
from django.db import DatabaseError

from agents.engine.messages import ClientOutput
from chat.runs.journal import RunJournal
from chat.storage.pending_inputs import PendingInput, pending_inputs
from security.secret_text import SecretText
from tenants.db import in_db

log = structlog.get_logger(__name__)


class RunInbox:
    """Implements agents.engine.ports.Inbox. `wake` is called by the run's owner when something may have come in."""

    def __init__(self, journal: RunJournal, *, run_id: UUID, organization_id: UUID, waiting: Iterable[PendingInput] = ()) -> None:
        self._journal, self._run_id, self._organization_id = journal, run_id, organization_id
        self._wakeup = asyncio.Event()
        self._messages = asyncio.Event()
        self._pending: list[PendingInput] = []
        self._set_pending(waiting)

    def wake(self) -> None:
        self._wakeup.set()

    @property
    def has_messages(self) -> bool:
        return self._messages.is_set()

    async def arrival(self) -> None:
        while not self.has_messages:
            await self._wakeup.wait()
            try:
                await self.refresh()
            except DatabaseError as error:  # the lease's next beat wakes it again
                log.warning("inbox_not_read", run_id=str(self._run_id), reason=type(error).__name__)

    async def refresh(self) -> None:
        """Read what came in since the last look."""
        self._wakeup.clear()
        self._set_pending(await in_db(pending_inputs, self._run_id, organization_id=self._organization_id))

    async def deliver_messages(self) -> bool:
        return await self._deliver([waiting for waiting in self._pending if waiting.is_message])

    async def deliver_decisions(self) -> None:
        await self._deliver([waiting for waiting in self._pending if not waiting.is_message])

    async def deliver_outputs(self) -> None:
        """Record what clients said of their calls, in a run that ends."""
        await self._deliver([waiting for waiting in self._pending if isinstance(waiting.entry, ClientOutput)])

    async def _deliver(self, inputs: list[PendingInput]) -> bool:
        await self._journal.append_inputs(inputs)
        self._set_pending([waiting for waiting in self._pending if waiting not in inputs])
        return bool(inputs)

    def _set_pending(self, waiting: Iterable[PendingInput]) -> None:
        self._pending = list(waiting)
        if any(each.is_message for each in self._pending):
            self._messages.set()
        else:
            self._messages.clear()


class RunControl:
    """End the run, and read its open text.

    `sent_keys`: those that came with the request; kept here, in memory, and nowhere else.
    """

    def __init__(self, sent_keys: Mapping[str, SecretText] | None = None) -> None:
        self.sent_keys = dict(sent_keys or {})
        self.end_reason: Literal["stop", "drain", "lost"] | None = None
        self.is_finishing = False
        self.journal: RunJournal | None = None
        self.inbox: RunInbox | None = None
        self.cancel: Callable[[], bool] | None = None

    def end(self, end_reason: Literal["stop", "drain", "lost"]) -> None:
        """Cancel the run once, for this reason; nothing happens to a run that is being finished."""
        if self.end_reason is None and not self.is_finishing and self.cancel is not None:
            self.end_reason = end_reason
            self.cancel()

    def wake_inbox(self) -> None:
        """Something was sent into the run."""
        if self.inbox is not None:
            self.inbox.wake()

    def checkpoint(self) -> list[dict[str, Any]] | None:
        return self.journal.checkpoint() if self.journal is not None else None
