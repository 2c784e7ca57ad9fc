"""Sends of a message id that a conversation has already: a repeat gets the existing answer, an edit a branch beside the earlier question.

The AI SDK edits a message with `sendMessage({text, messageId})`: the same id with other content, and `messageId`.
"""

from __future__ import annotations

from uuid import UUID

from agents.messages import File, UserMessage
from chat.conversations.selectors import message_by_name
from chat.conversations.services import NewMessage
from chat.errors import NothingToEdit
from chat.models import Conversation, Message, Run
from chat.storage.run_loading import stored_entries
from chat.storage.send_facts import SendFacts
from files.models import File as StoredFile


def is_repeat(facts: SendFacts, send: NewMessage, text: str) -> bool:
    """Return whether the send gets the answer of the question with its id: the content is the same.

    One that edits asks again with the same content, unless its answer is being written.
    """
    if facts.same_message_id is None or facts.same_run_id is None or not _is_same_content(facts.same_message_id, send, text):
        return False
    return not send.edited_id or Run.objects.filter(pk=facts.same_run_id, status__in=Run.ACTIVE).exists()


def edited_question(facts: SendFacts, send: NewMessage) -> Message | None:
    """Return the question beside which a send that is no repeat is stored. None: it follows the conversation's newest message.

    Raises NothingToEdit.
    """
    if send.edited_id in {"", send.client_msg_id}:
        return Message.objects.get(pk=facts.same_message_id) if facts.same_message_id else None
    question = message_by_name(facts.conversation, send.edited_id) if facts.conversation else None
    if question is None or question.role != Message.Role.USER:
        raise NothingToEdit
    return question


def client_id_free(conversation: Conversation, client_msg_id: str) -> None:
    """Take the client's id from the question that has it, because the client gives it to another one."""
    conversation.messages.filter(client_msg_id=client_msg_id).exclude(client_msg_id="").update(client_msg_id="")


def _is_same_content(question_id: UUID, send: NewMessage, text: str) -> bool:
    entries = [row.entry for row in stored_entries(question_id)]
    texts = [entry.text for entry in entries if isinstance(entry, UserMessage)]
    return texts == [text] and _are_same_files([UUID(entry.id) for entry in entries if isinstance(entry, File)], send)


def _are_same_files(stored_ids: list[UUID], send: NewMessage) -> bool:
    """Compare the files by their bytes: a file inside a request is a new one each time."""
    sent_ids = [*send.file_ids]
    if stored_ids == sent_ids or len(stored_ids) != len(sent_ids):
        return stored_ids == sent_ids
    hashes = dict(StoredFile.objects.filter(pk__in=[*stored_ids, *sent_ids]).values_list("pk", "sha256"))
    hashes |= {file.pk: file.sha256 for file in send.inline_files}
    return [hashes.get(file_id, str(file_id)) for file_id in stored_ids] == [hashes.get(file_id, str(file_id)) for file_id in sent_ids]
