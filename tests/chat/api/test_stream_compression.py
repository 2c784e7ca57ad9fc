"""An answer's stream is never compressed, what a client accepts or not; the conversation that it ends in is."""

from __future__ import annotations

import pytest

from doubles.script import Text
from tests.chat.api.test_http_streams import client_of, events, request_body
from tests.support.chat.chat_socket import Browser, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


async def test_a_stream_is_plain_and_the_stored_conversation_packed(acme: Workspace, alice: Browser, chat_id: str) -> None:
    answer = "To the sea. " * 200
    acme.double.answer(Text(answer))
    client, headers = await client_of(alice), {"Accept-Encoding": "gzip"}
    stream = await client.post("/o/acme/api/chat", request_body(chat_id, "Hi"), content_type="application/json", headers=headers)
    assert "Content-Encoding" not in stream.headers
    assert text_of((await events(stream))[:-1]) == answer
    response = await client.get(f"/o/acme/api/conversations/{chat_id}/", headers=headers)
    assert response.headers["Content-Encoding"] == "gzip"
    assert len(response.content) < len(answer) / 2
