"""Where conversations are kept: pinned, archived, in a project (docs/decisions/0038). Each function takes one or many in one statement.

All need the organization's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy

from chat.conversations.selectors import conversations_of
from chat.models import Conversation, Project
from files.knowledge.models import KnowledgeFile
from files.knowledge.services import knowledge_bytes_remove
from tenants.access import Actor
from tenants.errors import BadRequest, NotFound

PROJECT_GONE: Final = gettext_lazy("This project was not found. It may have been deleted.")
MAX_PINNED: Final = 20  # less than PAGE_SIZE of tenants/rest/pagination.py: the first page of the list has all of them, and others


@dataclass(frozen=True, slots=True)
class Filing:
    """What is to change; None: nothing. `moves`: into `project_id`, or out of any project where that is None."""

    pinned: bool | None = None
    archived: bool | None = None
    moves: bool = False
    project_id: UUID | None = None

    @property
    def is_empty(self) -> bool:
        return self.pinned is None and self.archived is None and not self.moves

    def as_columns(self) -> dict[str, Any]:
        """Return the columns' new values. What is pinned is not archived, and the other way round."""
        columns: dict[str, Any] = {}
        if self.archived is not None:
            columns |= {"archived_at": Now(), "is_pinned": False} if self.archived else {"archived_at": None}
        if self.pinned is not None:
            columns |= {"is_pinned": True, "archived_at": None} if self.pinned else {"is_pinned": False}
        return columns | ({"project_id": self.project_id} if self.moves else {})


NO_FILING: Final = Filing()


def conversations_file(*, actor: Actor, ids: Collection[UUID], filing: Filing) -> list[UUID]:
    """File the actor's listed conversations. Return the ids of those that are there; others are ignored.

    The caller holds the membership's lock, so that pinned ones are counted one call at a time. Raises NotFound for a project that is not
    the actor's, and BadRequest when too many would be pinned.
    """
    if filing.moves and filing.project_id is not None:
        project_check(actor, filing.project_id)
    conversations = conversations_of(actor).filter(listed=True)
    rows = list(conversations.filter(pk__in=ids).order_by("pk").values_list("pk", flat=True))
    if filing.pinned and conversations.filter(is_pinned=True).exclude(pk__in=rows).count() + len(rows) > MAX_PINNED:
        raise BadRequest(gettext("At most %(max_pinned)s chats can be pinned. Unpin one first.") % {"max_pinned": MAX_PINNED})
    if rows and not filing.is_empty:
        Conversation.objects.filter(pk__in=rows).update(**filing.as_columns())
    return rows


def project_check(actor: Actor, project_id: UUID) -> None:
    """Raises NotFound for a project that is missing or somebody else's."""
    own = Project.objects.filter(pk=project_id, owner_id=actor.membership_id)
    if own.select_for_update(no_key=True).values_list("pk").first() is None:  # locked: it is not deleted before the caller's commit
        raise NotFound(PROJECT_GONE)


def projects_remove(project_ids: Sequence[UUID]) -> None:
    """Delete projects with their knowledge files. Their conversations stay, outside of any project."""
    if not project_ids:
        return
    Conversation.objects.filter(project_id__in=project_ids).update(project_id=None)
    files = KnowledgeFile.objects.filter(project_id__in=project_ids)
    knowledge_bytes_remove(files)
    files.delete()
    Project.objects.filter(pk__in=project_ids).delete()
