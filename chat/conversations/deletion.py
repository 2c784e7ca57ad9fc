"""Deletes conversations, and takes that back within a few minutes; one or many, each table in one statement.

All functions need the organization's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from artifacts.services import artifacts_delete_of_conversations, artifacts_restore_of_conversations
from chat.conversations.selectors import conversation_get_for_user, conversations_of, key_condition
from chat.conversations.services import require_writer
from chat.models import Conversation, Run
from chat.search.indexing import unindex_conversations
from chat.storage.cancel_waiting import cancel_waiting_runs
from files.services import files_delete_of_conversations, files_restore_of_conversations
from security.audit import audit
from tenants.access import Actor
from tenants.errors import NotFound

UNDO: Final = timedelta(minutes=10)  # the page offers it for seconds, but may have been offline


@dataclass(frozen=True, slots=True)
class DeletedConversations:
    """`run_ids`: the active runs, which the caller must signal to stop."""

    ids: list[UUID]
    run_ids: list[UUID]


def conversation_delete(*, actor: Actor, key: str) -> DeletedConversations:
    """Delete one conversation, as `conversations_delete` does. Raises NotAllowed, NotFound."""
    actor = require_writer(actor)
    return _delete(actor, [conversation_get_for_user(actor=actor, key=key, lock=True).pk])


def conversations_delete(*, actor: Actor, ids: Collection[UUID]) -> DeletedConversations:
    """Mark conversations, their artifacts and their files as deleted. Those that are missing or somebody else's are ignored.

    All get the same time of deletion, by which they are restored. Locks the conversations and ends waiting runs. Raises NotAllowed.
    """
    actor = require_writer(actor)
    rows = conversations_of(actor).filter(pk__in=ids).select_for_update(of=("self",)).order_by("pk")
    return _delete(actor, [row.pk for row in rows.only("pk")])


def _delete(actor: Actor, ids: list[UUID]) -> DeletedConversations:
    if not ids:
        return DeletedConversations([], [])
    cancel_waiting_runs(ids)
    active = Run.objects.filter(conversation_id__in=ids, status__in=Run.ACTIVE)
    run_ids = list(active.values_list("pk", flat=True))
    active.filter(pk__in=run_ids).update(stop_requested_at=Now())
    at = timezone.now()
    Conversation.objects.filter(pk__in=ids).update(deleted_at=at)
    unindex_conversations(ids)
    artifacts_delete_of_conversations(conversation_ids=ids, at=at)
    files_delete_of_conversations(conversation_ids=ids, at=at)
    _audit(actor, "delete", ids)
    return DeletedConversations(ids, run_ids)


def conversation_restore(*, actor: Actor, key: str) -> Conversation:
    """Undo the deletion of a conversation within UNDO, with the artifacts and files that were deleted with it. A stopped answer stays stopped.

    Locks the conversation. Raises NotAllowed, NotFound (also when it isn't deleted, or was purged).
    """
    actor = require_writer(actor)
    rows = list(_deleted_conversations(actor).filter(key_condition(key)).select_for_update())
    if not rows:
        raise NotFound
    _restore(actor, rows)
    return rows[0]


def conversations_restore(*, actor: Actor, ids: Collection[UUID]) -> list[UUID]:
    """Undo the deletion of conversations, like `conversation_restore`. Return the ids of those that are back. Raises NotAllowed."""
    actor = require_writer(actor)
    rows = list(_deleted_conversations(actor).filter(pk__in=ids).select_for_update().order_by("pk"))
    _restore(actor, rows)
    return [row.pk for row in rows]


def _deleted_conversations(actor: Actor) -> QuerySet[Conversation]:
    return Conversation.objects.filter(owner_id=actor.membership_id, deleted_at__gt=timezone.now() - UNDO)


def _restore(actor: Actor, rows: Sequence[Conversation]) -> None:
    ids = [row.pk for row in rows]
    for at in {row.deleted_at for row in rows if row.deleted_at is not None}:  # one, where they were deleted together
        together = [row.pk for row in rows if row.deleted_at == at]
        Conversation.objects.filter(pk__in=together).update(deleted_at=None)
        artifacts_restore_of_conversations(conversation_ids=together, deleted_at=at)
        files_restore_of_conversations(conversation_ids=together, deleted_at=at)
    if ids:
        _audit(actor, "restore", ids)


def _audit(actor: Actor, verb: str, ids: Sequence[UUID]) -> None:
    """Write one event, also for many."""
    is_one = len(ids) == 1
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=f"conversation.{verb}" if is_one else f"conversation.{verb}_several",
        object_kind="conversation",
        object_id=ids[0] if is_one else "",
        object_label="" if is_one else f"{len(ids)} conversations",
        detail={} if is_one else {"ids": [str(each) for each in ids]},
    )
