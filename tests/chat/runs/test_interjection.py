"""A message that is sent while an answer is being written: heard at once, never lost, on screen where it came (SPEC 3.10)."""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import uuid4

import pytest

from agents.engine.open_calls import INTERRUPTED
from chat.models import Part, Run, RunInput
from chat.runs.run_inputs import run_message_send
from chat.stream.event_log import signal_input
from doubles.script import Call, Pacing, Text
from doubles.signals import Gate
from tenants.access import Actor
from tenants.db import in_db
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.suite.time_limits import scaled_to_load
from tests.system.shown_message import shown_parts

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

CREATE = Call("document_agent", {"operation": "create", "title": "Plan", "instruction": "Write it."})


@pytest.fixture
def actor(cast: Cast) -> Actor:
    return cast.actor(cast.alice)


def is_text(chunk: dict[str, object]) -> bool:
    return chunk["type"] == "text-delta"


def is_delta(chunk: dict[str, object]) -> bool:
    return chunk["type"] == "data-artifact-delta"


async def say(browser: Browser, chat_id: str, text: str, message_id: str = "") -> Any:
    return await browser.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": message_id or uuid4().hex, "text": text})


async def begin(socket: ChatSocket, chat_id: str, until: Any = is_text) -> tuple[str, list[dict[str, Any]]]:
    request = await socket.send(chat_id, "Go")
    return request, await socket.chunks(request, until=until)


