"""A run outlives its process: another one takes it over by lease and epoch, and the first can't write any more."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from chat.models import OpenText, Part, Run
from chat.runs.run_owner import MAX_TAKEOVERS
from chat.runs.supervisor import RunSupervisor, claim_release
from chat.storage.leases import Checkpoint, expired_claim, lease_claim, leases_renew
from chat.stream.event_log import LogKeys
from chat.stream.hub import Hub
from doubles.script import Call, Text
from doubles.signals import Gate
from tenants.db import in_db
from tenants.redis.clients import redis_client
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket, text_of, types_of
from tests.support.chat.nesting import nested
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def is_text(chunk: dict[str, object]) -> bool:
    return chunk["type"] == "text-delta"


async def everything_logged(run_id: UUID) -> None:
    """Wait for the log of this process's run. Only viewers beside the owner are ahead of it, and they would go with the owner."""
    log = Hub.current()._local_log(LogKeys.of(run_id).log)
    async with asyncio.timeout(60):
        while log is not None and log.unlogged:  # noqa: ASYNC110 - the writer tells nobody
            await asyncio.sleep(0.01)


async def take_over(acme: Workspace) -> UUID:
    """Let the active run's lease expire and work on the run as another process would; return its id."""
    run = (await acme.rows(Run))[-1]
    await everything_logged(run.pk)
    await in_db(lambda: Run.unscoped.using("system").filter(pk=run.pk).update(lease_expires_at=Now(), lease_owner="dead"), using="system")
    claim = await in_db(lease_claim, run.pk, using="system")
    assert claim is not None
    _ = RunSupervisor().start(claim)
    return claim.run_id


async def run_with_open_parts(acme: Workspace, number: int) -> UUID:
    """The newest run, as soon as so many parts that it shows are in the database."""
    run = (await acme.rows(Run))[-1]
    open_parts = OpenText.objects.filter(run_id=run.pk).values_list("parts", flat=True)
    async with asyncio.timeout(60):
        while sum(map(len, await in_db(list, open_parts.all(), organization_id=acme.organization.pk))) < number:  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.02)
    return UUID(str(run.pk))


def renew_leases(texts: dict[UUID, Any]) -> tuple[set[UUID], dict[UUID, Any]]:
    """Renew first leases with these open texts; whose are still ours, and what is stored now."""
    ours = leases_renew([(run_id, 1, Checkpoint(9, 0, [{"text": text}])) for run_id, text in texts.items()])
    return set(ours), dict(OpenText.unscoped.using("system").filter(number=9).values_list("run_id", "parts"))


async def begin(socket: ChatSocket, chat_id: str) -> tuple[str, list[dict[str, object]]]:
    request = await socket.send(chat_id, "Go")
    return request, await socket.chunks(request, until=is_text)


