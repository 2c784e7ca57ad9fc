"""A provider that writes the key it was sent into its answer, encoded and cut into pieces: neither viewers nor the database get it."""

from __future__ import annotations

import base64
from urllib.parse import quote

import orjson
import pytest
from asgiref.sync import sync_to_async

from chat.models import Part
from doubles.script import Text, Thought
from tenants.db import in_db
from tests.security.secrets.canary import database_text, redis_text
from tests.support.agents.gemini import CANARY_KEY
from tests.support.chat.chat_socket import Browser, chat_socket, text_of
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

FORMS = {
    "plain": CANARY_KEY,
    "base64": base64.b64encode(f"key: {CANARY_KEY}".encode()).decode(),
    "hex": CANARY_KEY.encode().hex(),
    "URL": "".join(f"%{byte:02X}" for byte in CANARY_KEY.encode()),
    "JSON": "".join(f"\\u{ord(each):04x}" for each in CANARY_KEY),
    "reversed": CANARY_KEY[::-1],
}


@pytest.mark.parametrize("form", FORMS)
async def test_an_echoed_key_reaches_neither_viewers_nor_the_database(acme: Workspace, alice: Browser, chat_id: str, form: str) -> None:
    text = f"Look: {FORMS[form]}. That was it."
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    acme.double.answer(Thought(text, pieces=pieces), Text(text, pieces=pieces))
    async with chat_socket(alice, "acme") as socket:
        chunks = await socket.answer(chat_id, "Which key?", thinking=True)
    answer_text = text_of(chunks)
    assert "[removed]" in answer_text
    assert answer_text.endswith(". That was it.")
    export = (await alice.call("GET", f"/o/acme/api/conversations/{chat_id}/export/?format=json")).content
    everywhere = await in_db(database_text, using="system") | await sync_to_async(redis_text)()
    everywhere |= {"frames": orjson.dumps(chunks), "export": export}
    middle = FORMS[form][8:-8]  # of base64 the ends depend on what is beside it
    assert middle.encode() not in orjson.dumps(everywhere["table chat_part"].decode())
    for place, content in everywhere.items():
        assert middle.encode() not in content, place
        assert quote(middle).encode() not in content, place
    assert b"[removed]" in export
    assert any("[removed]" in str(part.content) for part in await acme.rows(Part))
