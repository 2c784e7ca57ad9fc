"""After a compaction, opening the conversation sends a short notice, not the text that stands for the older messages."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.conf import settings
from django.test import AsyncClient

from agents.messages import CompactedHistory
from chat.entries import StoredEntry
from chat.models import Part, Run
from chat.storage.run_writes import part_rows
from chat.stream.event_log import LogKeys
from doubles.script import Text
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.redis.clients import redis_client
from tests.support.chat.chat_socket import Browser, chat_socket
from tests.support.chat.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

MAX_BYTES = 4000  # of an answer with one line of text and the notice


def add_compaction(run: Run) -> None:
    with tenant_tx(run.organization_id):
        entry = StoredEntry(CompactedHistory("A line of an old message.\n" * 25_000, covers=0), step=1)
        Part.objects.bulk_create(part_rows(message_id=run.answer_id, position=5, entries=[entry]))


async def test_no_way_to_open_a_conversation_sends_the_compacted_text(acme: Workspace, alice: Browser, chat_id: str) -> None:
    acme.double.answer(Text("Whole."))
    client = AsyncClient()
    client.cookies[settings.SESSION_COOKIE_NAME] = alice.client.cookies[settings.SESSION_COOKIE_NAME].value
    async with chat_socket(alice, "acme") as socket:
        await socket.answer(chat_id, "Go")
        run = (await acme.rows(Run))[-1]
        await in_db(add_compaction, run)
        await redis_client().delete(LogKeys.of(run.pk).log)
        by_socket = orjson.dumps(await socket.chunks(await socket.resume(chat_id)))
    by_rest = (await alice.call("GET", f"/o/acme/api/conversations/{chat_id}/")).content
    response: Any = await client.get(f"/o/acme/api/chat/{chat_id}/stream")
    by_events = b"".join([part async for part in response.streaming_content])

    for content in (by_socket, by_rest, by_events):
        assert b"A line of an old message." in content
        assert b"Older messages were shortened" in content
        assert len(content) < MAX_BYTES
