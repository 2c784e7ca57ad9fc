"""What a send adds to its conversation: the question with its files, and the conversation itself when the question is its first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from uuid import UUID, uuid4

from django.db.models.functions import Now
from django.utils import timezone

from agents.messages import Entry, UserMessage
from agents.run_context import RunProject
from chat.conversations.filing import PROJECT_GONE
from chat.conversations.selectors import parse_uuid
from chat.conversations.services import DEFAULT_TITLE, TEMPORARY, NewMessage, provisional_title
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part
from chat.storage.attached_files import file_entry
from chat.storage.run_writes import part_rows
from chat.storage.send_facts import SendFacts
from files.services import file_rows_insert, files_attach
from tenants.access import Actor
from tenants.errors import NotFound


def new_conversation(actor: Actor, send: NewMessage, text: str, project: RunProject | None) -> Conversation:
    """Return the conversation, not stored yet, that the message begins. Raises NotFound for a project that is gone or somebody else's."""
    if send.project_id is not None and project is None:
        raise NotFound(PROJECT_GONE)
    conversation_id = parse_uuid(send.key)
    return Conversation(
        id=conversation_id or uuid4(),
        client_id="" if conversation_id else send.key,
        owner_id=actor.membership_id,
        title=provisional_title(text),
        project_id=send.project_id,
        listed=not send.temporary,
        expires_at=timezone.now() + TEMPORARY if send.temporary else None,
        updated_at=Now(),
    )


@dataclass(frozen=True, slots=True)
class Question:
    """The new message, not stored yet."""

    row: Message
    entries: tuple[Entry, ...]
    parent_id: UUID | None  # the message that it follows

    @classmethod
    def of(cls, facts: SendFacts, conversation: Conversation, send: NewMessage, text: str, *, parent_id: UUID | None) -> Question:
        """Attach the message's files and return the question."""
        if send.inline_files:
            file_rows_insert(send.inline_files)
        attach = partial(files_attach, actor=facts.member.actor, file_ids=send.file_ids, conversation_id=conversation.pk)
        files = attach() if send.file_ids else []
        if not text and conversation.title == DEFAULT_TITLE:
            conversation.title = provisional_title(files[0].name)
            Conversation.objects.filter(pk=conversation.pk).update(title=conversation.title)
        row = Message(conversation=conversation, parent_id=parent_id, role=Message.Role.USER, client_msg_id=send.client_msg_id)
        return cls(row, (UserMessage(text), *map(file_entry, files)), parent_id)

    @property
    def rows(self) -> list[Message | Part]:
        return [self.row, *part_rows(message_id=self.row.pk, position=0, entries=map(StoredEntry, self.entries))]
