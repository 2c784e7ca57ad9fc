"""Limits of an agent over all providers: counted when it begins to work, charged with its own calls alone (SPEC 8.5)."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async

from admin_config.defaults.platform import agent_name
from agents.messages import AssistantText, Entry, ModelRequest, SystemPrompt, UserMessage
from agents.runtime.budget_holds import AgentLimitSpent, CallBudgets
from agents.runtime.call_recording import CallKind, CallOrigin, CallRecord
from chat.models import Run
from doubles.script import Call, Text, Usage
from limits.budget_accounts import budgets_load
from limits.counters import counters_forget
from limits.models import RateLimit, Scope
from tenants.db import in_db
from tenants.redis.clients import redis_client
from tests.chat.openai_api.openai_requests import ask, user
from tests.limits.test_usage_limits import limit, refusal
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.stores.audit_log import counted_to_rows, events

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

WRITE = Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"})
FEW = Usage(10, 10)
OF_DOCUMENTS: dict[str, Any] = {"scope": Scope.AGENT, "agent": "document_agent"}
OF_CHAT: dict[str, Any] = {"scope": Scope.AGENT, "agent": "chat_model_agent"}


def writes(acme: Workspace, usage: Usage = FEW) -> None:
    """Let the chat agent hand one document over and then say that it is done."""
    acme.double.answer(WRITE, Usage(10, 10), when=lambda request: "<instruction>" not in request.user_text)
    acme.double.answer(Text("# Tea"), usage, when=lambda request: "<instruction>" in request.user_text)
    acme.double.answer(Text("Done."), Usage(10, 10))


async def results(alice: Browser, chat_id: str) -> str:
    return str((await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"])


async def test_an_agent_that_is_called_starts_so_many_runs_and_its_caller_goes_on(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str
) -> None:
    await limit(cast, "runs", "1", **OF_DOCUMENTS)
    writes(acme)
    async with chat_socket(alice, "acme") as socket, chat_socket(bob, "acme") as other:
        await socket.answer(chat_id, "Write")
        [agent_limit] = (await alice.get("/o/acme/api/limits/"))["limits"]
        assert (agent_limit["holder"], agent_limit["agent"], agent_limit["agentLabel"], agent_limit["left"]) == (
            "agent",
            "document_agent",
            "Document agent",
            0,
        )
        acme.double.answer(WRITE, Usage(10, 10))
        acme.double.answer(Text("It can't be written now."), Usage(10, 10))
        theirs = str(uuid4())
        await other.answer(theirs, "Write one for me")
    result_text = await results(bob, theirs)
    assert "“Document agent” may give 1 answer in 30 days. It can go on in " in result_text
    assert "It can't be written now." in result_text
    assert {run.status for run in await acme.rows(Run)} == {"done"}
    await sync_to_async(counted_to_rows)()
    [event] = await in_db(events, cast.acme, "limit.hit")
    assert event.object_label == "1 answer in 30 days, Document agent"


async def new_owner(cast: Cast, run_id: UUID) -> CallBudgets:
    """What a process that takes the run over knows of its limits."""
    actor = await sync_to_async(cast.actor)(cast.alice)
    budgets = await in_db(lambda: budgets_load(membership_id=actor.membership_id), organization_id=cast.acme.pk)
    return CallBudgets(cast.acme.pk, budgets, run_id)


def call_of(parent: str, *entries: Entry) -> CallRecord:
    origin = CallOrigin(kind=CallKind.SUB_AGENT, agent_key="document_agent_google", provider="google", endpoint="e", parent_call_id=parent)
    return CallRecord(origin=origin, request=ModelRequest(model="m", system=SystemPrompt("", ""), entries=(UserMessage("Write"), *entries)))


async def test_a_called_agent_counts_once_however_long_its_run_takes_and_whoever_owns_it(cast: Cast) -> None:
    await limit(cast, "runs", "1", **OF_DOCUMENTS)
    run_id = uuid4()
    for _ in range(2):  # the first process dies before the answer is stored
        await (await new_owner(cast, run_id)).hold(call_of("call-1"))
    client = redis_client()
    keys = [name async for name in client.scan_iter(match=f"*{run_id}-call-1")]
    assert await client.delete(*keys) == 1  # as after ten minutes, such as those in which a person decides
    owner = await new_owner(cast, run_id)
    await owner.hold(call_of("call-1", AssistantText("I ask first.")))
    with pytest.raises(AgentLimitSpent, match="may give 1 answer"):
        await owner.hold(call_of("call-2"))


async def test_a_message_into_an_assistants_answer_is_not_the_chat_agents(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    key = await sync_to_async(acme.add_assistant)("Tea taster")
    await limit(cast, "tokens", "0", **OF_CHAT)
    acme.double.default(Text("Yes."))
    theirs = str(uuid4())
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(theirs, "Hi", assistant=key)
    body = {"id": uuid4().hex, "text": "And?"}
    replies = [await alice.call("POST", f"/o/acme/api/conversations/{each}/input/", body) for each in (theirs, chat_id)]
    assert [reply.status_code for reply in replies] == [409, 429]


async def test_other_organizations_agents_are_not_limited(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    def make() -> None:
        RateLimit.objects.create(measure="runs", per_month=Decimal(0), **OF_DOCUMENTS)

    await in_db(make, organization_id=cast.other.pk)
    writes(acme)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write")
    assert "may not be used" not in await results(alice, chat_id)


async def test_the_agent_that_answers_is_counted_with_the_message(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    key = await sync_to_async(acme.add_assistant)("Tea taster")
    await limit(cast, "runs", "2", **OF_CHAT)
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        for number in range(2):
            await socket.answer(chat_id, f"Hi {number}")
        assert (await refusal(socket, chat_id)).startswith("“Chat agent” may give 2 answers in 30 days. It can go on in ")
        await socket.answer(str(uuid4()), "An assistant is another agent", assistant=key)
        await sync_to_async(counters_forget)(cast.acme.pk, "chat_model_agent", "runs")
        await socket.answer(chat_id, "It is counted anew")


async def test_tokens_are_charged_to_the_agent_that_used_them(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    await limit(cast, "tokens", "500", **OF_DOCUMENTS)
    await limit(cast, "tokens", "500", **OF_CHAT)
    writes(acme, Usage(900, 100))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write")
        tokens_left = {one["agent"]: one["left"] for one in (await alice.get("/o/acme/api/limits/"))["limits"]}
        assert tokens_left["document_agent"] == 0
        assert tokens_left["chat_model_agent"] > 400
        acme.double.answer(WRITE, Usage(10, 10))
        acme.double.answer(Text("Not now."), Usage(10, 10))
        await socket.answer(chat_id, "Write another one")
    assert "“Document agent” may use 500 tokens in 30 days." in await results(alice, chat_id)


async def test_of_messages_at_once_exactly_the_limit_passes(acme: Workspace, cast: Cast, alice: Browser, bob: Browser) -> None:
    await limit(cast, "runs", "5", **OF_CHAT)
    acme.double.default(Text("Yes."))

    async def send(browser: Browser) -> str:
        async with chat_socket(browser, "acme") as socket:
            await socket.send(str(uuid4()), "Hi")
            return str((await socket.receive())["type"])

    frame_types: list[Any] = await asyncio.gather(*(send(browser) for browser in [alice, bob] * 6))
    assert len(await acme.rows(Run)) == 5, frame_types
    assert frame_types.count("error") == 7


async def test_programs_read_who_answers_and_whose_limit_refused(acme: Workspace, cast: Cast, alice: Browser) -> None:
    key = await sync_to_async(acme.add_assistant)("Tea taster")
    name = agent_name(key)
    await limit(cast, "runs", "1", scope=Scope.AGENT, agent=name)
    acme.double.default(Text("Yes."))
    actor = await sync_to_async(cast.actor)(cast.bob)
    responses = [await ask(actor, user("Hi"), model=model) for model in (key, "chat_model_agent")]
    assert [answer.headers["x-parley-agent"] for answer in responses] == [name, "chat_model_agent"]
    partition = f";pk=:{b64encode(name.encode()).decode()}:"
    assert responses[0].headers["RateLimit"].endswith(partition)
    assert "RateLimit" not in responses[1].headers
    response = await ask(actor, user("Hi"), model=key)
    assert (response.status_code, response.json()["error"]["code"], response.json()["error"]["agent"]) == (429, "run_limit_reached", name)
    assert response.headers["RateLimit-Policy"] == f'"runs-agent-month";q=1;w=2592000;qu="runs"{partition}'
    browser_response = await alice.call(
        "POST", "/o/acme/api/chat", {"id": str(uuid4()), "assistant": key, "messages": [user_message("Hi")]}
    )
    assert (browser_response.status_code, browser_response.json()["error"]["agent"]) == (429, name)


async def test_an_error_of_another_limit_names_no_agent(acme: Workspace, cast: Cast) -> None:
    await limit(cast, "messages", "0")
    response = await ask(await sync_to_async(cast.actor)(cast.bob), user("Hi"))
    assert response.status_code == 429
    assert response.json()["error"].keys() == {"message", "type", "param", "code"}


def user_message(text: str) -> dict[str, Any]:
    return {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": text}]}
