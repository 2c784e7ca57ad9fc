"""Messages over every way in are counted before their run starts (SPEC 8.5)."""

from __future__ import annotations

from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import pytest

from chat.models import Message, Run
from doubles.script import Text
from limits.models import RateLimit, Scope
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import GroupMember, MemberGroup, Membership
from tests.chat.openai_api.openai_requests import ask, user
from tests.chat.runs.test_send_statements import kinds, send
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.chat_socket import Browser, ChatSocket, chat_socket
from tests.support.chat.workspace import Workspace, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

REFUSAL = "You may send 2 messages in 30 days."


async def limit(cast: Cast, scope: Scope = Scope.EACH_MEMBER, *, number: int = 2, **values: Any) -> None:
    def make() -> None:
        RateLimit.objects.update_or_create(scope=scope, **values, defaults={"per_month": number})

    await in_db(make, organization_id=cast.acme.pk)


@pytest.fixture
def bob_actor(cast: Cast) -> Actor:
    return cast.actor(cast.bob)


async def refusal(socket: ChatSocket, text: str = "One more", **options: Any) -> str:
    """What is said about a message that was refused."""
    await socket.send(str(uuid4()), text, **options)
    frame = await socket.receive()
    assert frame["type"] == "error", frame
    return str(frame["errorText"])


async def test_a_message_over_the_limit_is_refused_before_it_is_stored(acme: Workspace, cast: Cast, alice: Browser, bob: Browser) -> None:
    acme.double.default(Text("Yes."))
    await limit(cast)
    async with chat_socket(alice, "acme") as socket, chat_socket(bob, "acme") as other:
        for _ in range(2):
            await socket.answer(str(uuid4()), "Hi")
        assert (await refusal(socket)).startswith(REFUSAL)
        await other.answer(str(uuid4()), "Bob has messages left")
    assert len(await acme.rows(Run)) == 3
    assert len(await acme.rows(Message)) == 6


