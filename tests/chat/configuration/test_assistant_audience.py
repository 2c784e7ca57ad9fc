"""Who may choose an assistant (SPEC 4.14), and what they see who may not any more."""

from __future__ import annotations

from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from admin_config.models import Assistant, AssistantPicture
from chat.models import Conversation, Run
from doubles.script import Text
from doubles.signals import Gate
from tenants.context import tenant_tx
from tenants.models import GroupMember
from tests.chat.configuration.assistant_requests import UNAVAILABLE_TEXT, names_for, put_into_group, refusal
from tests.chat.openai_api.openai_requests import ask, user
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace, make_workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_only_those_it_is_for_see_and_use_it(acme: Workspace, cast: Cast, alice: Browser, bob: Browser, charlie: Browser) -> None:
    """By role and by group; for all others, guessing the key finds nothing over any way in."""
    group = await sync_to_async(put_into_group)(cast, cast.bob)
    sales = await sync_to_async(acme.add_assistant)("Sales", audience="chosen", groups=[str(group.pk)])
    board = await sync_to_async(acme.add_assistant)("Board", audience="chosen", roles=["owner"])
    acme.double.default(Text("Yes."))
    assert (await names_for(alice), await names_for(bob)) == (["Board"], ["Sales"])
    assert (await charlie.call("GET", "/o/acme/api/assistants/")).status_code == 404
    keys = {item["key"] for item in (await bob.get("/o/acme/api/agents/"))["items"]}
    assert (sales in keys, board in keys) == (True, False)
    labels = {item["label"] for item in (await bob.get("/o/acme/api/search/agents/"))["items"]}
    assert ("Sales" in labels, "Board" in labels) == (True, False)
    async with chat_socket(bob, "acme") as socket:
        assert text_of(await socket.answer(uuid4().hex, "Hi", assistant=sales)) == "Yes."
        for guess in (board, "nobody_google", "chat_model_agent_google"):
            assert await refusal(socket, uuid4().hex, assistant=guess) == UNAVAILABLE_TEXT
    actor = await sync_to_async(cast.actor)(cast.bob)
    chat_response = await ask(actor, user("Hi"), model=board)
    assert (chat_response.status_code, chat_response.json()["error"]["code"]) == (404, "model_not_found")
    creation_response = await bob.call("POST", "/o/acme/api/conversations/", {"assistant": board})
    assert (creation_response.status_code, creation_response.json()["error"]["code"]) == (409, "assistant_unavailable")


async def test_another_organizations_assistant_and_group_let_nobody_in(
    acme: Workspace, cast: Cast, gemini: ServedGemini, charlie: Browser
) -> None:
    """Charlie guesses Acme's key, and his own assistant names a group of Acme's."""
    key = await sync_to_async(acme.add_assistant)("Analyst")
    other = await sync_to_async(make_workspace)(cast.other, gemini)
    group = await sync_to_async(put_into_group)(cast, cast.bob)
    await sync_to_async(other.add_assistant)("Mine", audience="chosen", groups=[str(group.pk)])
    assert (await charlie.get("/o/other/api/assistants/"))["items"] == []
    async with chat_socket(charlie, "other") as socket:
        assert await refusal(socket, uuid4().hex, assistant=key) == UNAVAILABLE_TEXT
    assert not await other.rows(Conversation)


async def test_a_picture_is_for_those_who_may_choose_the_assistant(
    acme: Workspace, cast: Cast, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    key = await sync_to_async(acme.add_assistant)("Board", audience="chosen", roles=["owner"])

    def draw() -> None:
        with tenant_tx(acme.organization.pk):
            Assistant.objects.update(picture=AssistantPicture.objects.create(content=b"\x89PNG"))
        acme.publish()

    await sync_to_async(draw)()
    [assistant] = (await alice.get("/o/acme/api/assistants/"))["items"]
    picture = await alice.call("GET", assistant["pictureUrl"])
    assert (picture.status_code, picture["Content-Type"], picture.content) == (200, "image/png", b"\x89PNG")
    path = f"/api/assistants/{key}/picture/"
    assert [
        (await browser.call("GET", f"/o/{slug}{path}")).status_code
        for browser, slug in ((bob, "acme"), (charlie, "acme"), (charlie, "other"))
    ] == [404] * 3
    await sync_to_async(acme.change_assistant)(key, is_offered=False)
    assert (await alice.call("GET", assistant["pictureUrl"])).status_code == 404


async def test_a_run_keeps_its_assistant_and_the_next_one_says_that_it_is_gone(acme: Workspace, alice: Browser, chat_id: str) -> None:
    analyst = await sync_to_async(acme.add_assistant)("Analyst", prompt="You are an analyst.")
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    acme.double.default(Text("Yes."))
    async with chat_socket(alice, "acme") as socket:
        request = await socket.send(chat_id, "Hi", assistant=analyst)
        await gate.reached.wait_async()
        await sync_to_async(acme.change_assistant)(analyst, is_offered=False)
        gate.release()
        assert text_of(await socket.chunks(request)) == "One two."
        assert await refusal(socket, chat_id, "And now?") == UNAVAILABLE_TEXT
        on = await socket.answer(chat_id, "And now?", assistant="")
    assert text_of(on) == "Yes."
    [first, second] = await acme.rows(Run)
    assert (first.assistant, second.assistant) == (analyst, "")


async def test_who_leaves_the_group_loses_the_assistant_at_once(acme: Workspace, cast: Cast, bob: Browser, chat_id: str) -> None:
    group = await sync_to_async(put_into_group)(cast, cast.bob)
    key = await sync_to_async(acme.add_assistant)("Sales", audience="chosen", groups=[str(group.pk)])
    acme.double.default(Text("Yes."))

    def leave() -> None:
        with tenant_tx(cast.acme.pk):
            GroupMember.objects.all().delete()

    async with chat_socket(bob, "acme") as socket:
        assert text_of(await socket.answer(chat_id, "Hi", assistant=key)) == "Yes."
        await sync_to_async(leave)()
        assert await refusal(socket, chat_id, "And now?") == UNAVAILABLE_TEXT
        await socket.regenerate(chat_id)
        assert (await socket.receive())["errorText"] == UNAVAILABLE_TEXT
    assert await names_for(bob) == []