async def test_the_viewer_sees_the_broken_step_replaced(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Lost words "), Gate("never"))
    acme.double.answer(Text("The whole answer."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await take_over(acme)
        chunks += await socket.chunks_on(request, chunks)

    reset = types_of(chunks).index("reset-step")
    assert types_of(chunks)[reset + 1 :] == ["text-start", "text-delta", "text-end", "finish-step", "finish"]
    messages = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"]
    assert [part["text"] for part in messages[1]["parts"] if part["type"] == "text"] == ["The whole answer."]
    assert len(messages) == 2


async def test_a_finished_tool_is_not_run_again(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}))
    acme.double.answer(Text("# Tea"), when=lambda request: "<instruction>" in request.user_text)
    acme.double.answer(Text("I have "), Gate("never"))
    acme.double.answer(Text("I have written it."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await take_over(acme)
        chunks += await socket.chunks_on(request, chunks)

    assert sum("<instruction>" in request.user_text for request in acme.double.requests) == 1
    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert [part["type"] for part in parts] == ["step-start", "dynamic-tool", "data-artifact", "step-start", "text"]
    assert parts[-1]["text"] == "I have written it."


async def test_a_process_that_lost_its_lease_writes_nothing_more(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("From the "), gate, Text("first owner."))
    acme.double.answer(Text("From the second owner."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await take_over(acme)
        chunks += await socket.chunks_on(request, chunks, until=lambda chunk: chunk["type"] == "reset-step")
        gate.release()
        chunks += await socket.chunks_on(request, chunks)

    assert text_of(chunks) == "From the From the second owner."
    texts = [part.content["text"] for part in await acme.rows(Part, kind="assistant_text")]
    assert texts == ["From the second owner."]


async def test_what_one_run_shows_costs_no_other_its_lease(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("W"), Gate("never"), times=3)

    async with chat_socket(alice, "acme") as socket:
        for chat in (chat_id, str(uuid4()), str(uuid4())):
            await begin(socket, chat)
        odd, endless, plain = [run.pk for run in await acme.rows(Run)]
        texts = {odd: ["half a pair \ud83d", nested(300)], endless: nested(5000), plain: "fine"}
        ours, parts_by_run = await in_db(partial(renew_leases, texts), using="system")

    assert ours == {odd, endless, plain}
    assert (parts_by_run[odd][0]["text"][0], parts_by_run[plain]) == ("half a pair ?", [{"text": "fine"}])


async def test_only_one_process_gets_an_expired_run(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Waiting "), Gate("never"))

    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        run = (await acme.rows(Run))[-1]
        assert await in_db(expired_claim, 10, using="system") == ([], 0, True), "a leased run is left alone"
        await in_db(lambda: Run.unscoped.using("system").filter(pk=run.pk).update(lease_expires_at=Now()), using="system")
        claims = [await in_db(lease_claim, run.pk, using="system") for _ in range(2)]

    assert [claim is not None for claim in claims] == [True, False]


async def test_a_lost_log_is_written_anew_and_viewers_attach_again(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("Kept "), gate, Text("whole."))

    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        run = (await acme.rows(Run))[-1]
        await redis_client().delete(LogKeys.of(run.pk).log)
        async with asyncio.timeout(60):
            while (await socket.socket.receive_output())["type"] != "websocket.close":
                pass

    async with chat_socket(alice, "acme") as again:
        request = await again.resume(chat_id)
        replay = await again.chunks(request, until=is_text)
        gate.release()
        chunks = replay + await again.chunks_on(request, replay)
    assert text_of(chunks) == "Kept whole."


async def test_a_draining_process_hands_its_runs_over_at_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Half "), Gate("never"))

    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        finished, handed_over = await RunSupervisor.current().drain(0)

    assert (finished, handed_over) == (0, 1)
    run = (await acme.rows(Run))[-1]
    claims, _, _ = await in_db(expired_claim, 10, using="system")
    assert [claim.run_id for claim in claims] == [run.pk]


async def test_a_stopped_run_whose_owner_died_keeps_its_partial_text(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Written so far ", pieces=["Written so far "]), Gate("never"))

    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        run_id = await run_with_open_parts(acme, 1)
        await in_db(
            lambda: Run.unscoped.using("system").filter(pk=run_id).update(stop_requested_at=Now(), lease_owner="dead"), using="system"
        )
        await take_over(acme)
        run = await acme.wait_for_row(Run, lambda row: not row.is_active)

    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    part_labels = [part.get("text") or part.get("data", {}).get("code") or part["type"] for part in parts]
    assert part_labels == ["step-start", "Written so far ", "stopped"], "as the viewer saw it"
    assert run.status == Run.Status.STOPPED


async def test_with_the_celery_executor_a_worker_writes_the_answer(
    acme: Workspace, alice: Browser, chat_id: str, settings: Settings
) -> None:
    settings.RUN_EXECUTOR = "celery"
    acme.double.answer(Text("From a worker."))

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        run = await acme.wait_for_row(Run, lambda row: not row.lease_owner)
        claim = await in_db(lease_claim, run.pk, using="system")
        assert claim is not None, "the web process left the run to the workers"
        _ = RunSupervisor().start(claim)
        chunks = await socket.chunks(request)

    assert types_of(chunks) == ["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"]
    assert text_of(chunks) == "From a worker."


async def test_processes_that_end_in_order_use_up_no_takeovers(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Half "), Gate("never"))

    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        await RunSupervisor.current().drain(0)
    run = (await acme.rows(Run))[-1]
    for _ in range(MAX_TAKEOVERS + 1):
        claim = await in_db(lease_claim, run.pk, using="system")
        assert claim is not None
        assert claim.takeovers == 0
        await claim_release(claim)


async def test_an_answer_that_took_too_many_owners_along_is_given_up_in_words(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Written so far ", pieces=["Written so far "]), Gate("never"))

    async with chat_socket(alice, "acme") as socket:
        await begin(socket, chat_id)
        run_id = await run_with_open_parts(acme, 1)
        await in_db(lambda: Run.unscoped.using("system").filter(pk=run_id).update(takeovers=MAX_TAKEOVERS), using="system")
        await take_over(acme)
        run = await acme.wait_for_row(Run, lambda row: not row.is_active)

    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert [part.get("text") or part.get("data", {}).get("code") or part["type"] for part in parts] == [
        "step-start",
        "Written so far ",
        "gave_up",
    ]
    assert (run.status, run.error_code) == (Run.Status.FAILED, "gave_up")
