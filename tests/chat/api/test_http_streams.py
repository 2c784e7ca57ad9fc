"""The HTTP twins of the socket: POST api/chat and GET api/chat/<id>/stream, as any AI SDK client calls them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import orjson
import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import AsyncClient

from chat.models import Conversation
from doubles.script import Text
from doubles.signals import Gate
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser, text_of, types_of
from tests.support.chat.workspace import Workspace
from tests.support.stores.statements import statements

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


def request_body(chat_id: str, text: str, **fields: Any) -> dict[str, Any]:
    message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": chat_id, "trigger": "submit-message", "messages": [message], **fields}


async def client_of(browser: Browser) -> AsyncClient:
    client = AsyncClient()
    client.cookies[settings.SESSION_COOKIE_NAME] = browser.client.cookies[settings.SESSION_COOKIE_NAME].value
    return client


async def events(response: Any) -> list[Any]:
    body = b"".join([part async for part in response.streaming_content]).decode()
    data = [line.removeprefix("data: ") for line in body.split("\n\n") if line.startswith("data: ")]
    return [orjson.loads(line) if line != "[DONE]" else line for line in data]


async def test_a_post_streams_the_answer_as_server_sent_events(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Over HTTP."))

    response = await (await client_of(alice)).post("/o/acme/api/chat", request_body(chat_id, "Hi"), content_type="application/json")
    chunks = await events(response)

    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert chunks[-1] == "[DONE]"
    assert text_of(chunks[:-1]) == "Over HTTP."
    assert types_of(chunks[:-1])[-1] == "finish"


async def test_session_and_member_of_a_post_are_read_by_one_statement(acme: Workspace, alice: Browser, chat_id: str) -> None:
    """The stream that is watched asks for nobody again."""
    acme.double.answer(Text("Over HTTP."))
    client = await client_of(alice)
    async with statements() as queries:
        await events(await client.post("/o/acme/api/chat", request_body(chat_id, "Hi"), content_type="application/json"))
    auth_queries = [sql for sql in queries if "session_data" in sql or 'FROM "tenants_user"' in sql]
    assert auth_queries == queries[:1] != []


async def test_an_id_that_is_no_uuid_names_the_conversation_too(acme: Workspace, alice: Browser) -> None:
    acme.double.default(Text("Yes."))
    client = await client_of(alice)

    for _ in range(2):
        await events(await client.post("/o/acme/api/chat", request_body("my-own-id_1", "Hi"), content_type="application/json"))

    conversations = await acme.rows(Conversation)
    assert [row.client_id for row in conversations] == ["my-own-id_1"]
    assert len((await alice.get("/o/acme/api/conversations/my-own-id_1/"))["messages"]) == 4


async def test_resume_replays_a_running_answer(acme: Workspace, alice: Browser, chat_id: str) -> None:
    gate = Gate()
    acme.double.answer(Text("One "), gate, Text("two."))
    client = await client_of(alice)

    post_response = await client.post("/o/acme/api/chat", request_body(chat_id, "Hi"), content_type="application/json")
    resume_response = await client.get(f"/o/acme/api/chat/{chat_id}/stream")
    gate.release()

    assert text_of((await events(resume_response))[:-1]) == "One two."
    assert text_of((await events(post_response))[:-1]) == "One two."


async def test_resume_of_an_idle_conversation_is_204(acme: Workspace, alice: Browser, chat_id: str) -> None:
    response = await (await client_of(alice)).get(f"/o/acme/api/chat/{chat_id}/stream")
    assert response.status_code == 204


@pytest.mark.parametrize("key", ["a" * 65, "with space", "a.b", "\u00e9", "%00"])
async def test_a_stream_of_an_id_that_can_name_no_conversation_is_404(acme: Workspace, alice: Browser, key: str) -> None:
    response = await (await client_of(alice)).get(f"/o/acme/api/chat/{key}/stream")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


async def test_of_the_history_only_the_last_message_is_read(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Yes."))
    body = request_body(chat_id, "Hi")
    body["messages"] = [{"role": "data", "parts": "whatever the client keeps"}, *body["messages"]]
    response = await (await client_of(alice)).post("/o/acme/api/chat", body, content_type="application/json")
    assert text_of((await events(response))[:-1]) == "Yes."


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"messages": []}, "no message"),
        ({"messages": [{"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "I am the model."}]}]}, "no message"),
        ({"id": "../etc"}, "id"),
        ({"temperature": 2}, "temperature"),
        ({"messages": [{"id": "m", "role": "user", "parts": [{"type": "text", "text": "  "}]}]}, "empty"),
    ],
)
async def test_a_request_that_does_not_fit_is_refused_by_name(
    acme: Workspace, alice: Browser, chat_id: str, change: dict[str, Any], word: str
) -> None:
    body = request_body(chat_id, "Hi") | change
    response = await (await client_of(alice)).post("/o/acme/api/chat", body, content_type="application/json")
    assert response.status_code == 400
    assert word in response.json()["error"]["message"]
    assert await acme.rows(Conversation) == []


async def test_a_request_that_is_too_long_or_a_form_is_refused_in_words(acme: Workspace, alice: Browser, chat_id: str) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    client.cookies[settings.SESSION_COOKIE_NAME] = alice.client.cookies[settings.SESSION_COOKIE_NAME].value
    client.cookies[settings.CSRF_COOKIE_NAME] = "c" * 32
    headers = {"X-CSRFToken": "c" * 32}
    body = request_body(chat_id, "Hi", history="x" * 3_300_000)
    long = await client.post("/o/acme/api/chat", body, content_type="application/json", headers=headers)
    form = await client.post("/o/acme/api/chat", {"id": chat_id}, headers=headers)
    assert (long.status_code, form.status_code) == (413, 415)
    message = "The request is too large. Send only the last message, and upload its files before."
    assert long.json()["error"] == {"code": "too_large", "message": message}
    assert form.json()["error"]["code"] == "unsupported_media"
    assert await acme.rows(Conversation) == []


async def test_a_post_without_the_csrf_token_is_refused(acme: Workspace, alice: Browser, chat_id: str) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    client.cookies[settings.SESSION_COOKIE_NAME] = alice.client.cookies[settings.SESSION_COOKIE_NAME].value
    response = await client.post("/o/acme/api/chat", request_body(chat_id, "Hi"), content_type="application/json")
    assert response.status_code == 403


async def test_strangers_and_viewers_may_not_post(acme: Workspace, cast: Cast, vera: Browser, charlie: Browser, chat_id: str) -> None:
    body = request_body(chat_id, "Hi")
    as_viewer = await (await client_of(vera)).post("/o/acme/api/chat", body, content_type="application/json")
    as_stranger = await (await client_of(charlie)).post("/o/acme/api/chat", body, content_type="application/json")
    signed_out = await AsyncClient().post("/o/acme/api/chat", body, content_type="application/json")
    assert [as_viewer.status_code, as_stranger.status_code, signed_out.status_code] == [403, 404, 401]
    await sync_to_async(cast.acme.refresh_from_db)()
    assert acme.double.requests == []


@pytest.mark.parametrize("signed_in", [False, True])
async def test_a_program_without_a_token_is_refused_in_json(acme: Workspace, alice: Browser, chat_id: str, signed_in: bool) -> None:
    """CSRF is checked before anything else, and Django's own refusal is a page."""
    client = AsyncClient(enforce_csrf_checks=True)
    if signed_in:
        client.cookies = (await client_of(alice)).cookies
    response = await client.post("/o/acme/api/chat", request_body(chat_id, "Hi"), content_type="application/json")
    assert (response.status_code, response.json()["error"]["code"]) == ((403, "not_allowed") if signed_in else (401, "not_signed_in"))
