"""Executes one run from its claim to its end: loads it and lets its owner work, and says what becomes of a run with which that fails."""

from __future__ import annotations

import asyncio

import structlog
from django.db.models.functions import Now

from chat.models import Run
from chat.runs.run_control import RunControl
from chat.runs.run_owner import MAX_TAKEOVERS, RunOwner, hand_over
from chat.runs.run_report import RunReport
from chat.storage.leases import Claim
from chat.storage.loaded_run import LoadedRun
from chat.storage.run_loading import run_load
from chat.storage.run_writes import run_update
from chat.stream.event_log import LeaseLost
from tenants.db import enable_patient_db_access, in_db
from tenants.request_context import current_request, enter_run

log = structlog.get_logger(__name__)


async def run_execute(claim: Claim, control: RunControl, loaded_run: LoadedRun | None = None) -> None:
    """Work on a claimed run until it is done, failed, stopped, waiting, handed over or lost.

    `loaded_run`: the run, if the caller has loaded it already.
    """
    structlog.contextvars.bind_contextvars(organization_id=str(claim.organization_id), run_id=str(claim.run_id))
    if request_id := current_request().request_id:
        structlog.contextvars.bind_contextvars(request_id=request_id)
    enter_run(claim.run_id, claim.organization_id)
    enable_patient_db_access()
    report = RunReport(claim)
    report.begin()
    try:
        run = loaded_run if loaded_run is not None else await _load(claim)
        with report.span(run):
            owner = await RunOwner.open(run, claim, control, report)
            await owner.work()
    except LeaseLost:
        report.note_end("lost")
        log.warning("run_lease_lost", epoch=claim.epoch)
    except Exception as exc:
        report.note_end("crashed", type(exc).__name__)
        log.exception("run_not_finished", epoch=claim.epoch)
        if claim.takeovers > MAX_TAKEOVERS:
            await _give_up(claim)
    except asyncio.CancelledError:
        if control.end_reason == "lost":
            report.note_end("lost")
        else:
            await hand_over(claim.run_id, claim.epoch)
        if control.end_reason is None:  # not the supervisor: whatever ends the event loop waits for the cancellation
            raise
    finally:
        report.close()


async def _load(claim: Claim) -> LoadedRun:
    return await in_db(run_load, run_id=claim.run_id, epoch=claim.epoch, organization_id=claim.organization_id)


async def _give_up(claim: Claim) -> None:
    """Fail a run that can't be loaded or recorded, so that its conversation is free for new messages."""
    await in_db(
        run_update,
        run_id=claim.run_id,
        epoch=claim.epoch,
        status=Run.Status.FAILED,
        error_code="gave_up",
        lease_owner="",
        finished_at=Now(),
        organization_id=claim.organization_id,
    )
