"""When an answer of the OpenAI-compatible API ends before it is complete: its token goes, its client leaves."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from django.test import AsyncClient

from agents.runtime.key_lookup import NO_KEYS
from agents.runtime.request_overrides import RequestOverrides
from chat.models import Message, Run
from chat.openai_api.agent_completion import AgentCompletion
from chat.openai_api.agent_questions import ParsedTurn, Question
from chat.openai_api.message_counting import MessageCount
from chat.openai_api.model_catalogue import catalogue_load
from chat.runs import commands
from doubles.script import Text
from doubles.signals import Gate
from security.api_tokens import api_token_revoke
from tenants.access import Actor
from tenants.db import in_db
from tests.chat.api.test_token_streams import bob, token_of
from tests.chat.openai_api.openai_requests import TOOL, ask, stream_events, user
from tests.support.chat.workspace import Workspace

__all__ = ["bob"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.mark.parametrize("fields", [{}, {"tools": [TOOL]}], ids=["agent", "tools"])
async def test_a_stream_ends_with_its_token_and_its_work_with_it(fields: dict[str, Any], acme: Workspace, bob: Actor) -> None:
    gate = Gate()
    acme.double.answer(Text("One ", pieces=["One "]), gate, Text("two."))
    token, headers = await token_of(bob)
    body = {"model": "chat_model_agent", "messages": [user("Hi")], "stream": True, **fields}
    response = await AsyncClient().post("/v1/chat/completions", body, content_type="application/json", headers=headers)
    reading = asyncio.ensure_future(stream_events(response))
    await gate.reached.wait_async()

    await in_db(api_token_revoke, actor=bob, token_id=token.pk, organization_id=bob.organization_id)
    done, _ = await asyncio.wait({reading}, timeout=60)
    await acme.double.requests[-1].disconnected.wait_async()
    gate.release()

    assert done == {reading}
    assert reading.cancelled()
    if not fields:
        await acme.wait_for_row(Run, lambda run: run.status == Run.Status.STOPPED)


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_that_has_not_begun_ends_with_its_token(stream: bool, acme: Workspace, bob: Actor) -> None:
    gate = Gate()
    acme.double.answer(gate, Text("Too late."))
    token, headers = await token_of(bob)
    body = {"model": "chat_model_agent", "messages": [user("Hi")], "stream": stream}
    asking = asyncio.ensure_future(AsyncClient().post("/v1/chat/completions", body, content_type="application/json", headers=headers))
    await gate.reached.wait_async()

    await in_db(api_token_revoke, actor=bob, token_id=token.pk, organization_id=bob.organization_id)
    async with asyncio.timeout(60):
        response = await asking

    assert (response.status_code, response.json()["error"]["type"]) == (401, "authentication_error")
    await acme.wait_for_row(Run, lambda run: run.status == Run.Status.STOPPED)
    gate.release()


async def test_a_client_that_disconnects_while_its_question_is_stored_leaves_no_run(acme: Workspace, bob: Actor) -> None:
    acme.double.answer(Gate("never"))
    catalogue = await in_db(catalogue_load, bob, organization_id=bob.organization_id)
    turns = [ParsedTurn(Message.Role.USER, "Hi")]
    question = Question(
        turns=turns,
        model_config_id=catalogue.model("chat_model_agent").id,
        assistant="",
        thinking=False,
        request_overrides=RequestOverrides(),
    )
    asking = asyncio.ensure_future(AgentCompletion.begin(bob, question, NO_KEYS, MessageCount(bob, None, ()), streamed=False))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    assert asking.cancelled()
    await acme.wait_for_row(Run, lambda run: run.status == Run.Status.STOPPED)


async def test_a_disconnect_stops_no_other_answer_of_the_conversation(acme: Workspace, bob: Actor) -> None:
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    asking = asyncio.ensure_future(ask(bob, user("Hi")))
    await gate.reached.wait_async()
    [run] = await acme.rows(Run)
    assert await commands.stop_run(bob, key=str(run.conversation_id), run_id=uuid4()) is None
    gate.release()
    assert (await asking).json()["choices"][0]["message"]["content"] == "One two."
