"""How inputs and the supervisor reach a run that works in this process: its inbox and its control (SPEC 3.10, 4.11).

An input is stored as a row before it is acknowledged. Then the run's owner is woken, appends it to the conversation and marks it as
delivered, in one transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Literal
from uuid import UUID

import structlog
from django.db import DatabaseError

from agents.messages import ClientOutput, Notice
from chat.runs.journal.run_journal import RunJournal
from chat.storage.leases import Checkpoint
from chat.storage.pending_inputs import PendingInput, pending_inputs
from chat.storage.run_access import access_notice
from security.secrets.secret_text import SecretText
from tenants.db import in_db

log = structlog.get_logger(__name__)


# A person stops it, its member may not write any more, the process shuts down, another process owns it.
EndReason = Literal["stop", "access", "drain", "lost"]


STOPPED = Notice(code="stopped", text="Stopped. What was written so far is kept.")


class RunInbox:
    """Implements agents.engine.ports.Inbox. The run's owner calls `wake` when there may be new inputs."""

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
            except DatabaseError as error:  # the next heartbeat wakes it again
                log.warning("inbox_not_read", run_id=str(self._run_id), reason=type(error).__name__)

    async def refresh(self) -> None:
        """Read the pending inputs from the database."""
        self._wakeup.clear()
        self._set_pending(await in_db(pending_inputs, self._run_id, organization_id=self._organization_id))

    async def deliver_messages(self) -> bool:
        return await self._deliver([waiting for waiting in self._pending if waiting.is_message])

    async def deliver_decisions(self) -> None:
        await self._deliver([waiting for waiting in self._pending if not waiting.is_message])

    async def deliver_outputs(self) -> None:
        """Append the outputs of client calls, for a run that ends."""
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
    """What the supervisor does with a run: end it, wake its inbox and read its open parts."""

    def __init__(self, sent_keys: Mapping[str, SecretText] | None = None) -> None:
        self.sent_keys = dict(sent_keys or {})  # provider keys that came with the request, by provider; they exist only in memory
        self.end_reason: EndReason | None = None
        self.end_notice = STOPPED  # what the answer says when a person or the end of access stops it
        self.is_finishing = False
        self.journal: RunJournal | None = None
        self.inbox: RunInbox | None = None
        self.cancel: Callable[[], bool] | None = None

    def end(self, end_reason: EndReason) -> None:
        """Cancel the run for this reason. Does nothing the second time, or when the run is finishing."""
        if self.end_reason is None and not self.is_finishing and self.cancel is not None:
            self.end_reason = end_reason
            self.cancel()

    @property
    def is_stopped(self) -> bool:
        """Whether the run ends for good, with `end_notice`."""
        return self.end_reason in ("stop", "access")

    def end_access(self, reason: str) -> None:
        """End the run, because its member may not write any more (chat.storage.run_access)."""
        if self.end_reason is None:
            self.end_notice = access_notice(reason)
        self.end("access")

    def wake_inbox(self) -> None:
        """Let the run read its inputs, because something was sent into it."""
        if self.inbox is not None:
            self.inbox.wake()

    def checkpoint(self) -> Checkpoint | None:
        """Return what was shown since the last checkpoint; None: nothing."""
        return self.journal.checkpoint() if self.journal is not None else None

    def confirm_checkpoint(self, checkpoint: Checkpoint | None) -> None:
        """Note that a checkpoint is stored."""
        if checkpoint is not None and self.journal is not None:
            self.journal.confirm_checkpoint(checkpoint)
