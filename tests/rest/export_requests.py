"""A conversation with a document, and its files over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents.entry_codec import entry_encode
from agents.messages import AssistantText, ToolCall, ToolResult, UserMessage
from artifacts.services import version_create
from chat.models import Conversation, Message, Part
from tenants.context import tenant_tx
from tests.artifacts.support import agent_version, make_artifact
from tests.rest.conftest import make_conversation
from tests.support.accounts.cast import Cast

BASE = "/o/acme/api/"
TEXT = "# Grüner Tee 🍵\n\nΩΨΔ **fett** 漢字 <script>x</script>\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.fixture
def talk(cast: Cast) -> Conversation:
    """Alice's conversation: a question, a call of a tool and an answer, and a document with two versions."""
    conversation_id = make_conversation(cast, cast.alice, title="Tea: a/b")
    alice = cast.actor(cast.alice)
    document = make_artifact(alice, TEXT, conversation_id=conversation_id, title="Tea plan").artifact
    with tenant_tx(alice.organization_id):
        version_create(artifact=document, version=agent_version(TEXT + "more\n", parent=1))
        conversation = Conversation.objects.get(pk=conversation_id)
        question = _message(conversation, "user", None, UserMessage("What is tea?"))
        call = ToolCall("call-1", "web_search", {"query": "tea"})
        answer = _message(
            conversation, "assistant", question, call, ToolResult("call-1", "web_search", "A drink."), AssistantText("A *drink*.")
        )
        conversation.head = answer
        conversation.save(update_fields=["head"])
    return conversation


def _message(conversation: Conversation, role: str, parent: Message | None, *entries: Any) -> Message:
    message = Message.objects.create(conversation=conversation, role=role, parent=parent)
    for position, entry in enumerate(entries):
        kind, content, extras = entry_encode(entry)
        Part.objects.create(message=message, position=position, kind=kind, content=content, extras=extras)
    return message


def export(client: Client, path: str) -> tuple[int, str, bytes]:
    response: Any = client.get(f"{BASE}{path}")
    return response.status_code, response.get("Content-Disposition", ""), b"".join(response)
