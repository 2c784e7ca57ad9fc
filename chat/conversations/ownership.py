"""What becomes of a removed member's conversations, with the documents and files in them (accounts.members.ownership)."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from accounts.members.owned_kinds import OwnedKind
from artifacts.models import Artifact
from chat.conversations.filing import projects_remove
from chat.conversations.personal_export import conversations_export
from chat.models import Conversation, Project, Run, RunView
from chat.search.indexing import unindex_conversations
from chat.storage.cancel_waiting import cancel_waiting_run
from files.models import File
from tenants.errors import NotFound


def conversations_count(membership_id: UUID) -> int:
    return Conversation.objects.filter(owner_id=membership_id, deleted_at=None, listed=True).count()


def runs_end(membership_id: UUID) -> None:
    """Ask every answer under way to stop, and end those that wait. Their owners see it within a second (chat.runs.supervisor)."""
    open_runs = Run.objects.filter(conversation__owner_id=membership_id, finished_at=None)
    for conversation in Conversation.objects.select_for_update().filter(
        pk__in=open_runs.filter(status__in=Run.WAITING).values("conversation_id")
    ):
        cancel_waiting_run(conversation)
    open_runs.filter(stop_requested_at=None).update(stop_requested_at=Now())


def conversation_owner(conversation_id: UUID) -> UUID:
    """Return whose it is, and keep it so until the transaction ends. Raises NotFound."""
    rows = Conversation.objects.select_for_update(of=("self",), no_key=True).filter(pk=conversation_id)
    if (owner_id := rows.values_list("owner_id", flat=True).first()) is None:
        raise NotFound
    return owner_id


def conversations_hand_over(membership_id: UUID, to: UUID) -> None:
    """Give the conversations to another member, with all that is in them and their projects. A client's own ids are dropped.

    Temporary ones stay, and go when their day is over. Answers under way go on: what they make from now on is the new owner's.
    """
    conversations = Conversation.objects.filter(owner_id=membership_id, deleted_at=None, expires_at=None)
    ids = list(conversations.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    # What a run is storing is stored before, and belongs to what moves.
    open_runs = Run.objects.select_for_update(of=("self",)).filter(conversation_id__in=ids, finished_at=None)
    _ = list(open_runs.order_by("pk").values_list("pk", flat=True))
    conversations = Conversation.objects.filter(pk__in=ids)
    conversations.update(owner_id=to, client_id="", kept_at=None, is_pinned=False)
    Project.objects.filter(owner_id=membership_id).update(owner_id=to)
    unindex_conversations(ids)
    Artifact.objects.filter(owner_id=membership_id, conversation_id__in=ids).update(owner_id=to)
    File.objects.filter(owner_id=membership_id, conversation_id__in=ids).update(owner_id=to)


def conversations_archive(membership_id: UUID) -> None:
    """Keep them beyond the policy's days. Nobody opens them until they are handed over, or the member is back."""
    Conversation.objects.filter(owner_id=membership_id, deleted_at=None, kept_at=None).update(kept_at=Now())


def conversations_delete(membership_id: UUID) -> None:
    """Mark what the member still owns as deleted, as if they had done it themselves, but for what is kept. Their saved views go at once."""
    kept_conversations = Conversation.objects.filter(owner_id=membership_id, kept_at__isnull=False)
    own = Conversation.objects.filter(owner_id=membership_id, deleted_at=None, kept_at=None)
    ids = list(own.values_list("pk", flat=True))
    own.update(deleted_at=Now())
    unindex_conversations(ids)
    kept_ids = kept_conversations.values("pk")
    Artifact.objects.filter(owner_id=membership_id, deleted_at=None).exclude(conversation_id__in=kept_ids).update(deleted_at=timezone.now())
    File.objects.filter(owner_id=membership_id, deleted_at=None).filter(Q(conversation_id=None) | ~Q(conversation_id__in=kept_ids)).update(
        deleted_at=Now()
    )
    projects = Project.objects.filter(owner_id=membership_id).exclude(pk__in=kept_conversations.exclude(project=None).values("project_id"))
    projects_remove([*projects.values_list("pk", flat=True)])
    RunView.objects.filter(owner_id=membership_id).delete()


def conversations_return(membership_id: UUID) -> None:
    """The member is back: what was kept is theirs again."""
    Conversation.objects.filter(owner_id=membership_id).update(kept_at=None)


CONVERSATIONS = OwnedKind(
    key="conversations",
    one="conversation, with its documents and files",
    many="conversations, with their documents and files",
    count=conversations_count,
    hand_over=conversations_hand_over,
    archive=conversations_archive,
    delete=conversations_delete,
    give_back=conversations_return,
    begin_removal=runs_end,
    export=conversations_export,
)
