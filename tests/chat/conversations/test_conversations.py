"""The conversation list: titles, renaming, deleting, paging by key."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from artifacts.models import Artifact
from chat.api.sends import message_post
from chat.conversations.lists import conversation_list
from chat.conversations.services import NewMessage
from chat.models import Conversation, Run
from chat.runs.title_generation import title_generate
from doubles.script import Fault, Text
from doubles.signals import Gate
from tenants.access import Actor
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, chat_socket, communicator
from tests.support.chat.workspace import Workspace

TRANSACTIONAL = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@TRANSACTIONAL
async def test_the_title_is_written_in_the_background_and_told_to_open_tabs(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Tea is a drink."))
    acme.double.answer(Text('"The Short History of Tea."'), when=lambda request: "<conversation>" in request.user_text)
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Tell me about tea, at length and with care, in a way that a child understands it")
    provisional = (await alice.get("/o/acme/api/conversations/"))["items"][0]["title"]

    tab = communicator(alice, "/o/acme/ws/notify/")
    await tab.connect()
    conversation = (await acme.rows(Conversation))[0]
    title = await title_generate(organization_id=acme.organization.pk, conversation_id=conversation.pk)
    notice = await tab.receive_json_from(timeout=60)
    while notice["conversation"]["title"] == provisional:  # that the answer has ended may be told late
        notice = await tab.receive_json_from(timeout=60)
    await tab.disconnect()

    assert provisional == "Tell me about tea, at length and with care, in a way that a…"
    assert title == "The Short History of Tea"
    assert notice["type"] == "conversation"
    assert notice["conversation"]["title"] == title
    assert "Tell me about tea" in acme.double.requests[-1].user_text


@TRANSACTIONAL
async def test_a_name_that_the_user_gave_is_kept(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    response = await alice.call("PATCH", f"/o/acme/api/conversations/{chat_id}/", {"title": "  My   own name "})
    conversation = (await acme.rows(Conversation))[0]

    assert response.json()["title"] == "My own name"
    assert await title_generate(organization_id=acme.organization.pk, conversation_id=conversation.pk) is None
    assert len(acme.double.requests) == 1


@TRANSACTIONAL
async def test_no_title_is_asked_for_a_deleted_chat_or_one_of_another_organization(
    acme: Workspace, cast: Cast, alice: Browser, chat_id: str
) -> None:
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    conversation = (await acme.rows(Conversation))[0]
    assert await title_generate(organization_id=cast.other.pk, conversation_id=conversation.pk) is None
    await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/")
    assert await title_generate(organization_id=acme.organization.pk, conversation_id=conversation.pk) is None
    assert len(acme.double.requests) == 1


@TRANSACTIONAL
async def test_a_title_that_cannot_be_written_changes_nothing(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Fine."))
    acme.double.default(Fault.status(400))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    conversation = (await acme.rows(Conversation))[0]
    assert await title_generate(organization_id=acme.organization.pk, conversation_id=conversation.pk) is None
    assert (await acme.rows(Conversation))[0].title == "Hi"


@TRANSACTIONAL
async def test_deleting_takes_the_documents_along_and_stops_the_run(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("Busy "), gate)
    async with chat_socket(alice, "acme") as socket:
        await socket.chunks(await socket.send(chat_id, "Go"), until=lambda chunk: chunk["type"] == "text-delta")
        response = await alice.call("DELETE", f"/o/acme/api/conversations/{chat_id}/")
        await acme.double.requests[0].disconnected.wait_async()

    assert response.status_code == 204
    assert (await alice.get("/o/acme/api/conversations/"))["items"] == []
    assert (await alice.call("GET", f"/o/acme/api/conversations/{chat_id}/")).status_code == 404
    assert await acme.rows(Artifact, deleted_at=None) == []
    assert [run.status for run in await acme.rows(Run)] == ["stopped"]


@pytest.mark.django_db
@pytest.mark.parametrize("body", [{"title": " "}, {"title": 5}, {"owner": "me"}])
def test_a_change_that_does_not_fit_is_refused(acme: Workspace, cast: Cast, alice: Browser, body: dict[str, object]) -> None:
    conversation_id = _post(cast, "Hi")
    path = f"/o/acme/api/conversations/{conversation_id}/"
    response = alice.client.patch(path, body, content_type="application/json")
    assert response.status_code == 400
    assert response.json()["error"]["message"]
    assert alice.client.get(path).json()["title"] == "Hi"


@pytest.mark.django_db
def test_the_list_is_paged_by_key_and_costs_one_query(acme: Workspace, cast: Cast, alice: Browser) -> None:
    for number in range(5):
        _post(cast, f"Message {number}")
    titles: list[str] = []
    cursor = ""
    while True:
        page = alice.client.get(f"/o/acme/api/conversations/?limit=2&cursor={cursor}").json()
        titles += [row["title"] for row in page["items"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert titles == [f"Message {number}" for number in (4, 3, 2, 1, 0)]

    with tenant_tx(cast.acme.pk), CaptureQueriesContext(connection) as queries:
        conversation_list(actor=cast.actor(cast.alice))
    assert len([query for query in queries if "chat_conversation" in query["sql"]]) == 1


@pytest.mark.django_db
def test_a_broken_cursor_is_a_clear_error(acme: Workspace, alice: Browser) -> None:
    response = alice.client.get("/o/acme/api/conversations/?cursor=nonsense")
    assert response.status_code == 400


@pytest.mark.django_db
def test_a_send_costs_at_most_twelve_statements(acme: Workspace, cast: Cast) -> None:
    """The budget of starting a message, counted on a conversation that exists."""
    conversation_id = _post(cast, "First")
    with tenant_tx(cast.acme.pk):
        Run.objects.update(status="done", finished_at=Now())
    actor = cast.actor(cast.alice)
    with CaptureQueriesContext(connection) as queries:
        _post(cast, "Second", conversation_id, actor)
    statements = [query["sql"] for query in queries if not query["sql"].startswith(("SAVEPOINT", "RELEASE", "select set_config"))]
    assert len(statements) <= 12, statements


def _post(cast: Cast, text: str, conversation_id: str | None = None, actor: Actor | None = None) -> str:
    key = conversation_id or str(uuid4())
    with tenant_tx(cast.acme.pk):
        message_post(actor=actor or cast.actor(cast.alice), send=NewMessage(key=key, text=text, client_msg_id=uuid4().hex))
    return key


@TRANSACTIONAL
async def test_a_newer_state_of_a_conversation_has_a_higher_revision_which_alone_changes_no_list(acme: Workspace, alice: Browser) -> None:
    first, other = [await alice.call("POST", "/o/acme/api/conversations/", {"title": title}) for title in ("One", "Two")]
    list_response = await alice.call("GET", "/o/acme/api/conversations/?q=One")
    await alice.call("PATCH", f"/o/acme/api/conversations/{other.json()['id']}/", {"title": "Changed"})
    same = await alice.call("GET", "/o/acme/api/conversations/?q=One")
    rename_response = await alice.call("PATCH", f"/o/acme/api/conversations/{first.json()['id']}/", {"title": "Renamed"})

    assert same.headers["ETag"] == list_response.headers["ETag"]
    assert first.json()["revision"] < list_response.json()["items"][0]["revision"] < rename_response.json()["revision"]


@TRANSACTIONAL
async def test_an_answer_is_unread_until_its_member_looks_and_then_on_no_screen(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.default(Text("Fine."))
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Hi")
    before = (await alice.get("/o/acme/api/conversations/"))["items"][0]["unread"]
    tab = communicator(alice, "/o/acme/ws/notify/")
    await tab.connect()
    response = await alice.call("POST", f"/o/acme/api/conversations/{chat_id}/seen/", {})
    notice = await tab.receive_json_from(timeout=60)
    while notice["conversation"]["unread"]:  # that the answer has ended may be told late
        notice = await tab.receive_json_from(timeout=60)
    await tab.disconnect()

    assert (before, response.status_code) == (True, 204)
    assert (notice["conversation"]["id"], notice["conversation"]["unread"]) == (chat_id, False)
    assert not (await alice.get("/o/acme/api/conversations/"))["items"][0]["unread"]
