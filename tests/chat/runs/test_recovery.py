"""A worker takes over the runs of dead processes: many at once, organizations in turn, by the database's clock."""

from __future__ import annotations

import asyncio
import time
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db.models.functions import Now

from chat.models import Part, Run
from chat.runs import recovery
from chat.runs.supervisor import RunSupervisor
from chat.runs.worker_loop import WorkerLoop
from chat.storage.leases import LEASE_S, expired_claim
from doubles.script import Text
from doubles.signals import Gate
from tenants.db import in_db
from tenants.redis.clients import redis_client
from tests.chat.runs.test_takeover import everything_logged
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket
from tests.support.chat.workspace import Workspace, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def lose_all_owners() -> None:
    """Let the leases of all runs expire, as if their processes had died."""
    for run_id in await in_db(lambda: list(Run.unscoped.using("system").values_list("pk", flat=True)), using="system"):
        await everything_logged(run_id)
    await in_db(lambda: Run.unscoped.using("system").update(lease_expires_at=Now(), lease_owner="dead"), using="system")


async def begin(socket: ChatSocket) -> tuple[str, list[dict[str, object]]]:
    request = await socket.send(str(uuid4()), "Go")
    return request, await socket.chunks(request, until=lambda chunk: chunk["type"] == "text-delta")


async def test_one_sweep_takes_over_all_lost_runs_at_once(acme: Workspace, alice: Browser) -> None:
    acme.double.answer(Text("Lost "), Gate("never"), times=3)
    async with chat_socket(alice, "acme") as socket:
        for _ in range(3):
            await begin(socket)
        acme.double.answer(Text("Found again."), times=3)
        await lose_all_owners()
        assert len((await recovery.recover()).claims) == 3
        assert not (await recovery.recover()).claims, "nothing is left"
        async with asyncio.timeout(60):
            while [run.status for run in await acme.rows(Run)] != [Run.Status.DONE] * 3:
                await socket.receive()
    assert [part.content["text"] for part in await acme.rows(Part, kind="assistant_text")] == ["Found again."] * 3


async def test_a_sweep_says_whether_the_next_one_may_wait(acme: Workspace, alice: Browser) -> None:
    assert not (await recovery.recover()).has_active
    assert recovery.IDLE_SWEEP_S * 1.2 < LEASE_S, "a run that begins in the pause is looked for before its lease can end"
    acme.double.answer(Text("Working "), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        await begin(socket)
        assert (await recovery.recover()).has_active, "a run with an owner counts"


async def test_organizations_take_turns(acme: Workspace, cast: Cast, alice: Browser, charlie: Browser) -> None:
    other = await sync_to_async(make_workspace)(cast.other, acme.double)
    acme.double.answer(Text("Lost "), Gate("never"), times=4)
    async with chat_socket(alice, "acme") as ours, chat_socket(charlie, "other") as theirs:
        for _ in range(3):
            await begin(ours)
        await begin(theirs)
        await lose_all_owners()
        claims, waiting, _ = await in_db(expired_claim, 2, using="system")
    assert {claim.organization_id for claim in claims} == {acme.organization.pk, other.organization.pk}
    assert waiting == 2


async def test_a_process_that_drains_gives_back_what_it_claimed(acme: Workspace, alice: Browser) -> None:
    acme.double.answer(Text("Lost "), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        await begin(socket)
        await RunSupervisor.current().drain(0)
        await recovery.recover()
        run = (await acme.rows(Run))[-1]
        assert run.lease_owner == ""
        assert (await in_db(expired_claim, 1, using="system"))[0][0].takeovers == 0, "a handover is no lost owner"


async def test_a_worker_that_ends_hands_its_runs_over(acme: Workspace, alice: Browser) -> None:
    acme.double.answer(Text("Half "), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        await begin(socket)
        acme.double.answer(Text("At the worker "), Gate("never"))
        await RunSupervisor.current().drain(0)
        run_id: UUID = (await acme.rows(Run))[-1].pk
        worker = WorkerLoop()
        assert await asyncio.to_thread(worker.run, recovery.take_over(run_id))
        await acme.wait_for_row(Run, lambda row: row.lease_owner)
        await asyncio.to_thread(worker.close)
        run = (await acme.rows(Run))[-1]
        assert (run.lease_owner, run.is_active) == ("", True)


async def test_readiness_sees_that_no_worker_sweeps() -> None:
    long_ago = time.monotonic() - 2 * recovery.SWEEP_MISSING_S
    await redis_client().delete(recovery.sweep_key())
    assert await recovery.is_recovery_alive(process_start=time.monotonic()), "a process that has just started waits for the first sweep"
    assert not await recovery.is_recovery_alive(process_start=long_ago)
    await recovery.recover()
    assert await recovery.is_recovery_alive(process_start=long_ago)