async def stored_parts(browser: Browser, chat_id: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = (await browser.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    return parts


async def test_a_message_interrupts_the_model_at_once_and_is_the_next_input_of_the_run(
    acme: Workspace, alice: Browser, chat_id: str
) -> None:
    acme.double.answer(Text("Once upon a time "), Gate("never"))
    acme.double.answer(Text("All right, shorter."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        start_time = time.monotonic()
        response = await say(alice, chat_id, "Shorter, please.", "m1")
        await acme.double.requests[0].disconnected.wait_async()
        latency_s = time.monotonic() - start_time
        chunks += await socket.chunks_on(request, chunks)

    assert response.status_code == 202
    assert latency_s < scaled_to_load(1), "the provider is left within a second"
    contents = acme.double.requests[1].body["contents"]
    assert [content["parts"][0]["text"] for content in contents] == ["Go", "Once upon a time ", "Shorter, please."]
    parts = await stored_parts(alice, chat_id)
    assert [part["type"] for part in parts] == ["step-start", "text", "steering-message", "step-start", "text"]
    assert parts == shown_parts(chunks), "what is stored is what was shown"
    assert [run.status for run in await acme.rows(Run)] == ["done"]


async def test_a_message_interrupts_a_working_tool_and_the_model_is_told(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(CREATE)
    acme.double.answer(Text("The plan: first "), Gate("never"))
    acme.double.answer(Text("I stopped writing."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id, is_delta)
        await say(alice, chat_id, "Stop that, I have one already.")
        await acme.double.requests[1].disconnected.wait_async()
        chunks += await socket.chunks_on(request, chunks)

    result, message = [content["parts"][0] for content in acme.double.requests[2].body["contents"][-2:]]
    assert result["functionResponse"]["response"] == {"error": INTERRUPTED}
    assert message == {"text": "Stop that, I have one already."}
    parts = await stored_parts(alice, chat_id)
    assert parts == shown_parts(chunks)
    [artifact] = [part["data"] for part in parts if part["type"] == "data-artifact"]
    assert (artifact["status"], artifact["version"]) == ("stopped", 1), "what was written is kept as a draft"


async def test_the_same_message_sent_twice_is_delivered_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("One "), Gate("never"))
    acme.double.answer(Text("Two."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        first = await say(alice, chat_id, "Hear me.", "same")
        await socket.chunks_on(request, chunks)
    again = await say(alice, chat_id, "Hear me.", "same")

    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json()["runId"] == first.json()["runId"]
    assert len(await acme.rows(RunInput)) == 1


async def test_a_message_into_a_finished_answer_is_refused(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Done."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Go")
    late = await say(alice, chat_id, "Too late?")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "run_over")


async def test_only_who_may_write_here_can_send_into_an_answer(
    acme: Workspace, alice: Browser, bob: Browser, vera: Browser, charlie: Browser, chat_id: str
) -> None:
    gate = Gate()
    acme.double.answer(Text("Mine "), gate, Text("alone."))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        statuses = {name: (await say(who, chat_id, "Hi")).status_code for name, who in [("bob", bob), ("vera", vera), ("charlie", charlie)]}
        empty = await say(alice, chat_id, "  ")
        gate.release()
        await socket.chunks_on(request, chunks)
    assert statuses == {"bob": 404, "vera": 403, "charlie": 404}
    assert empty.status_code == 400
    assert await acme.rows(RunInput) == []


async def test_a_message_at_the_last_moment_keeps_the_run_from_ending(acme: Workspace, alice: Browser, actor: Actor, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("Nearly "), gate, Text("done."))
    acme.double.answer(Text("And this too."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        # Stored, and nobody woken: the end of the run has to find it.
        await send_silently(acme, actor, chat_id, "One more thing.")
        gate.release()
        chunks += await socket.chunks_on(request, chunks)

    parts = await stored_parts(alice, chat_id)
    assert [part["type"] for part in parts] == ["step-start", "text", "steering-message", "step-start", "text"]
    assert parts == shown_parts(chunks)


async def test_another_process_wakes_the_owner(acme: Workspace, alice: Browser, actor: Actor, chat_id: str) -> None:
    acme.double.answer(Text("Here "), Gate("never"))
    acme.double.answer(Text("Heard."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        run_id = await send_silently(acme, actor, chat_id, "From afar.")
        await signal_input(run_id)
        await acme.double.requests[0].disconnected.wait_async()
        await socket.chunks_on(request, chunks)


async def test_without_redis_the_owner_finds_the_message_when_it_renews_its_lease(
    acme: Workspace, alice: Browser, actor: Actor, chat_id: str
) -> None:
    acme.double.answer(Text("Here "), Gate("never"))
    acme.double.answer(Text("Heard."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await send_silently(acme, actor, chat_id, "From afar.")
        await socket.chunks_on(request, chunks)


async def test_what_a_stopped_answer_did_not_hear_is_kept_in_it(acme: Workspace, alice: Browser, actor: Actor, chat_id: str) -> None:
    acme.double.answer(Text("Slow "), Gate("never"))
    acme.double.answer(Text("Yes, I know."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        async with asyncio.TaskGroup() as both:
            both.create_task(send_silently(acme, actor, chat_id, "My name is Ada."))
            both.create_task(alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/"))
        chunks += await socket.chunks_on(request, chunks)
        parts = await stored_parts(alice, chat_id)
        await socket.answer(chat_id, "Do you know my name?")

    kinds = [part["type"] for part in parts]
    assert kinds == ["step-start", "text", "steering-message", "data-notice"]
    assert parts == shown_parts(chunks)
    assert "My name is Ada." in str(acme.double.requests[-1].body["contents"])


async def test_positions_stay_gapless(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("A "), Gate("never"))
    acme.double.answer(Text("B."))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await asyncio.gather(*(say(alice, chat_id, f"Number {number}.") for number in range(3)))
        await socket.chunks_on(request, chunks)
    answer_id = (await acme.rows(Run))[0].answer_id
    positions = [part.position for part in await acme.rows(Part, message_id=answer_id)]
    assert sorted(positions) == list(range(len(positions)))


async def send_silently(acme: Workspace, actor: Actor, chat_id: str, text: str) -> Any:
    """Store a message for the run and wake nobody; return the run's id."""
    delivery = await in_db(
        lambda: run_message_send(actor=actor, key=chat_id, text=text, client_id=uuid4().hex), organization_id=acme.organization.pk
    )
    return delivery.run_id


async def test_stop_ends_a_slow_model_and_a_sleeping_tool_within_a_second(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """SECURITY 24, with a provider that drips and with an agent that works for the chat agent."""
    drip = Pacing(first_token_s=0.0, tokens_per_s=10)
    acme.double.answer(Text("slow " * 200), pacing=drip)
    acme.double.answer(CREATE)
    acme.double.answer(Text("slow " * 200), pacing=drip)

    for number, until in [(0, is_text), (2, is_delta)]:
        async with chat_socket(alice, "acme") as socket:
            request, chunks = await begin(socket, chat_id, until)
            start_time = time.monotonic()
            await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
            await acme.double.requests[number].disconnected.wait_async()
            assert time.monotonic() - start_time < scaled_to_load(1)
            chunks += await socket.chunks_on(request, chunks)
            assert chunks[-1]["finishReason"] == "interrupted"
