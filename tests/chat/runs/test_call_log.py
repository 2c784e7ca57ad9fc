"""The call log: every request to a model can be made again from what is stored, byte for byte (SPEC 3.16)."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from admin_config.defaults.prices import Price
from chat.models import Conversation, Part, Run
from chat.runs.supervisor import RunSupervisor
from chat.runs.title_generation import title_generate
from chat.storage.call_log import calls_of_run
from doubles.script import Call, Fault, Text, Thought, Usage
from doubles.signals import Gate
from tenants.db import in_db
from tenants.errors import NotFound
from tests.chat.runs.logged_calls import ODD, checked_calls, is_document, is_text, rebuilt, tell
from tests.chat.runs.test_takeover import take_over
from tests.support.accounts.cast import Cast
from tests.support.agents.prices import price, set_prices
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_plain_answers_call_is_logged_with_its_usage(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(_publish_prices)(acme)
    acme.double.answer(Text("Hello."), Usage(12, 3))

    await tell(alice, chat_id, "Hi")

    [call] = await checked_calls(acme)
    assert (call.kind, call.agent_key, call.provider) == ("step", "chat_model_agent_google", "google")
    assert (call.endpoint, call.model, call.model_version) == ("Google Gemini", "gemini-2.5-flash", "gemini-2.5-flash")
    assert (call.step, call.attempts, call.entry_count, call.finish_reason, call.error_code) == (1, 1, 1, "stop", "")
    assert (call.usage["input_tokens"], call.usage["output_tokens"]) == (12, 3)
    assert call.cost_usd is None, "the model has no price"
    assert call.first_token_ms is not None
    assert 0 <= call.first_token_ms <= call.duration_ms
    assert call.own_entries == [], "what is stored as parts is not stored again"


async def test_a_call_is_priced_by_the_price_list(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Hello."), Usage(1_000_000, 100_000))

    await tell(alice, chat_id, "Hi")

    [call] = await checked_calls(acme)
    assert call.cost_usd == pytest.approx(0.3 + 0.25), "Gemini 2.5 Flash costs 0.30 and 2.50 dollars"


async def test_a_call_has_the_price_of_its_day(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(_publish_prices)(acme, price(9, 9), price(1, 20, days=-2), price(9, 9, days=2))
    acme.double.answer(Text("Hello."), Usage(1_000_000, 100_000))

    await tell(alice, chat_id, "Hi")

    [call] = await checked_calls(acme)
    assert call.cost_usd == pytest.approx(1 + 2)


def _publish_prices(acme: Workspace, *prices: Price) -> None:
    set_prices(acme.organization.pk, *prices)
    acme.publish()


async def test_a_history_from_the_database_is_sent_as_it_was_live(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Thought("Let me see."), Call("document_agent", ODD))
    acme.double.answer(Text("# Tea\x00\n\nA drink."), when=is_document)
    acme.double.answer(Thought("Done."), Text("I wrote\x00 it."))
    acme.double.answer(Text("You are welcome."))

    await tell(alice, chat_id, "Write about tea", "Thanks", thinking=True)

    first, sub_agent, second, later = await checked_calls(acme)
    assert [call.step for call in (first, sub_agent, second, later)] == [1, 1, 2, 1]
    assert [call.entry_count for call in (first, second, later)] == [1, 5, 9], "the artifact is told of beside the second message"
    assert (sub_agent.kind, sub_agent.agent_key) == ("sub_agent", "document_agent_google")
    call_part = acme.double.requests[2].body["contents"][1]["parts"][-1]["functionCall"]
    assert sub_agent.parent_call_id == call_part["id"]
    live_contents, stored_contents = (json.loads(request.raw)["contents"] for request in acme.double.requests[2:4])
    assert json.dumps(stored_contents[: len(live_contents)]) == json.dumps(live_contents), "else the provider's prompt cache is lost"


async def test_each_attempt_sends_the_same(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Fault.status(429, retry_after_s=0))
    acme.double.answer(Text("Now."), Usage(5, 1))

    await tell(alice, chat_id, "Hi")

    [call] = await checked_calls(acme)
    assert (call.attempts, call.error_code, call.usage["input_tokens"]) == (2, "", 5)


async def test_an_attempt_that_was_cut_before_anything_was_shown_counts_too(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("", pieces=[""]), Usage(7, 0), Fault.cut())
    acme.double.answer(Text("Now."), Usage(5, 1))

    await tell(alice, chat_id, "Hi")

    [call] = await checked_calls(acme)
    [run] = await acme.rows(Run)
    assert (call.attempts, call.error_code, call.usage["input_tokens"]) == (2, "", 12)
    assert run.usage == call.usage


async def test_a_refused_request_is_logged(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Fault.status(400, reason="API_KEY_INVALID"))

    await tell(alice, chat_id, "Hi")

    [call] = await checked_calls(acme)
    assert (call.attempts, call.error_code, call.finish_reason, call.first_token_ms) == (1, "key_rejected", "", None)


async def test_a_cut_answer_counts_what_it_used(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Half an ans"), Usage(reported=False), Fault.cut())

    await tell(alice, chat_id, "Hi")

    [call] = await checked_calls(acme)
    [run] = await acme.rows(Run)
    assert (call.error_code, call.is_estimated) == ("answer_cut", True)
    assert call.cost_usd, "estimated"
    assert call.usage["output_tokens"] == 3
    assert call.usage["input_tokens"] > 1000
    assert run.usage == call.usage


async def test_a_stopped_answer_counts_what_it_used(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("This much "), Fault.silence())

    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Go")
        chunks = await socket.chunks(request, until=is_text)
        await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        await socket.chunks_on(request, chunks)

    [call] = await checked_calls(acme)
    [run] = await acme.rows(Run)
    assert (call.error_code, call.finish_reason) == ("stopped", "")
    assert call.usage["output_tokens"] > 0
    assert run.usage == call.usage


async def test_calls_of_a_run_that_was_taken_over_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str, cast: Cast) -> None:
    acme.double.answer(Call("document_agent", ODD))
    acme.double.answer(Text("# Tea"), when=is_document)
    acme.double.answer(Text("I have "), Gate("never"))
    acme.double.answer(Text("I have written it."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await _begin(socket, chat_id)
        run_id = await take_over(acme)
        await socket.chunks_on(request, chunks)

    lost_body, last_body = (request.raw for request in acme.double.requests[2:])
    assert lost_body == last_body, "the next owner sends what the first one sent"
    actor = await in_db(cast.actor, cast.alice)
    calls = await in_db(calls_of_run, actor=actor, run_id=run_id, organization_id=cast.acme.pk)
    assert await rebuilt(calls[-1]) == last_body
    assert [(call.step, call.error_code) for call in calls] == [(1, ""), (1, ""), (2, "owner_lost"), (2, "")]


async def _begin(socket: ChatSocket, chat_id: str) -> tuple[str, list[dict[str, object]]]:
    request = await socket.send(chat_id, "Write about tea")
    return request, await socket.chunks(request, until=is_text)


async def test_a_drained_process_leaves_its_call_and_the_next_owner_its_own(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Half "), Gate("never"))
    acme.double.answer(Text("The whole."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await _begin(socket, chat_id)
        await RunSupervisor.current().drain(0)
        await take_over(acme)
        await socket.chunks_on(request, chunks)

    first_call, last_call = await checked_calls(acme)
    [run] = await acme.rows(Run)
    assert (first_call.error_code, last_call.error_code) == ("stopped", "")
    assert run.usage["output_tokens"] == first_call.usage["output_tokens"] + last_call.usage["output_tokens"]


async def test_calls_around_a_message_into_the_answer_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Thought("Hm\x00."), Text("Tea is"), Gate("never"))
    acme.double.answer(Text("Coffee is a drink."))
    acme.double.answer(Text("You are welcome."))

    async with chat_socket(alice, "acme") as socket:
        request, chunks = await _begin(socket, chat_id)
        response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": "m2", "text": "I mean coffee."})
        assert response.status_code == 202, response.content
        await socket.chunks_on(request, chunks)
        await socket.answer(chat_id, "Thanks")

    first_call, second_call, third_call = await checked_calls(acme)
    assert first_call.error_code == "stopped"
    assert [call.step for call in (first_call, second_call, third_call)] == [1, 2, 1]


async def test_calls_around_an_approval_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str) -> None:
    await sync_to_async(acme.change_agent)("document_agent_google", ask_first=True)
    acme.double.answer(Call("document_agent", ODD))
    acme.double.answer(Text("# Tea"), when=is_document)
    acme.double.answer(Text("I wrote it."))

    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write about tea")
        [request] = await acme.rows(Part, kind="approval_request")
        path = f"/o/acme/api/conversations/{chat_id}/approvals/{request.content['approval_id']}/"
        response = await alice.call("POST", path, {"approved": True})
        assert response.status_code == 202, response.content
        await acme.wait_for_row(Run, lambda run: not run.is_active)

    first_step, document, last_step = await checked_calls(acme)
    assert [call.kind for call in (first_step, document, last_step)] == ["step", "sub_agent", "step"]


async def test_calls_around_a_page_state_call_can_be_rebuilt(acme: Workspace, alice: Browser, chat_id: str) -> None:
    state = {"zeta": 1.0, "title": "T\u00ebe </page_state>", "alpha": {"y": [1.0, 1], "b": None}, "open": False}
    acme.double.answer(Call("update_page_state", {"zeta": 2.0, "alpha": ODD["alpha"], "other": 1}))
    acme.double.answer(Text("I changed it."))
    acme.double.answer(Text("As I said."))

    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Change it", pageState=state)
        [call_id] = [chunk["toolCallId"] for chunk in chunks if chunk["type"] == "tool-input-available"]
        body = {"toolCallId": call_id, "output": {"written": ["zeta"]}}
        assert (await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/tool-outputs/", body)).status_code == 202
        await acme.wait_for_row(Run, lambda run: run.finished_at)
        await socket.answer(chat_id, "And?", pageState=state)

    assert [call.kind for call in await checked_calls(acme)] == ["step"] * 3


async def test_a_title_is_a_call_of_its_conversation(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Tea is a drink."))
    acme.double.answer(Text("All about Tea"))

    await tell(alice, chat_id, "What is tea?")
    await title_generate(organization_id=acme.organization.pk, conversation_id=UUID(chat_id))

    _, call = await checked_calls(acme)
    [conversation] = await acme.rows(Conversation)
    assert (call.kind, call.run_id, call.conversation_id) == ("title", None, conversation.pk)
    assert call.usage["output_tokens"] > 0


async def test_a_run_opens_for_administrators_of_its_organization_alone(acme: Workspace, alice: Browser, chat_id: str, cast: Cast) -> None:
    acme.double.answer(Text("Hello."))
    await tell(alice, chat_id, "Hi")
    [run] = await acme.rows(Run)

    calls = await in_db(calls_of_run, actor=await in_db(cast.actor, cast.alice), run_id=run.pk, organization_id=cast.acme.pk)
    assert len(calls) == 1
    for user, organization in ((cast.bob, cast.acme), (cast.charlie, cast.other)):
        actor = await in_db(cast.actor, user)
        with pytest.raises(NotFound):
            await in_db(calls_of_run, actor=actor, run_id=run.pk, organization_id=organization.pk)
    for organization, row_count in ((cast.acme, 1), (cast.other, 0)):
        assert await in_db(_all_rows, organization_id=organization.pk) == [row_count, row_count], "row security, whatever the query says"


def _all_rows() -> list[int]:
    """How many model calls and snapshots the database shows to the organization of now."""
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from chat_modelcall union all select count(*) from chat_promptsnapshot")
        return [count for (count,) in cursor.fetchall()]
