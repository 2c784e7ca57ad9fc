"""Recovery: each worker looks for runs whose owner died or gave them up, and takes them over (ARCHITECTURE 3).

The database's clock alone decides whether a lease has expired, so workers need not agree about the time. The statement that finds a run
also claims it, so no queue lies between the two. While the database is away, nobody can renew a lease. After a failed sweep, owners
therefore get time to renew theirs before anybody takes over their runs.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from uuid import UUID

import structlog

from chat.runs.supervisor import RunSupervisor, SupervisorDraining, claim_release
from chat.storage.leases import LEASE_S, Claim, ExpiredLeases, expired_claim, lease_claim
from telemetry.families import TAKEOVERS
from tenants.db import in_db
from tenants.redis.clients import REDIS_ERRORS, key, redis_client

log = structlog.get_logger(__name__)

SWEEP_S = 1.0
IDLE_SWEEP_S = LEASE_S / 2  # while no run is active: the lease of one that begins meanwhile ends later
MAX_TAKEN_RUNS = 64  # runs that one worker works on at once
OUTAGE_GRACE_S = LEASE_S  # after a failed sweep: an owner that lives renews its lease in this time
SWEEP_MISSING_S = 30  # without a sweep of any worker, something is wrong
PROCESS_START = time.monotonic()


class OutageGrace:
    """Says whether runs stay with their owners although a lease has expired.

    That is so from a failed sweep until OUTAGE_GRACE_S after the next one that succeeds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spared_until = 0.0
        self._has_failed = False

    @property
    def is_on(self) -> bool:
        return self._has_failed or self._clock() < self._spared_until

    def note_failure(self) -> None:
        self._has_failed = True

    def note_success(self) -> None:
        if self._has_failed:
            self._has_failed, self._spared_until = False, self._clock() + OUTAGE_GRACE_S


async def recover_forever() -> None:
    """Sweep again and again. A failed sweep is logged and does not end the loop."""
    grace = OutageGrace()
    while True:
        pause_s = SWEEP_S
        try:
            leases = await recover(spares_owners=grace.is_on)
            pause_s = SWEEP_S if leases.has_active else IDLE_SWEEP_S
            grace.note_success()
        except Exception:
            log.exception("sweep_failed")
            grace.note_failure()
        await asyncio.sleep(pause_s * random.uniform(0.8, 1.2))  # noqa: S311 spreads the sweeps of several workers


async def recover(*, spares_owners: bool = False) -> ExpiredLeases:
    """Take over runs whose lease has expired, organizations in turn, as many as this process has room for. Return what was found.

    `spares_owners`: take over only runs that their owners have released.
    """
    supervisor = RunSupervisor.current()
    room = max(MAX_TAKEN_RUNS - supervisor.run_count, 0)
    leases = await in_db(_claim, room, spares_owners=spares_owners, asked_at=time.monotonic(), using="system")
    for claim in leases.claims:
        _note_takeover(claim)
        await _start(claim)
    if leases.waiting:
        log.warning("runs_wait_for_owner", waiting=leases.waiting, owned=supervisor.run_count)
    await _note_sweep()
    return leases


def _note_takeover(claim: Claim) -> None:
    """Count and log a takeover. A run of the first epoch is none: it is new, and waited for a worker."""
    if claim.epoch > 1:
        cause = "lost" if claim.takeovers else "released"
        TAKEOVERS.labels(cause).inc()
        log.info("run_taken_over", run_id=str(claim.run_id), organization_id=str(claim.organization_id), epoch=claim.epoch, cause=cause)


def _claim(room: int, *, spares_owners: bool, asked_at: float) -> ExpiredLeases:
    """Claim expired leases. A sweep that waited long for its connection leaves owners their runs: they may have waited as long."""
    return expired_claim(room, only_released=spares_owners or time.monotonic() - asked_at > LEASE_S / 2)


async def take_over(run_id: UUID) -> bool:
    """Claim this run and start to work on it. Return False when another process was first."""
    claim = await in_db(lease_claim, run_id, using="system")
    if claim is not None:
        await _start(claim)
    return claim is not None


async def _start(claim: Claim) -> None:
    try:
        _ = RunSupervisor.current().start(claim)
    except SupervisorDraining:
        await claim_release(claim)


async def _note_sweep() -> None:
    try:
        await redis_client().set(sweep_key(), 1, ex=SWEEP_MISSING_S)
    except REDIS_ERRORS as error:
        log.warning("sweep_not_noted", reason=type(error).__name__)


async def is_recovery_alive(*, process_start: float = PROCESS_START) -> bool:
    """Return whether some worker has swept in the last SWEEP_MISSING_S seconds. A process that has just started assumes so.

    `process_start`: on the monotonic clock. Logs a warning if there was no sweep. Returns True while Redis is away, which is another service's fault.
    """
    if time.monotonic() - process_start < SWEEP_MISSING_S:
        return True
    try:
        is_alive = bool(await redis_client().exists(sweep_key()))
    except REDIS_ERRORS:
        return True
    if not is_alive:
        log.warning("nobody_takes_over_runs", silent_for_s=SWEEP_MISSING_S)
    return is_alive


def sweep_key() -> str:
    return key("recovery", "swept")
