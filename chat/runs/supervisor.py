"""The run supervisor of a process: starts runs, renews their leases and drains them at shutdown (ARCHITECTURE 3).

A run belongs to a process by its lease, never to a socket. Each run is one asyncio task. Once a second, one statement renews all leases,
stores the open parts and reads stop requests. A second one finds runs whose member may not write any more; a notice that somebody's access
may have ended (tenants.redis.access_notices) brings it forward.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from dataclasses import dataclass
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from django.db import DatabaseError, InterfaceError

from agents.runtime.key_lookup import NO_KEYS, RequestKeys
from chat.runs.execution import run_execute
from chat.runs.run_control import RunControl
from chat.runs.task_queue import take_over_enqueue
from chat.storage.leases import HEARTBEAT_S, Claim, lease_release, leases_renew
from chat.storage.loaded_run import LoadedRun
from chat.storage.run_access import access_ends
from telemetry.families import LIVE_RUNS
from tenants.db import in_db
from tenants.errors import Busy
from tenants.redis.access_notices import AccessNotice, access_notices
from tenants.request_context import current_request, enter_request_context

log = structlog.get_logger(__name__)

# Sockets and event streams of those whose access has ended are closed first (chat.api.access_watch), with a status of their own.
MAX_CHECKS_WITHOUT_ACCESS = 3
CLOSING_S = 0.25  # that sockets have after a notice
HANDOVER_S = 5  # for a cancelled run to release its lease itself
RELEASE_S = 2  # for the release of a lease, also when the database is away


class SupervisorDraining(Exception):
    """This process is shutting down and takes no more runs."""


@dataclass(slots=True, eq=False)
class OwnedRun:
    """A run that this process works on."""

    claim: Claim
    control: RunControl
    task: asyncio.Task[None]
    checks_without_access: int = 0


class RunSupervisor:
    """Owns the runs of one event loop. `current()` creates it on first use."""

    _of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, RunSupervisor] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> RunSupervisor:
        loop = asyncio.get_running_loop()
        supervisor = cls._of_loop.get(loop)
        if supervisor is None:
            supervisor = cls._of_loop[loop] = cls()
        return supervisor

    def __init__(self) -> None:
        self._runs: dict[UUID, OwnedRun] = {}
        self._heartbeat: asyncio.Task[None] | None = None
        self._renewal_s = 0.0  # when the leases are renewed next, by the monotonic clock
        self._draining = False
        self._has_notice = False  # that somebody's access may have ended
        self._access_check: asyncio.Task[None] | None = None

    def start(self, claim: Claim, loaded_run: LoadedRun | None = None, keys: RequestKeys = NO_KEYS) -> asyncio.Task[None]:
        """Start to work on a claimed run and return its task. Raises SupervisorDraining.

        `loaded_run`: the run, if the caller has loaded it already. `keys`: the provider keys of the request that created the run; there are
        none for a run that is taken over.
        """
        if self._draining:
            raise SupervisorDraining
        control = RunControl(keys.sent_keys)
        # An empty context, so that the caller's organization and log context do not leak into the run. The audit log names who sent it.
        context = contextvars.Context()
        context.run(enter_request_context, current_request())
        task = asyncio.get_running_loop().create_task(run_execute(claim, control, loaded_run), name=f"run-{claim.run_id}", context=context)
        control.cancel = task.cancel
        if not self._runs:
            self._renewal_s = time.monotonic() + HEARTBEAT_S
        self._runs[claim.run_id] = OwnedRun(claim, control, task)
        LIVE_RUNS.inc()
        task.add_done_callback(lambda done: self._on_run_done(claim.run_id, done))
        if self._heartbeat is None or self._heartbeat.done():
            self._heartbeat = asyncio.create_task(self._heartbeat_forever(), name="run-supervisor", context=contextvars.Context())
        return task

    def wake_inbox(self, run_id: UUID) -> None:
        """Let the run read its inputs. Does nothing when another process owns it."""
        if (run := self._runs.get(run_id)) is not None:
            run.control.wake_inbox()

    @property
    def run_count(self) -> int:
        """How many runs this process works on."""
        return len(self._runs)

    @property
    def is_draining(self) -> bool:
        """Whether this process is shutting down."""
        return self._draining

    async def drain(self, grace_s: float) -> tuple[int, int]:
        """Refuse new runs, give active ones `grace_s` seconds to finish, then hand over the rest. Return (finished, handed over)."""
        self._draining = True
        runs = list(self._runs.values())
        if not runs:
            return 0, 0
        _, pending = await asyncio.wait([run.task for run in runs], timeout=grace_s)
        unfinished_runs = [run for run in runs if run.task in pending]
        for run in unfinished_runs:
            run.control.end("drain")
        if unfinished_runs:
            _, stuck = await asyncio.wait([run.task for run in unfinished_runs], timeout=HANDOVER_S)
            # What it still writes is refused as soon as another process has claimed the run.
            await asyncio.gather(*(claim_release(run.claim) for run in unfinished_runs if run.task in stuck))
        return len(runs) - len(unfinished_runs), len(unfinished_runs)

    async def close(self) -> None:
        """Hand over all runs and stop the heartbeat, at the end of a worker's event loop or of a test."""
        self._of_loop.pop(asyncio.get_running_loop(), None)
        await self.drain(0)
        tasks = [task for task in (self._heartbeat, self._access_check) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _heartbeat_forever(self) -> None:
        with access_notices(self._on_notice):
            while self._runs:
                await asyncio.sleep(self._renewal_s - time.monotonic())
                if self._runs and self._renewal_s <= time.monotonic():  # else all have ended, and perhaps others have begun
                    await self._renew()
                    self._renewal_s = time.monotonic() + HEARTBEAT_S

    def _on_notice(self, notice: AccessNotice) -> None:
        """Runs go on when a session ends: its member may still write."""
        if notice.kind == "session":
            return
        self._has_notice = True
        if self._access_check is None or self._access_check.done():
            self._access_check = asyncio.create_task(self._check_access_soon(), name="run-access", context=contextvars.Context())

    async def _check_access_soon(self) -> None:
        while self._has_notice:
            await asyncio.sleep(CLOSING_S)
            self._has_notice = False
            await self._end_without_access(at_once=True)

    async def _renew(self) -> None:
        runs = list(self._runs.values())
        checkpoints = [run.control.checkpoint() for run in runs]
        beats = [(run.claim.run_id, run.claim.epoch, checkpoint) for run, checkpoint in zip(runs, checkpoints, strict=True)]
        try:
            ours = await in_db(leases_renew, beats, using="system")
        except Exception:
            log.exception("leases_not_renewed", runs=len(runs))
            return
        for run, checkpoint in zip(runs, checkpoints, strict=True):
            run.control.confirm_checkpoint(checkpoint)
            lease = ours.get(run.claim.run_id)
            if lease is None:
                if not run.task.done() and not run.control.is_finishing:
                    run.control.end("lost")
            elif lease.stop_requested:
                run.control.end("stop")
            elif lease.has_inputs:
                run.control.wake_inbox()
        await self._end_without_access()

    async def _end_without_access(self, *, at_once: bool = False) -> None:
        try:
            ends = await in_db(access_ends, list(self._runs), using="system")
        except Exception:
            log.exception("access_not_checked", runs=len(self._runs))
            return
        for run_id, reason in ends.items():
            if (run := self._runs.get(run_id)) is not None:
                run.checks_without_access += 1
                if at_once or run.checks_without_access == MAX_CHECKS_WITHOUT_ACCESS:
                    run.control.end_access(reason)

    def _on_run_done(self, run_id: UUID, task: asyncio.Task[None]) -> None:
        LIVE_RUNS.dec()
        if (owned_run := self._runs.get(run_id)) is not None and owned_run.task is task:  # a run that paused may have resumed here already
            del self._runs[run_id]
        if not task.cancelled() and task.exception() is not None:
            log.error("run_task_failed", run_id=str(run_id), exc_info=task.exception())


async def claim_start(claim: Claim, loaded_run: LoadedRun | None = None, keys: RequestKeys = NO_KEYS) -> None:
    """Start to work on a claimed run (see RunSupervisor.start), or leave it to a worker while this process is shutting down."""
    try:
        _ = RunSupervisor.current().start(claim, loaded_run, keys)
    except SupervisorDraining:
        await claim_release(claim)
        await take_over_enqueue(claim.run_id)


async def claim_release(claim: Claim) -> None:
    """Release the lease of a run that this process will not work on. If the database is away, the lease ends by itself."""
    try:
        async with asyncio.timeout(RELEASE_S):
            await in_db(lease_release, run_id=claim.run_id, epoch=claim.epoch, using="system")
    except (DatabaseError, InterfaceError, Busy, TimeoutError) as error:
        log.warning("lease_not_released", run_id=str(claim.run_id), reason=type(error).__name__)


async def drain(grace_s: float) -> tuple[int, int]:
    """Drain the supervisor of the running event loop, at process shutdown. Return (finished, handed over)."""
    return await RunSupervisor.current().drain(grace_s)
