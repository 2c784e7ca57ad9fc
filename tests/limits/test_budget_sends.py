"""What budgets allow: messages over every way in, and each model call of an answer (SPEC 8.6)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async

from admin_config.models import Assistant
from chat.models import Message, ModelCall, Run
from chat.runs.title_generation import title_generate
from doubles.script import Call, Fault, Text, Usage
from doubles.signals import Gate
from limits.models import Budget, BudgetAccount, Hold
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import GroupMember, MemberGroup
from tests.chat.openai_api.openai_requests import TOOL, ask, user
from tests.chat.runs.test_send_statements import kinds, send
from tests.chat.runs.test_takeover import begin, run_with_open_parts, take_over
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

DEAR = Usage(1_000_000, 100_000)  # 55 cents with Gemini 2.5 Flash
WRITE = Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"})
REFUSAL = "This month's budget of your organization is used up. It begins anew on "


async def budget(cast: Cast, amount: str = "0.50", scope: str = "organization", **values: Any) -> None:
    def make() -> None:
        Budget.objects.create(scope=scope, amount_usd=Decimal(amount), **values)

    await in_db(make, organization_id=cast.acme.pk)


async def account_totals(cast: Cast) -> tuple[Any, Any]:
    """What is spent and what is held of the only budget."""

    def read() -> tuple[Any, Any]:
        account = BudgetAccount.objects.get()
        assert (account.held_usd == 0) == (not Hold.objects.exists())
        return float(account.spent_usd), float(account.held_usd)

    return await in_db(read, organization_id=cast.acme.pk)


async def booked(acme: Workspace) -> float:
    """What the call log says, of all model calls."""
    return sum(call.cost_usd or 0 for call in await acme.rows(ModelCall))


@pytest.fixture
def alice_actor(cast: Cast) -> Actor:
    return cast.actor(cast.alice)


@pytest.fixture
def bob_actor(cast: Cast) -> Actor:
    return cast.actor(cast.bob)


async def test_the_first_message_is_paid_and_the_next_is_refused_before_it_is_stored(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, chat_id: str
) -> None:
    acme.double.answer(Text("Yes."), DEAR)
    await budget(cast)
    async with chat_socket(alice, "acme") as socket, chat_socket(bob, "acme") as other:
        await socket.answer(chat_id, "Hi")
        assert await account_totals(cast) == (pytest.approx(0.55), 0)
        for each in (socket, other):
            await each.send(str(uuid4()), "One more")
            frame = await each.receive()
            assert (frame["type"], frame["errorText"].startswith(REFUSAL)) == ("error", True), frame
        await socket.regenerate(chat_id)
        assert (await socket.receive())["errorText"].startswith(REFUSAL)
    assert len(await acme.rows(Message)) == 2
    assert len(await acme.rows(Run)) == 1


async def test_an_answer_ends_between_steps_and_keeps_its_text(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    """Its sub-agent has used up the budget."""
    acme.double.answer(Text("I begin."), WRITE, Usage(10, 10))
    acme.double.answer(Text("# Tea"), DEAR, when=lambda request: "<instruction>" in request.user_text)
    await budget(cast, scope="each_member")
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Write")
    [run] = await acme.rows(Run)
    assert (run.status, run.error_code) == ("failed", "budget_used_up")
    parts = (await alice.get(f"/o/acme/api/conversations/{chat_id}/"))["messages"][1]["parts"]
    assert "I begin." in [part.get("text") for part in parts]
    assert "Your budget for this month is used up. It begins anew on" in str(parts[-1])
    assert len(acme.double.requests) == 2, "the third call was not made"
    assert await account_totals(cast) == (pytest.approx(await booked(acme)), 0)


async def test_calls_that_fail_or_are_stopped_are_paid(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    await budget(cast, "50")
    acme.double.answer(Text("Half an ans"), Usage(reported=False), Fault.cut())
    acme.double.answer(Text("So far", pieces=["So far"]), Gate("never"))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(str(uuid4()), "Hi")
        request, chunks = await begin(socket, chat_id)
        assert (await account_totals(cast))[1] > 0, "held while it is written"
        await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/stop/")
        await socket.chunks_on(request, chunks)
    assert await booked(acme) > 0
    assert await account_totals(cast) == (pytest.approx(await booked(acme)), 0)


async def test_a_lost_owners_call_is_paid_once(acme: Workspace, cast: Cast, alice: Browser, alice_actor: Actor, chat_id: str) -> None:
    await budget(cast, "50", "member", membership_id=alice_actor.membership_id)
    acme.double.answer(Text("Lost words ", pieces=["Lost words "]), Gate("never"))
    acme.double.answer(Text("The whole answer."))
    async with chat_socket(alice, "acme") as socket:
        request, chunks = await begin(socket, chat_id)
        await run_with_open_parts(acme, 1)
        await take_over(acme)
        await socket.chunks_on(request, chunks)
    assert len([call for call in await acme.rows(ModelCall) if call.error_code == "owner_lost"]) == 1
    assert await account_totals(cast) == (pytest.approx(await booked(acme)), 0)


async def test_titles_are_paid_and_not_written_without_money(acme: Workspace, cast: Cast, alice: Browser) -> None:
    await budget(cast)
    first, second = str(uuid4()), str(uuid4())
    acme.double.default(Text("Yes."), Usage(10, 10))
    async with chat_socket(alice, "acme") as socket:
        for key in (first, second):
            await socket.answer(key, "Hi")
    acme.double.answer(Text("A title"), DEAR)
    assert await title_generate(organization_id=cast.acme.pk, conversation_id=UUID(first)) == "A title"
    request_count = len(acme.double.requests)
    assert await title_generate(organization_id=cast.acme.pk, conversation_id=UUID(second)) is None
    assert len(acme.double.requests) == request_count
    assert [call.error_code for call in await acme.rows(ModelCall, kind="title")] == ["", "budget_used_up"]
    assert await account_totals(cast) == (pytest.approx(await booked(acme)), 0)


async def test_programs_pay_from_their_tokens_budget(acme: Workspace, cast: Cast, bob_actor: Actor) -> None:
    """Each request of the test has a token of its own."""
    acme.double.default(Text("Yes."), DEAR)
    await budget(cast, "50", "each_token", period="day")
    assert (await ask(bob_actor, user("Hi"))).status_code == 200
    assert (await ask(bob_actor, user("Hi"), tools=[TOOL])).status_code == 200
    accounts: list[Any] = await in_db(lambda: list(BudgetAccount.objects.all()), organization_id=cast.acme.pk)
    assert [float(account.spent_usd) for account in accounts] == [pytest.approx(0.55)] * 2
    assert [account.held_usd for account in accounts] == [0, 0]
    await in_db(lambda: Budget.objects.update(amount_usd=0), organization_id=cast.acme.pk)
    for response in (await ask(bob_actor, user("Hi")), await ask(bob_actor, user("Hi"), tools=[TOOL])):
        assert (response.status_code, response.json()["error"]["code"]) == (429, "budget_used_up")
        assert response.json()["error"]["message"].startswith("Today's budget of this API token is used up.")


async def test_an_assistants_budget_pays_for_its_answers_alone(acme: Workspace, cast: Cast, alice: Browser, chat_id: str) -> None:
    key = await sync_to_async(acme.add_assistant)("Tea taster")
    assistant_id = (await in_db(lambda: Assistant.objects.get(agent__key=key), organization_id=cast.acme.pk)).pk
    await budget(cast, scope="assistant", assistant_id=assistant_id)
    acme.double.default(Text("Yes."), DEAR)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(str(uuid4()), "Not the assistant")
        assert not await in_db(BudgetAccount.objects.exists, organization_id=cast.acme.pk)
        await socket.answer(chat_id, "Hi", assistant=key)
        assert await account_totals(cast) == (pytest.approx(0.55), 0)
        for assistant_choice in ({"assistant": key}, {}):
            await socket.send(chat_id, "One more", **assistant_choice)
            assert (await socket.receive())["errorText"].startswith("This month's budget of this assistant is used up.")
        await socket.answer(chat_id, "Go on without it", assistant="")


@pytest.mark.parametrize(("amount", "amount_left"), [("5", 4.45), ("0.5", 0)])
async def test_members_see_what_is_spent_and_left(
    acme: Workspace, cast: Cast, alice: Browser, charlie: Browser, amount: str, amount_left: float
) -> None:
    acme.double.answer(Text("Yes."), DEAR)
    await budget(cast, amount, "each_member", period="total")
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(str(uuid4()), "Hi")
    [member_budget] = (await alice.get("/o/acme/api/limits/"))["budgets"]
    assert member_budget == {
        "holder": "member",
        "group": "",
        "period": "total",
        "amountUsd": float(amount),
        "spentUsd": pytest.approx(0.55),
        "leftUsd": pytest.approx(amount_left),
        "beginsAnew": None,
    }
    assert (await charlie.get("/o/other/api/limits/"))["budgets"] == []


async def test_members_read_their_own_budgets_first_and_the_names_of_their_groups(cast: Cast, alice: Browser, bob: Browser) -> None:
    def groups_of_alice() -> list[MemberGroup]:
        groups = MemberGroup.objects.bulk_create([MemberGroup(name="Sales"), MemberGroup(name="Tea")])
        membership_id = cast.actor(cast.alice).membership_id
        GroupMember.objects.bulk_create([GroupMember(group=group, membership_id=membership_id) for group in groups])
        return groups

    sales, tea = await in_db(groups_of_alice, organization_id=cast.acme.pk)
    await budget(cast, "90", "organization")
    await budget(cast, "40", "all_of_group", group_id=sales.pk)
    await budget(cast, "30", "all_of_group", group_id=tea.pk, period="day")
    await budget(cast, "5", "each_member")
    await budget(cast, "1", "each_member", period="day")
    budgets = (await alice.get("/o/acme/api/limits/"))["budgets"]
    own, of_all = [("member", "", 1), ("member", "", 5)], ("organization", "", 90)
    of_groups = [("group", "Tea", 30), ("group", "Sales", 40)]
    assert [(one["holder"], one["group"], one["amountUsd"]) for one in budgets] == [*own, *of_groups, of_all]
    budgets = (await bob.get("/o/acme/api/limits/"))["budgets"]
    assert [(one["holder"], one["group"], one["amountUsd"]) for one in budgets] == [*own, of_all], "he is in neither"


async def test_the_other_organization_pays_nothing(acme: Workspace, cast: Cast, charlie: Browser, gemini: ServedGemini) -> None:
    gemini.default(Text("Yes."), DEAR)
    await in_db(lambda: make_workspace(cast.other, gemini), organization_id=cast.other.pk)
    await budget(cast, "0")
    async with chat_socket(charlie, "other") as socket:
        await socket.answer(str(uuid4()), "Hi")
    assert not await in_db(BudgetAccount.objects.exists, organization_id=cast.other.pk)
    assert not await in_db(BudgetAccount.objects.exists, organization_id=cast.acme.pk)


def test_budgets_cost_a_send_no_statement(acme: Workspace, cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    send(actor, str(uuid4()))  # loads the release
    with tenant_tx(actor.organization_id):
        Budget.objects.create(scope="organization", amount_usd=1)
    statements, run = send(actor, str(uuid4()))
    assert kinds(statements) == [*["read"] * 4, "write"]
    assert [state.amount_usd for state in run.budgets.states] == [1]
