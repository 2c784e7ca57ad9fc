"""A message's way through the socket: stored, streamed, replayed, sent once."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from chat.models import Message, ModelCall, Run
from chat.stream.event_log import LogKeys
from doubles.script import Call, Fault, Text, Thought
from doubles.signals import Gate
from tenants.redis.clients import redis_client
from tests.support.chat.chat_socket import Browser, chat_socket, text_of, types_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def is_text(chunk: dict[str, object]) -> bool:
    return chunk["type"] == "text-delta"


async def test_an_answer_streams_and_is_stored_as_it_was_shown(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Hello **Alice**."))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi!")

    assert types_of(chunks) == ["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"]
    assert text_of(chunks) == "Hello **Alice**."
    conversation = await alice.get(f"/o/acme/api/conversations/{chat_id}/")
    assert [message["role"] for message in conversation["messages"]] == ["user", "assistant"]
    assert conversation["messages"][1]["id"] == chunks[0]["messageId"]
    assert conversation["messages"][1]["parts"] == [{"type": "step-start"}, {"type": "text", "text": "Hello **Alice**.", "state": "done"}]
    assert conversation["messages"][1]["metadata"]["release"] == chunks[0]["messageMetadata"]["release"]
    assert not conversation["activeRun"]


async def test_thinking_is_shown_when_the_user_asks_for_it(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Thought("Let me see."), Text("Four."))
    acme.double.answer(Thought("Hidden."), Text("Five."))

    async with chat_socket(alice, "acme") as socket:
        with_thinking = await socket.answer(chat_id, "2+2?", thinking=True)
        without = await socket.answer(chat_id, "2+3?")

    assert [chunk["delta"] for chunk in with_thinking if chunk["type"] == "reasoning-delta"] != []
    assert "reasoning-start" not in types_of(without)
    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert parts[1]["type"] == "reasoning"
    assert parts[1]["text"] == "Let me see."
    assert parts[1]["providerMetadata"]["parley"]["durationMs"] >= 0


async def test_the_next_message_carries_the_whole_branch(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Noted."))

    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "My name is Ada.")
        await socket.answer(chat_id, "What is my name?")

    contents = acme.double.requests[-1].body["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user"]
    assert contents[0]["parts"][0]["text"] == "My name is Ada."


async def test_a_late_viewer_gets_the_whole_answer_and_the_live_rest(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("The beginning "), gate, Text("and the end."))

    async with chat_socket(alice, "acme") as first, chat_socket(alice, "acme") as second:
        request = await first.send(chat_id, "Go")
        early = await first.chunks(request, until=is_text)
        resume_request = await second.resume(chat_id)
        replay = await second.chunks(resume_request, until=is_text)
        gate.release()
        late = replay + await second.chunks_on(resume_request, replay)

    assert late[0] == early[0], "a replay begins with the same start chunk, so that the client keeps one message"
    assert text_of(late) == "The beginning and the end."
    assert late[-1]["type"] == "finish"


async def test_a_closed_socket_does_not_end_the_run(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("Before "), gate, Text("after."))

    async with chat_socket(alice, "acme") as first:
        await first.chunks(await first.send(chat_id, "Go"), until=is_text)
    gate.release()
    async with chat_socket(alice, "acme") as second:
        chunks = await second.chunks(await second.resume(chat_id))

    assert text_of(chunks) == "Before after."


async def test_resume_of_an_idle_conversation_says_so(acme: Workspace, alice: Browser, chat_id: str) -> None:
    async with chat_socket(alice, "acme") as socket:
        request = await socket.resume(chat_id)
        assert await socket.receive() == {"type": "no-active", "requestId": request}


async def test_the_same_message_id_is_sent_once(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Once."))
    message_id = uuid4().hex

    async with chat_socket(alice, "acme") as socket:
        first = await socket.answer(chat_id, "Hi", message_id=message_id)
        again = await socket.answer(chat_id, "Hi", message_id=message_id)

    assert text_of(again) == text_of(first) == "Once."
    assert len(acme.double.requests) == 1
    assert len(await acme.rows(Message)) == 2


async def test_a_second_message_while_an_answer_runs_is_refused_in_words(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("Busy"), gate)

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        await socket.chunks(request, until=is_text)
        second_request = await socket.send(chat_id, "And this?")
        frame = await socket.receive()
        gate.release()

    assert frame["requestId"] == second_request
    assert "still being written" in frame["errorText"]


async def test_stop_keeps_the_partial_text_and_closes_the_provider(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("This much "), Fault.silence())

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        chunks = await socket.chunks(request, until=is_text)
        response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        chunks += await socket.chunks_on(request, chunks)

    assert response.json() == {"stopping": True}
    await acme.double.requests[0].disconnected.wait_async()
    assert chunks[-1]["type"] == "finish"
    assert chunks[-1]["finishReason"] == "interrupted"
    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert [part.get("text") or part.get("data", {}).get("code") for part in parts[1:]] == ["This much ", "stopped"]


async def test_a_provider_error_is_a_sentence_and_the_question_is_kept(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Fault.status(400, reason="API_KEY_INVALID"))
    acme.double.answer(Text("Now it works."))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")
        retry_chunks = await socket.chunks(await socket.regenerate(chat_id))

    assert chunks[-1]["type"] == "error"
    assert "key" in chunks[-1]["errorText"]
    notice = next(chunk["data"] for chunk in chunks if chunk["type"] == "data-notice")
    assert (notice["code"], notice["level"], notice["action"]) == ("key_rejected", "error", "settings")
    assert text_of(retry_chunks) == "Now it works."
    messages = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant"], "the new answer stands in place of the failed one"


async def test_a_cut_stream_is_marked_and_its_text_kept(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Half an ans"), Fault.cut())

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")

    assert text_of(chunks) == "Half an ans"
    assert chunks[-1]["type"] == "error"
    assert [run.status for run in await acme.rows(Run)] == ["failed"]


async def test_a_document_is_written_into_the_panel_and_changed(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}))
    acme.double.answer(Text("# Tea\n\nTea is 🍵 a drink."), when=lambda request: "<instruction>" in request.user_text)
    acme.double.answer(Text("I wrote it."))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Write a document about tea")

    artifact = next(chunk["data"] for chunk in chunks if chunk["type"] == "data-artifact")
    content = ""
    for chunk in chunks:
        if chunk["type"] == "data-artifact-delta":
            units = content.encode("utf-16-le")[: 2 * chunk["data"]["at"]]
            content = units.decode("utf-16-le") + chunk["data"]["delta"]
    assert content == "# Tea\n\nTea is 🍵 a drink."
    assert [chunk["data"]["status"] for chunk in chunks if chunk["type"] == "data-artifact"][-1] == "ready"
    assert text_of(chunks) == "I wrote it."
    document = await alice.get(f"/o/acme/api/artifacts/{artifact['id']}/")
    assert document["content"] == content
    assert document["latestVersion"] == 1
    assert len(await acme.rows(ModelCall)) == 3, "the document agent's own call is in the call log too"


async def test_text_that_the_database_cannot_hold_is_cleaned_not_lost(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Before\x00after"))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Hi")

    assert chunks[-1]["type"] == "finish"
    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert parts[1]["text"] == text_of(chunks) == "Beforeafter"


async def test_an_answer_that_has_just_ended_is_replayed_from_its_rows_when_its_log_is_gone(
    acme: Workspace, alice: Browser, chat_id: str
) -> None:
    acme.double.answer(Thought("Hm."), Text("Whole."))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Go", thinking=True)
        run = (await acme.rows(Run))[-1]
        await redis_client().delete(LogKeys.of(run.pk).log)
        again = await socket.chunks(await socket.resume(chat_id))

    assert (types_of(again), text_of(again)) == (types_of(chunks), "Whole.")
    assert again[0]["messageId"] == chunks[0]["messageId"]


async def test_a_whole_history_may_come_with_a_message(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """As the SDK's own transport sends it. What is not a message stays small."""
    acme.double.answer(Text("Yes."))
    text = [{"type": "text", "text": "x" * 2000}]
    history = [{"id": f"m{place}", "role": ("user", "assistant")[place % 2], "parts": text} for place in range(400)]
    last = {"id": "last", "role": "user", "parts": [{"type": "text", "text": "And now?"}]}

    async with chat_socket(alice, "acme") as socket:
        request = await socket.frame("send", id=chat_id, trigger="submit-message", messages=[*history, last], headers={}, body={})
        assert text_of(await socket.chunks(request)) == "Yes."
        await socket.frame("resume", id=chat_id, headers={"x": "x" * 70_000}, body={})
        no_message = await socket.receive()
        await socket.frame("send", id=chat_id, trigger="submit-message", messages=[*history, *history, last], headers={}, body={})
        close_event = await socket.socket.receive_output(timeout=60)

    assert "Only a message" in no_message["errorText"]
    assert (close_event["type"], close_event["code"]) == ("websocket.close", 1009)
    assert [content["parts"][-1]["text"] for content in acme.double.requests[0].contents] == ["And now?"]


@pytest.mark.parametrize("place", ["rows", "log"])
async def test_a_long_answer_is_opened_again_in_frames_of_32_kb(place: str, acme: Workspace, alice: Browser, chat_id: str) -> None:
    text = '\u00e9\u4e2d\U0001f375\x1f"' * 40_000  # 0.7 MB as JSON
    pieces = [text[start : start + 20_000] for start in range(0, len(text), 20_000)]
    acme.double.answer(Thought(pieces[0], pieces=pieces[:1]), Text(text, pieces=pieces))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Go", thinking=True)
        run = (await acme.rows(Run))[-1]
        if place == "rows":
            await redis_client().delete(LogKeys.of(run.pk).log)
        request = await socket.resume(chat_id)
        frames: list[str] = []
        while not frames or '"type":"end"' not in frames[-1]:
            frames.append(str(await socket.socket.receive_from(timeout=60)))
    chunks = [json.loads(frame)["chunk"] for frame in frames if request in frame and '"chunk"' in frame]
    assert text_of(chunks) == text
    assert max(len(frame.encode()) for frame in frames) <= 32_768
