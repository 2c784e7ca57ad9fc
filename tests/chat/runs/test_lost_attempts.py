"""What an owner that died leaves behind: its text stays on screens until it is passed, and its model call is in the ledger."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Any

import pytest
from django.db import connections

from agents.messages import Usage
from chat.models import ModelCall, OpenText, Run
from chat.runs.supervisor import RunSupervisor
from chat.storage.leases import lease_claim
from chat.stream.event_log import read_log
from doubles import script
from doubles.script import Call, Text
from doubles.signals import Gate
from doubles.tokens import count_tokens
from tenants.db import in_db
from tests.chat.runs.test_takeover import begin, run_with_open_parts, take_over
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.stores.database import connect
from tests.system.client import is_text, shown_text

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

FIRST = "The first attempt wrote so much. "
FIRST_HALF = "The first attempt "
SECOND = "The second attempt says the same and more."
Chunks = list[dict[str, Any]]


def lengths(chunks: Chunks) -> list[int]:
    """The length of the text on screen, whenever text was added or a step ended."""
    places = [place for place, chunk in enumerate(chunks) if is_text(chunk) or chunk["type"] == "finish-step"]
    return [len(shown_text(chunks[: place + 1])) for place in places]


async def broken_off(socket: ChatSocket, chat_id: str, acme: Workspace) -> tuple[str, Chunks]:
    """An answer whose first attempt is on screen and in the database."""
    request, chunks = await begin(socket, chat_id)
    await run_with_open_parts(acme, 1)
    return request, chunks


async def usage_is_the_sum(acme: Workspace) -> None:
    """The run has counted what the ledger has."""
    [run] = await acme.rows(Run)
    assert Usage(**run.usage) == sum((Usage(**call.usage) for call in await acme.rows(ModelCall, run_id=run.pk)), Usage())


async def noted_kinds(acme: Workspace) -> set[str]:
    """The kinds of model calls that heartbeats have noted as open."""
    rows = await in_db(lambda: list(OpenText.objects.values_list("calls", flat=True)), organization_id=acme.organization.pk)
    return {note["kind"] for notes in rows for note in notes if "kind" in note}


async def noted_ends(acme: Workspace) -> set[str]:
    """How the model calls ended that heartbeats have noted."""
    rows = await in_db(lambda: list(OpenText.objects.values_list("calls", flat=True)), organization_id=acme.organization.pk)
    return {note["finish_reason"] for notes in rows for note in notes if "finish_reason" in note}


async def ledger(acme: Workspace) -> list[ModelCall]:
    return [call for call in await acme.rows(ModelCall) if call.kind == ModelCall.Kind.STEP]


async def test_text_on_screen_never_becomes_shorter(acme: Workspace, alice: Browser, chat_id: str) -> None:
    halfway = Gate("halfway")
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(Text("The second ", pieces=["The second "]), halfway, Text(SECOND.removeprefix("The second ")))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await take_over(acme)
        await halfway.reached.wait_async()
        halfway.release()
        chunks += await socket.chunks_on(request, chunks)

    assert lengths(chunks) == sorted(lengths(chunks))
    assert shown_text(chunks) == SECOND


async def test_a_viewer_that_comes_meanwhile_sees_the_interrupted_text(acme: Workspace, alice: Browser, chat_id: str) -> None:
    halfway = Gate("halfway")
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(Text("The second ", pieces=["The second "]), halfway, Text(SECOND.removeprefix("The second ")))

    async with chat_socket(alice, "acme") as socket:
        await broken_off(socket, chat_id, acme)
        await take_over(acme)
        await halfway.reached.wait_async()
        async with chat_socket(alice, "acme") as late:
            request = await late.resume(chat_id)
            chunks = await late.chunks(request, until=is_text)
            assert shown_text(chunks) == FIRST
            halfway.release()
            chunks += await late.chunks_on(request, chunks)
    assert lengths(chunks) == sorted(lengths(chunks))
    assert shown_text(chunks) == SECOND


async def test_a_shorter_attempt_replaces_the_interrupted_one_when_it_ends(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(Text("Short."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await take_over(acme)
        chunks += await socket.chunks_on(request, chunks)

    assert shown_text(chunks) == "Short."
    assert shown_text(chunks) == (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"][-1]["text"]


async def test_a_tool_call_of_the_next_attempt_is_shown_at_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}))
    acme.double.answer(Text("# Tea"), when=lambda request: "<instruction>" in request.user_text)
    acme.double.answer(Text("Done."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await take_over(acme)
        chunks += await socket.chunks_on(request, chunks)

    kinds = [kind for kind, _ in groupby(chunk["type"] for chunk in chunks)]
    assert kinds[kinds.index("reset-step") + 1] == "tool-input-available"
    assert shown_text(chunks) == "Done."


async def test_a_stop_keeps_the_longer_text(acme: Workspace, alice: Browser, chat_id: str) -> None:
    halfway = Gate("halfway")
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(Text("The second "), halfway, Gate("never"))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await take_over(acme)
        await halfway.reached.wait_async()
        await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        chunks += await socket.chunks_on(request, chunks)

    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert [part["text"] for part in parts if part["type"] == "text"] == [FIRST]
    assert shown_text(chunks) == FIRST


async def test_a_lost_owners_call_is_booked_by_what_was_sent_and_shown(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(script.Usage(reported=False), Text(FIRST * 40), Gate("never"))
    acme.double.answer(Text(SECOND))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await take_over(acme)
        await socket.chunks_on(request, chunks)

    lost_call, last_call = await ledger(acme)
    assert (lost_call.error_code, lost_call.finish_reason, lost_call.is_estimated, lost_call.attempts) == ("owner_lost", "", True, 1)
    assert (last_call.error_code, last_call.finish_reason) == ("", "stop")
    assert (lost_call.provider, lost_call.model, lost_call.step) == (last_call.provider, last_call.model, last_call.step)
    assert lost_call.usage["output_tokens"] == pytest.approx(count_tokens(FIRST * 40), rel=0.15)
    assert lost_call.usage["input_tokens"] > 1000
    assert lost_call.cost_usd
    await usage_is_the_sum(acme)


async def test_a_call_that_no_heartbeat_has_seen_is_booked_by_what_was_sent(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Gate("never"))
    acme.double.answer(Text(SECOND))

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        chunks = await socket.chunks(request, until=lambda chunk: chunk["type"] == "start-step")
        [run] = await acme.rows(Run)
        async with asyncio.timeout(60):
            while not await read_log(run.pk):  # noqa: ASYNC110 - otherwise the step is lost with its owner, and the socket closes
                await asyncio.sleep(0.02)
        await take_over(acme)
        await socket.chunks_on(request, chunks)

    lost_call, last_call = await ledger(acme)
    assert (lost_call.error_code, last_call.error_code) == ("owner_lost", "")
    assert lost_call.usage["input_tokens"] > 1000
    await usage_is_the_sum(acme)


async def test_two_lost_owners_leave_two_calls_and_each_is_booked_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(Text(FIRST_HALF, pieces=[FIRST_HALF]), Gate("never"))
    acme.double.answer(Text(SECOND))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await take_over(acme)
        await run_with_open_parts(acme, 2)
        await take_over(acme)
        chunks += await socket.chunks_on(request, chunks)

    assert [call.error_code for call in await ledger(acme)] == ["owner_lost", "owner_lost", ""]
    assert lengths(chunks) == sorted(lengths(chunks))
    assert shown_text(chunks) == SECOND
    assert not await in_db(OpenText.objects.exists, organization_id=acme.organization.pk)
    await usage_is_the_sum(acme)


async def test_a_call_that_had_ended_is_booked_as_it_ended_and_the_model_is_asked_again(
    acme: Workspace, alice: Browser, chat_id: str
) -> None:
    """Both were paid. The one whose answer nobody stored has no request in the log, by which the soak tells them apart."""
    start_gate = Gate("begun")
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(start_gate, Text(SECOND))
    acme.double.answer(Text(SECOND))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await take_over(acme)
        await start_gate.reached.wait_async()
        with connect(connections["default"].settings_dict["NAME"]) as owner, owner.transaction():
            owner.execute("lock table chat_part in share mode")  # the answer is not stored
            start_gate.release()
            async with asyncio.timeout(60):
                while "stop" not in await noted_ends(acme):  # noqa: ASYNC110 - the database tells nobody
                    await asyncio.sleep(0.02)
            await take_over(acme)
        chunks += await socket.chunks_on(request, chunks)

    calls = await ledger(acme)
    assert [(call.error_code, call.finish_reason, bool(call.prompt_hash)) for call in calls] == [
        ("owner_lost", "", False),
        ("", "stop", False),
        ("", "stop", True),
    ]
    assert shown_text(chunks) == SECOND
    await usage_is_the_sum(acme)


async def test_a_handed_over_call_is_booked_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))
    acme.double.answer(Text(SECOND))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await broken_off(socket, chat_id, acme)
        await RunSupervisor.current().drain(0)
        claim = await in_db(lease_claim, (await acme.rows(Run))[-1].pk, using="system")
        assert claim is not None
        _ = RunSupervisor().start(claim)
        await socket.chunks_on(request, chunks)

    assert [call.error_code for call in await ledger(acme)] == ["stopped", ""]
    await usage_is_the_sum(acme)


async def test_a_lost_run_that_is_not_continued_has_its_call_booked(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text(FIRST, pieces=[FIRST]), Gate("never"))

    async with chat_socket(alice, "acme") as socket:
        await broken_off(socket, chat_id, acme)
        run_id = (await acme.rows(Run))[-1].pk
        await in_db(lambda: Run.unscoped.using("system").filter(pk=run_id).update(takeovers=99), using="system")
        await take_over(acme)
        await acme.wait_for_row(Run, lambda row: not row.is_active)

    assert [call.error_code for call in await ledger(acme)] == ["owner_lost"]
    await usage_is_the_sum(acme)


async def test_a_lost_sub_agents_call_is_booked(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}))
    acme.double.answer(Text("# Tea and "), Gate("never"), when=lambda request: "<instruction>" in request.user_text)
    acme.double.answer(Text("# Tea"), when=lambda request: "<instruction>" in request.user_text)
    acme.double.answer(Text("Done."))

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        chunks = await socket.chunks(request, until=lambda chunk: chunk["type"] == "data-artifact-delta")
        async with asyncio.timeout(60):
            while "sub_agent" not in await noted_kinds(acme):  # noqa: ASYNC110 - the database tells nobody
                await asyncio.sleep(0.02)
        await take_over(acme)
        await socket.chunks_on(request, chunks)

    calls = [call for call in await acme.rows(ModelCall) if call.kind == ModelCall.Kind.SUB_AGENT]
    assert [call.error_code for call in calls] == ["owner_lost", ""]
    assert calls[0].parent_call_id == calls[1].parent_call_id
    assert calls[0].usage["output_tokens"] > 0
    await usage_is_the_sum(acme)
