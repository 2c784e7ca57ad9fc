"""Limits on answers, tokens and cost: charged after each call of a model, and checked before the next message and step (SPEC 8.5)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from admin_config.models import Assistant, CurrencyRate
from chat.models import Message, ModelCall, Run
from doubles.script import Call, Text, Usage
from limits.models import RateLimit, Scope
from limits.periods import utc_today
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tests.chat.openai_api.openai_requests import TOOL, ask, user
from tests.chat.runs.test_send_statements import kinds, send
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket
from tests.support.chat.workspace import Workspace
from tests.support.stores.audit_log import counted_to_rows, events

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

USAGE = Usage(900, 100)
WRITE = Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"})


async def limit(cast: Cast, measure: str, number: str, scope: Scope = Scope.EACH_MEMBER, **values: Any) -> None:
    def make() -> None:
        RateLimit.objects.create(measure=measure, scope=scope, per_month=Decimal(number), **values)

    await in_db(make, organization_id=cast.acme.pk)


async def euros(cast: Cast) -> None:
    """Show the organization's costs in euros."""

    def make() -> None:
        CurrencyRate.objects.create(valid_from=utc_today(), currency="EUR", per_usd=Decimal("0.9"))

    await in_db(make, organization_id=cast.acme.pk)


async def refusal(socket: ChatSocket, chat_id: str | None = None, **options: Any) -> str:
    """What is said about a message that was refused."""
    await socket.send(chat_id or str(uuid4()), "One more", **options)
    frame = await socket.receive()
    assert frame["type"] == "error", frame
    return str(frame["errorText"])


async def test_tokens_are_charged_after_an_answer_and_refuse_the_next_message(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str
) -> None:
    acme.double.default(Text("Yes."), USAGE)
    await limit(cast, "tokens", "1500")
    async with chat_socket(alice, "acme") as socket, chat_socket(bob, "acme") as other:
        await socket.answer(chat_id, "Hi")
        [token_limit] = (await alice.get("/o/acme/api/limits/"))["limits"]
        assert (token_limit["measure"], token_limit["count"], token_limit["left"]) == ("tokens", 1500, 500)
        await socket.answer(chat_id, "Anything left lets another message through")
        assert (await refusal(socket, chat_id)).startswith("You may use 1,500 tokens in 30 days. ")
        await socket.regenerate(chat_id)
        assert (await socket.receive())["errorText"].startswith("You may use 1,500 tokens")
        await other.answer(str(uuid4()), "Bob has all of his")
    assert len(await acme.rows(Message)) == 6


async def test_a_run_that_uses_a_limit_up_ends_between_steps_and_keeps_its_text(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    """Its sub-agent has used it up. What a limit allows is said in the currency that the organization sees."""
    await euros(cast)
    acme.double.answer(Text("I begin."), WRITE, Usage(10, 10))
    acme.double.answer(Text("# Tea"), Usage(1_000_000, 100_000), when=lambda request: "<instruction>" in request.user_text)
    await limit(cast, "cost", "0.50", Scope.ORGANIZATION)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write")
        assert (await refusal(socket)).startswith("Your organization may spend €0.45 in 30 days.")
    [run] = await acme.rows(Run)
    assert (run.status, run.error_code) == ("failed", "limit_reached")
    answer = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]
    assert "I begin." in [part.get("text") for part in answer["parts"]]
    assert "may spend €0.45" in json.dumps(answer, ensure_ascii=False)
    await sync_to_async(counted_to_rows)()
    [label] = {event.object_label for event in await in_db(events, cast.acme, "limit.hit")}
    assert label.startswith("$0.50 in 30 days"), "as admins set it"
    assert len(acme.double.requests) == 2, "the third call was not made"
    assert len(await acme.rows(ModelCall)) == 3, "and stands in the log as refused"


async def test_an_assistants_limit_counts_its_answers_alone(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    key = await sync_to_async(acme.add_assistant)("Tea taster")
    assistant_id = (await in_db(lambda: Assistant.objects.get(agent__key=key), organization_id=cast.acme.pk)).pk
    await limit(cast, "runs", "2", Scope.ASSISTANT, assistant_id=assistant_id)
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        for number in range(2):
            await socket.answer(str(uuid4()), f"Not the assistant {number}")
            await socket.answer(chat_id, f"Hi {number}", assistant=key)
        for assistant_choice in ({"assistant": key}, {}):
            assert (await refusal(socket, chat_id, **assistant_choice)).startswith("This assistant may give 2 answers in 30 days.")
        await socket.answer(chat_id, "Go on without it", assistant="")


@pytest.fixture
def actor(cast: Cast) -> Actor:
    return cast.actor(cast.bob)


async def test_programs_see_what_is_left_in_openais_headers(acme: Workspace, cast: Cast, actor: Actor) -> None:
    acme.double.default(Text("Yes."), USAGE)
    await limit(cast, "messages", "5")
    await limit(cast, "tokens", "1900")
    first, second = await ask(actor, user("Hi")), await ask(actor, user("Hi"), tools=[TOOL])
    names = ("x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-remaining-tokens")
    assert [[answer.headers[name] for name in names] for answer in (first, second)] == [["5", "4", "1900"], ["5", "3", "900"]]
    assert second.headers["RateLimit"].startswith('"tokens-member-month";r=900;t=')
    response = await ask(actor, user("Hi"))
    assert (response.status_code, response.json()["error"]["code"]) == (429, "token_limit_reached")
    assert response.headers["RateLimit"].startswith('"tokens-member-month";r=0;t=')


def test_they_cost_a_send_no_statement(acme: Workspace, actor: Actor) -> None:
    send(actor, str(uuid4()))  # loads the release
    with tenant_tx(actor.organization_id):
        RateLimit.objects.create(
            scope=Scope.MEMBER, membership_id=actor.membership_id, measure="tokens", per_hour=100, last_day="2001-01-01"
        )
    statements, run = send(actor, str(uuid4()))
    assert kinds(statements) == [*["read"] * 4, "write"]
    assert run.budgets.limits == ()
