"""The owner of a run: opens its log, builds the agent, runs the engine and records the outcome."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError

from admin_config.services.switches import release_with_switches
from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.engine.loop import run_agent
from agents.engine.open_calls import CallRecords, Occasion, closing_entries, pending_calls
from agents.engine.ports import RunPorts
from agents.errors import RunError
from agents.messages import Entry, Notice
from agents.orchestrator import RunnableAgent, chat_agent_build
from agents.runtime.call_recording import CallRecord
from agents.runtime.key_lookup import KeyOwner, RequestKeys
from chat.models import Run
from chat.runs.announcements import RunAnnouncer
from chat.runs.failures import CRASHED, GAVE_UP, failure_notice
from chat.runs.journal.run_journal import RunJournal
from chat.runs.run_control import STOPPED, RunControl, RunInbox
from chat.runs.run_report import RunReport
from chat.runs.title_generation import RunActions
from chat.storage.attached_files import FILE_TEXT_TIMEOUT_S, file_texts_load
from chat.storage.call_log import calls_usage
from chat.storage.leases import Claim, lease_release
from chat.storage.loaded_run import LoadedRun, RunLinks
from chat.storage.pending_inputs import InputsPending, StopPending
from chat.storage.run_access import AccessEnded, access_check, access_notice
from chat.stream.event_log import LeaseLost
from chat.stream.hub import Hub
from chat.stream.log_writer import EventLogWriter, WriterCallbacks
from files.services import wait_for_files
from tenants.db import in_db
from tenants.errors import ParleyError

log = structlog.get_logger(__name__)

MAX_TAKEOVERS = 7  # a run that was lost with more owners than this in a row is failed, as it may be what kills them
MAX_RUN_S = 600  # SECURITY 25


class TimeLimitExceeded(RunError):
    """The run took longer than MAX_RUN_S in this process."""

    code = "time_limit"
    action = "continue"


@dataclass(slots=True)
class RunOwner:
    """A run while this process owns it, with its journal, inbox and log writer."""

    run: LoadedRun
    control: RunControl
    journal: RunJournal
    inbox: RunInbox
    writer: EventLogWriter
    actions: RunActions
    announcer: RunAnnouncer
    report: RunReport
    agent: RunnableAgent | None = None
    time_limit: asyncio.Timeout | None = None

    @classmethod
    async def open(cls, run: LoadedRun, claim: Claim, control: RunControl, report: RunReport) -> RunOwner:
        """Open the run's event log: a new one, or the one that the former owner left. Raises LeaseLost."""
        journal = control.journal = RunJournal(run, metadata=start_metadata(run))
        inbox = control.inbox = RunInbox(journal, run_id=run.run_id, organization_id=run.organization_id, waiting=run.pending_inputs)
        callbacks = WriterCallbacks(journal.snapshot, control.end, control.wake_inbox, Hub.current().pusher(run.run_id))
        writer = await _log_open(claim, journal, callbacks)
        Hub.current().own(run.run_id, writer)
        writer.start()
        return cls(
            run,
            control,
            journal,
            inbox,
            writer,
            RunActions(run.organization_id, run.conversation_id),
            RunAnnouncer(run),
            report,
        )

    async def work(self) -> None:
        """Run the engine and record the outcome, then close everything that the run has open.

        Raises CancelledError when the run was handed over or lost, and LeaseLost or a database error when the outcome can't be recorded.
        """
        self.announcer.announce_start()
        self.report.note_question(self.run.created_at)
        try:
            await self._check_access()
            if self.run.stop_requested:
                self.journal.stream.restore_open_text()
                await self._finish(Run.Status.STOPPED, "interrupted", STOPPED)
            elif self.run.takeovers > MAX_TAKEOVERS:
                self.journal.stream.restore_open_text()
                await self._fail(GAVE_UP)
            else:
                await self._run_engine()
        except asyncio.CancelledError:
            await self._handle_cancellation()
        except AccessEnded as exc:
            await self._finish(Run.Status.STOPPED, "interrupted", access_notice(exc.reason))
        except (RunError, ParleyError) as exc:
            await self._fail(failure_notice(exc))
        except (LeaseLost, OperationalError, InterfaceError):
            raise  # the lease is lost or the database is down: the next owner continues from what is stored
        except Exception:
            log.exception("run_crashed")
            await self._fail(CRASHED)
        finally:
            await self._close()

    async def _check_access(self) -> None:
        """Raises AccessEnded when this owner is not the first, and the member may not write any more."""
        if self.run.epoch == 1:
            return
        try:
            await in_db(access_check, self.run.run_id, organization_id=self.run.organization_id)
        except AccessEnded:
            self.journal.stream.restore_open_text()
            raise

    async def _close(self) -> None:
        """Close everything that the run has open. Each close runs even if another fails or a second cancellation arrives."""
        self.announcer.stop()
        async with AsyncExitStack() as exit_stack:
            if self.agent is not None:
                exit_stack.push_async_callback(self.agent.hooks.aclose)
                exit_stack.push_async_callback(self.agent.exit_stack.aclose)
            exit_stack.push_async_callback(self.announcer.aclose)
            exit_stack.push_async_callback(Hub.current().disown, self.run.run_id, self.writer)
            await self.writer.abandon()

    async def _wait_for_file_texts(self) -> None:
        """Wait until the texts of the files in the history are extracted, at most FILE_TEXT_TIMEOUT_S."""
        if not self.run.pending_file_ids:
            return
        await wait_for_files(self.run.pending_file_ids, organization_id=self.run.organization_id, timeout_s=FILE_TEXT_TIMEOUT_S)
        self.journal.replace_history((await in_db(file_texts_load, self.run.history, organization_id=self.run.organization_id)).entries)

    async def _run_engine(self) -> None:
        await self._wait_for_file_texts()
        links = RunLinks(
            record_call=self._record_call,
            call_opened=self.journal.call_opened,
            branch=lambda: self.journal.entries,
            spent_on_calls=partial(in_db, calls_usage, organization_id=self.run.organization_id, run_id=self.run.run_id),
            is_handed_over=partial(self._goes_on_elsewhere, asyncio.current_task()),
            actions=self.actions,
            key_owner=self._key_owner(),
        )
        context = self.run.context(links)
        agent = self.agent = await chat_agent_build(release_with_switches(self.run.release.snapshot, self.run.switches), context)
        if opening_entries := self._opening_entries(agent):
            await self.journal.append(*opening_entries)
        agent.budget.spend(agent.spec.model, self.run.usage)
        deadline_s = asyncio.get_running_loop().time() + MAX_RUN_S
        while not await self._conclude(await self._engine_outcome(agent, deadline_s)):
            await self.inbox.refresh()  # an input arrived at the last moment

    def _record_call(self, call: CallRecord) -> None:
        self.journal.record_call(call)
        self.report.note_call(call)

    def _opening_entries(self, agent: RunnableAgent) -> list[Entry]:
        """Return the notices for the user and the context data for the model that come before the first step."""
        notices = [notice for notice in agent.notices if notice not in self.journal.entries]
        return [*notices, *self.run.opening_entries(agent.tools)]

    def _key_owner(self) -> KeyOwner:
        sent_keys = self.control.sent_keys
        return KeyOwner(
            membership_id=self.run.membership_id,
            request=RequestKeys(session_hash=self.run.session_hash, sent_keys=sent_keys),
            lost_providers=self.run.keys_sent_for - sent_keys.keys(),
        )

    async def _engine_outcome(self, agent: RunnableAgent, deadline_s: float) -> RunOutcome:
        try:
            async with asyncio.timeout_at(deadline_s) as self.time_limit:
                ports = RunPorts(model=agent.model, journal=self.journal, inbox=self.inbox, prefix_cache=self.run.prefix_cache)
                return await run_agent(agent, ports, first_step=self.journal.step + 1)
        except TimeoutError as exc:
            raise TimeLimitExceeded(
                f"The answer took longer than {MAX_RUN_S // 60} minutes and was ended. What was written is kept."
            ) from exc

    def _goes_on_elsewhere(self, task: asyncio.Task[Any] | None) -> bool:
        """Return whether the run's `task` was cancelled so that another process continues the run.

        The supervisor does that, or whatever ends the event loop. A user's stop, the end of access and the run's time limit do not count.
        """
        if self.control.end_reason is not None:
            return not self.control.is_stopped
        is_late = self.time_limit is not None and self.time_limit.expired()
        return task is not None and task.cancelling() > 0 and not is_late

    async def _conclude(self, outcome: RunOutcome) -> bool:
        """Finish or pause the run. Return False when it has to read new inputs first."""
        try:
            if outcome.end.is_pause:
                await self._pause(outcome.end)
            else:
                await self._finish(Run.Status.DONE, outcome.finish_reason)
        except InputsPending:
            self.control.is_finishing = False
            return False
        except StopPending:
            await self._finish(Run.Status.STOPPED, "interrupted", STOPPED)
        return True

    async def _pause(self, end: RunEnd) -> None:
        self.control.is_finishing = True
        state = await self.journal.pause(Run.Status(end.value))
        self.report.note_end(end.value)
        await self.writer.close(final=True)
        await self.announcer.announce_end(state)

    async def _finish(self, status: Run.Status, finish_reason: str, *notices: Notice, error_code: str = "", error_text: str = "") -> None:
        self.control.is_finishing = True
        await self._end_client_calls()
        state = await self.journal.finish(
            status=status, finish_reason=finish_reason, notices=notices, error_code=error_code, error_text=error_text
        )
        self.report.note_end(status.value, error_code)
        await self.writer.close(final=True)
        await self.actions.run_pending(is_untitled=await self.announcer.announce_end(state))

    async def _end_client_calls(self) -> None:
        """Give the calls that the client carries out a result, because the run ends.

        A client's output that was acknowledged is recorded, even if it arrived too late for the model.
        """
        calls = pending_calls(self.journal.entries)
        if not calls:
            return
        if any(map(CallRecords.of(self.journal.entries).waits_for_client, calls)):
            await self.inbox.refresh()
            await self.inbox.deliver_outputs()
        await self.journal.append(*closing_entries(calls, self.journal.entries, Occasion.OVER))

    async def _fail(self, notice: Notice) -> None:
        if self.control.end_reason is not None:  # the failure came after a stop or a handover was requested, which takes precedence
            await self._handle_cancellation()
            return
        await self._finish(Run.Status.FAILED, "error", notice, error_code=notice.code, error_text=notice.text)

    async def _handle_cancellation(self) -> None:
        """Handle the supervisor's cancellation: finish the run if it was stopped, else leave it to the next owner.

        Raises CancelledError unless the run was stopped.
        """
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
        if self.control.is_stopped:
            await self._finish(Run.Status.STOPPED, "interrupted", self.control.end_notice)
            return
        if self.control.end_reason == "drain":
            await self.journal.record_unfinished_calls()
            await hand_over(self.run.run_id, self.run.epoch)  # before the log's last flush, which may have to wait for Redis
        raise asyncio.CancelledError


async def _log_open(claim: Claim, journal: RunJournal, callbacks: WriterCallbacks) -> EventLogWriter:
    """Open the run's event log, and let the journal begin it or go on with what the former owner left. Raises LeaseLost."""
    if claim.epoch == 1:
        journal.stream.writer = writer = EventLogWriter(claim.run_id, claim.epoch, first_seq=1, callbacks=callbacks)
        journal.stream.begin()
        return writer
    writer, former_log = await EventLogWriter.resume(claim.run_id, claim.epoch, callbacks=callbacks)
    journal.stream.writer = writer
    journal.take_over(former_log)
    return writer  # the stream may write through another one for a while (DeferredReset)


def start_metadata(run: LoadedRun) -> dict[str, Any]:
    """Return the `messageMetadata` of the answer (docs/protocol.md)."""
    return {"createdAt": run.created_at.isoformat(), "runId": str(run.run_id), "waiting": None, **run.display}


async def hand_over(run_id: UUID, epoch: int) -> None:
    """Let another process continue the run. It happens also when the caller is cancelled."""
    await asyncio.shield(in_db(lease_release, run_id=run_id, epoch=epoch, using="system"))
