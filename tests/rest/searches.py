"""Conversations to search in, and searches."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.test import Client

from agents.messages import AssistantText, Entry, UserMessage
from chat.entries import StoredEntry
from chat.models import Message, Part
from chat.search.indexing import conversation_index
from chat.storage.run_writes import part_rows
from tenants.context import tenant_tx
from tenants.models import User
from tests.rest.conftest import make_conversation
from tests.support.accounts.cast import Cast


def say(cast: Cast, user: User, conversation_id: UUID, *entries: Entry) -> UUID:
    """Add a message that is not indexed yet."""
    with tenant_tx(cast.actor(user).organization_id):
        is_question = isinstance(entries[0], UserMessage)
        message = Message.objects.create(conversation_id=conversation_id, role=Message.Role.USER if is_question else Message.Role.ASSISTANT)
        Part.objects.bulk_create(part_rows(message_id=message.pk, position=0, entries=[StoredEntry(entry) for entry in entries]))
    return message.pk


def conversation_with(cast: Cast, user: User, *texts: str, title: str = "Tea") -> tuple[UUID, list[UUID]]:
    """An indexed conversation of these messages."""
    conversation_id = make_conversation(cast, user, title)
    messages = [
        say(cast, user, conversation_id, AssistantText(text) if number % 2 else UserMessage(text)) for number, text in enumerate(texts)
    ]
    index(cast, user, conversation_id)
    return conversation_id, messages


def index(cast: Cast, user: User, conversation_id: UUID) -> None:
    with tenant_tx(cast.actor(user).organization_id):
        assert conversation_index(conversation_id)


def search(client: Client, q: str = "", slug: str = "acme", **query: Any) -> Any:
    response = client.get(f"/o/{slug}/api/search/?{urlencode({'q': q, **query})}")
    assert response.status_code == 200, response.content
    return response.json()


def texts(hit: Any, name: str = "snippet") -> str:
    return "".join(f"[{piece['text']}]" if piece["hit"] else piece["text"] for piece in hit[name])
