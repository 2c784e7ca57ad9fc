"""The list of a member's conversations: pinned ones first, then the newest activity; paged by key, each page from an index.

The page in the browser puts what it has into the same order (frontend/src/conversations/list.ts and groups.ts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from chat.conversations.selectors import annotate_activity, conversation_item, conversations_of
from chat.conversations.shapes import ConversationItem
from chat.models import Conversation, Run
from tenants.access import Actor
from tenants.rest.pagination import PAGE_SIZE, TIME, Page, newest_first, page_slice, paginate_newest_first, time_cursor, time_cursor_decode

LIST_CURSOR: Final = f"p?{TIME}"  # `p`: of a pinned one
PINNED: Final = "p"


@dataclass(frozen=True, slots=True)
class ListFilters:
    """`title`: contains this text. `running`: True for only those with an active run, False for only the others. `archived`: those alone."""

    updated_since: datetime | None = None
    title: str = ""
    running: bool | None = None
    archived: bool = False
    project_id: UUID | None = None


NO_FILTERS: Final = ListFilters()


def conversation_list(
    *, actor: Actor, filters: ListFilters = NO_FILTERS, cursor: str = "", limit: int = PAGE_SIZE
) -> Page[ConversationItem]:
    """Return a page of the actor's listed conversations. One query. Raises BadRequest for a broken cursor.

    Pinned ones come first in the member's own list. The archive, and the list of a project, are in the order of their last use.
    """
    rows = annotate_activity(_apply_filters(conversations_of(actor).filter(listed=True), filters))
    if filters.archived or filters.project_id is not None:
        page = paginate_newest_first(rows, field="updated_at", cursor=cursor.removeprefix(PINNED), limit=limit)
    else:
        page = page_slice(pinned_first(rows, cursor)[: limit + 1], limit, list_cursor)
    return Page([conversation_item(row) for row in page.items], page.next_cursor)


def conversation_items(actor: Actor, ids: Sequence[UUID]) -> list[ConversationItem]:
    """Return the actor's conversations of these ids. One query."""
    return [conversation_item(row) for row in annotate_activity(conversations_of(actor).filter(pk__in=ids))]


def pinned_first(rows: QuerySet[Conversation], cursor: str) -> QuerySet[Conversation]:
    """Return the rows after the cursor. Raises BadRequest for an invalid one."""
    if cursor and not cursor.startswith(PINNED):
        rows = newest_first(rows.filter(is_pinned=False), field="updated_at", cursor=cursor)
    elif cursor:
        at, last_id = time_cursor_decode(cursor.removeprefix(PINNED))
        rows = rows.filter(Q(is_pinned=False) | Q(updated_at__lt=at) | Q(updated_at=at, id__lt=last_id))
    return rows.order_by("-is_pinned", "-updated_at", "-id")


def list_cursor(row: Conversation) -> str:
    return (PINNED if row.is_pinned else "") + time_cursor(row.updated_at, row.pk)


def _apply_filters(rows: QuerySet[Conversation], filters: ListFilters) -> QuerySet[Conversation]:
    rows = rows.filter(archived_at__isnull=not filters.archived)
    if filters.project_id is not None:
        rows = rows.filter(project_id=filters.project_id)
    if filters.updated_since is not None:
        rows = rows.filter(updated_at__gte=filters.updated_since)
    if filters.title:
        rows = rows.filter(title__icontains=filters.title.replace("\x00", ""))
    if filters.running is not None:
        active = Exists(Run.objects.filter(conversation_id=OuterRef("pk"), status__in=Run.ACTIVE))
        rows = rows.filter(active if filters.running else ~active)
    return rows