async def test_a_message_into_an_answer_counts_too(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Yes."))
    await limit(cast, number=1)
    chat_id = str(uuid4())
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    reply = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/input/", {"id": uuid4().hex, "text": "And?"})
    assert reply.status_code == 429
    assert "You may send 1 message in 30 days." in reply.content.decode()


async def test_the_other_organization_has_no_limit(acme: Workspace, cast: Cast, charlie: Browser, gemini: ServedGemini) -> None:
    gemini.default(Text("Yes."))
    await in_db(lambda: make_workspace(cast.other, gemini), organization_id=cast.other.pk)
    await limit(cast, number=0)
    async with chat_socket(charlie, "other") as socket:
        await socket.answer(str(uuid4()), "Hi")


async def test_a_changed_limit_holds_from_the_next_message_on(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(str(uuid4()), "No limit yet")
        await limit(cast, number=1)
        await socket.answer(str(uuid4()), "The first that counts")
        assert (await refusal(socket)).startswith("You may send 1 message in 30 days.")
        await limit(cast, number=3)
        await socket.answer(str(uuid4()), "Again")
        await in_db(RateLimit.objects.all().delete, organization_id=cast.acme.pk)
        for _ in range(3):
            await socket.answer(str(uuid4()), "No limit any more")


async def test_a_groups_limit_goes_before_that_for_each_member(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Yes."))

    def put_alice_into_sales() -> MemberGroup:
        group = MemberGroup.objects.create(name="Sales")
        GroupMember.objects.create(group=group, membership=Membership.objects.get(user=cast.alice, organization=cast.acme))
        return group

    await limit(cast, number=0)
    async with chat_socket(alice, "acme") as socket:
        assert (await refusal(socket)).startswith("You may not send messages.")
        group = await in_db(put_alice_into_sales, organization_id=cast.acme.pk)
        await limit(cast, Scope.GROUP, group=group, number=1)
        await socket.answer(str(uuid4()), "For sales")
        await refusal(socket)


async def test_answering_again_counts_and_sending_the_same_again_does_not(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    acme.double.default(Text("Yes."))
    await limit(cast)
    async with chat_socket(alice, "acme") as socket:
        for _ in range(3):
            await socket.answer(chat_id, "Hi", message_id="same")
        await socket.chunks(await socket.regenerate(chat_id))
        await socket.regenerate(chat_id)
        assert (await socket.receive())["errorText"].startswith(REFUSAL)


async def test_programs_are_told_in_headers(acme: Workspace, cast: Cast, bob_actor: Actor) -> None:
    acme.double.default(Text("Yes."))
    await limit(cast, Scope.EACH_TOKEN, number=0)
    response = await ask(bob_actor, user("Hi"))
    assert (response.status_code, response.json()["error"]["code"]) == (429, "message_limit_reached")
    assert response.json()["error"]["message"].startswith("This API token may not send messages.")
    assert response.headers["RateLimit"].startswith('"token-month";r=0;t=')
    await in_db(RateLimit.objects.all().delete, organization_id=cast.acme.pk)
    assert (await ask(bob_actor, user("Hi"))).status_code == 200


async def test_members_see_what_is_left(acme: Workspace, cast: Cast, alice: Browser, charlie: Browser) -> None:
    acme.double.default(Text("Yes."))
    assert await alice.get("/o/acme/api/limits/") == {"limits": [], "budgets": []}
    await limit(cast)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(str(uuid4()), "Hi")
    assert await alice.get("/o/acme/api/limits/") == {
        "limits": [
            {
                "holder": "member",
                "agent": "",
                "agentLabel": "",
                "measure": "messages",
                "window": "month",
                "count": 2,
                "left": 1,
                "resetsInS": ANY,
            }
        ],
        "budgets": [],
    }
    assert await charlie.get("/o/other/api/limits/") == {"limits": [], "budgets": []}


def test_limits_cost_a_send_no_statement(acme: Workspace, cast: Cast) -> None:
    actor = cast.actor(cast.alice)
    with tenant_tx(actor.organization_id):
        RateLimit.objects.create(scope=Scope.ORGANIZATION, per_hour=1)
        RateLimit.objects.all().delete()
    send(actor, str(uuid4()))  # loads the release
    statements, _ = send(actor, str(uuid4()))
    assert kinds(statements) == [*["read"] * 4, "write"]


async def test_a_message_without_text_uses_up_nothing(acme: Workspace, cast: Cast, alice: Browser) -> None:
    acme.double.default(Text("Yes."))
    await limit(cast)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(str(uuid4()), "Hi")  # from here on this process knows the limits
        assert (await refusal(socket, " \n")).startswith("The message is empty.")
        await socket.answer(str(uuid4()), "Hi")
        assert (await refusal(socket)).startswith(REFUSAL)


async def test_a_request_that_is_refused_as_invalid_uses_up_nothing(acme: Workspace, cast: Cast, bob_actor: Actor) -> None:
    acme.double.default(Text("{}"))
    await limit(cast, number=1)
    urls = ("data:text/plain;base64,SGk=", "data:image/png;base64,?", "data:image/png;base64,iVBORw0KGgo=")
    pictures = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]} for url in urls]
    invalid: list[tuple[list[Any], dict[str, Any]]] = [
        ([user("Hi"), {"role": "assistant", "content": "Yes?"}], {}),
        ([{"role": "tool", "content": "x", "tool_call_id": "c"}], {}),
        ([user("Hi")], {"response_format": {"type": "json_object"}, "headers": {"x-parley-conversation": str(uuid4())}}),
        ([{"role": "tool", "content": "x", "tool_call_id": "c"}], {"response_format": {"type": "json_object"}}),
        *[([picture], fields) for picture in pictures for fields in ({}, {"response_format": {"type": "json_object"}})],
    ]
    for messages, fields in invalid:
        assert (await ask(bob_actor, *messages, **fields)).status_code in {400, 415}
    assert [(await ask(bob_actor, user("Hi"))).status_code for _ in range(2)] == [200, 429]
