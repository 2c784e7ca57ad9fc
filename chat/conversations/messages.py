"""Writes about single messages: which branch is shown, deletion, feedback. All functions need the organization's transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models.functions import Now

from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.services import require_writer
from chat.errors import AnswerWaits, RunActive
from chat.models import Conversation, Message, MessageFeedback, Run
from chat.search.indexing import unindex_messages
from security.audit import audit
from tenants.access import Actor
from tenants.errors import NotFound


def branch_show(*, actor: Actor, key: str, message_id: UUID) -> UUID:
    """Show the branch with the message, down to its newest message. Return the conversation's id.

    Locks the conversation. Raises NotAllowed, NotFound, RunActive, AnswerWaits.
    """
    conversation = _lock_without_open_run(actor, key)
    tree = _Tree(conversation)
    _show(conversation, tree.newest_below(message_id))
    return conversation.pk


def message_delete(*, actor: Actor, key: str, message_id: UUID) -> UUID:
    """Delete a message with all below it. Return the conversation's id. `message_id`: also the one under which its sender knows it.

    When it was on screen, the newest branch beside it is shown, or what was before it. Artifacts stay. Locks the conversation. Raises
    NotAllowed, NotFound, RunActive, AnswerWaits.
    """
    conversation = _lock_without_open_run(actor, key)
    message_id = _stored_id(conversation, message_id)
    tree = _Tree(conversation)
    deleted_ids = set(tree.below(message_id))
    # Without its client's id: a message that is sent under it again is a new one.
    Message.objects.filter(pk__in=deleted_ids).update(deleted_at=Now(), client_msg_id="")
    unindex_messages(deleted_ids)
    if conversation.head_id in deleted_ids:
        parent_id = tree.parent_of(message_id)
        beside = [sibling for sibling in tree.children_of(parent_id) if sibling != message_id]
        _show(conversation, tree.newest_below(beside[-1]) if beside else parent_id)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="message.delete",
        object_kind="message",
        object_id=message_id,
        detail={"conversation": str(conversation.pk), "messages": len(deleted_ids)},
    )
    return conversation.pk


def feedback_set(*, actor: Actor, key: str, message_id: UUID, rating: str, reasons: Sequence[str], comment: str) -> None:
    """Store what the owner thinks of an answer, in place of what they said before. Raises NotAllowed, NotFound."""
    answer = _answer(actor, key, message_id)
    values = {"rating": rating, "reasons": list(reasons), "comment": comment.replace("\x00", ""), "seen_at": None}
    MessageFeedback.objects.update_or_create(message_id=answer.pk, defaults=values)


def feedback_clear(*, actor: Actor, key: str, message_id: UUID) -> None:
    """Remove the owner's feedback on an answer, if there is any. Raises NotAllowed, NotFound."""
    MessageFeedback.objects.filter(message_id=_answer(actor, key, message_id).pk).delete()


def _answer(actor: Actor, key: str, message_id: UUID) -> Message:
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key)
    answer = conversation.messages.filter(pk=message_id, role=Message.Role.ASSISTANT, deleted_at=None).first()
    if answer is None:
        raise NotFound
    return answer


def _lock_without_open_run(actor: Actor, key: str) -> Conversation:
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key, lock=True)
    run = Run.objects.filter(conversation=conversation, finished_at=None).first()
    if run is not None:
        raise RunActive if run.is_active else AnswerWaits
    return conversation


def _stored_id(conversation: Conversation, message_id: UUID) -> UUID:
    """Return the id of the message. The page that sent it knows it by its own id until it reads the conversation again."""
    stored_id = conversation.messages.filter(client_msg_id=str(message_id), deleted_at=None).values_list("pk", flat=True).first()
    return stored_id or message_id


def _show(conversation: Conversation, head_id: UUID | None) -> None:
    Conversation.objects.filter(pk=conversation.pk).update(head_id=head_id)


class _Tree:
    """The messages of a conversation that are not deleted, without their texts. One query."""

    def __init__(self, conversation: Conversation) -> None:
        rows = conversation.messages.filter(deleted_at=None).order_by("created_at", "id").values_list("pk", "parent_id", "created_at")
        self._created: dict[UUID, datetime] = {}
        self._parents: dict[UUID, UUID | None] = {}
        self._children: dict[UUID | None, list[UUID]] = defaultdict(list)
        for message_id, parent_id, created_at in rows:
            self._created[message_id] = created_at
            self._parents[message_id] = parent_id
            self._children[parent_id].append(message_id)

    def parent_of(self, message_id: UUID) -> UUID | None:
        return self._parents[message_id]

    def children_of(self, message_id: UUID | None) -> list[UUID]:
        """Return the messages that follow it, oldest first. None: the conversation's first messages."""
        return self._children[message_id]

    def below(self, message_id: UUID) -> Iterator[UUID]:
        """Yield the message and all below it, each after its parent. Raises NotFound."""
        if message_id not in self._parents:
            raise NotFound
        waiting = [message_id]
        while waiting:
            current = waiting.pop()
            yield current
            waiting += self._children[current]

    def newest_below(self, message_id: UUID) -> UUID:
        """Return the last message of the branch below the message that was written last. Raises NotFound."""
        leaves = (each for each in self.below(message_id) if not self._children[each])
        return max(leaves, key=lambda each: self._created[each])
