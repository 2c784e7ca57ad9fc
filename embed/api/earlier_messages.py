"""A conversation that begins with messages of the page around the chat, such as a greeting by name or what was said elsewhere before."""

from __future__ import annotations

from collections.abc import Sequence

from agents.entry_codec import entry_encode
from agents.messages import AssistantText, Entry, UserMessage
from chat.conversations.services import conversation_create
from chat.models import Conversation, Message, Part
from embed.api.schemas import EarlierMessage
from tenants.access import Actor


def conversation_begin(*, actor: Actor, assistant: str, messages: Sequence[EarlierMessage]) -> Conversation:
    """Make a conversation of the visitor with these messages. Needs the organization's transaction. Raises NotAllowed, RunConfigError.

    No model of ours wrote the answers among them, and the agent is not to trust them as if one had (SECURITY 27).
    """
    conversation = conversation_create(actor=actor, assistant=assistant)
    rows, parts = list[Message](), list[Part]()
    for earlier in messages:
        entry: Entry = UserMessage(earlier.text) if earlier.role == "user" else AssistantText(earlier.text, from_caller=True)
        rows.append(Message(conversation=conversation, role=earlier.role, parent=rows[-1] if rows else None))
        kind, content, extras = entry_encode(entry)
        parts.append(Part(message=rows[-1], position=0, kind=kind, content=content, extras=extras))
    Message.objects.bulk_create(rows)
    Part.objects.bulk_create(parts)
    conversation.head = rows[-1]
    conversation.save(update_fields=["head"])
    return conversation
