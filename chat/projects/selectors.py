"""Reads of projects, each only of their owner's. All functions need the organization's transaction."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from artifacts.models import Artifact
from chat.conversations.filing import PROJECT_GONE
from chat.conversations.selectors import conversations_of
from chat.models import Conversation, Project
from chat.projects.shapes import ProjectItem
from files.knowledge.models import KnowledgeFile
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.rest.pagination import Page, paginate_newest_first


def projects_list(actor: Actor) -> list[ProjectItem]:
    """Return the actor's projects by name. One query."""
    return [project_item(row) for row in _with_counts(projects_of(actor)).order_by("name", "pk")]


def project_read(*, actor: Actor, project_id: UUID) -> ProjectItem:
    """Raises NotFound when it is missing or somebody else's."""
    row = _with_counts(projects_of(actor).filter(pk=project_id)).first()
    if row is None:
        raise NotFound(PROJECT_GONE)
    return project_item(row)


def project_get(*, actor: Actor, project_id: UUID) -> Project:
    """Return the actor's project, locked. Raises NotFound when it is missing or somebody else's."""
    project = projects_of(actor).filter(pk=project_id).select_for_update(no_key=True).first()
    if project is None:
        raise NotFound(PROJECT_GONE)
    return project


def project_artifacts_list(*, actor: Actor, project_id: UUID, cursor: str, limit: int) -> Page[Artifact]:
    """Return a page of the artifacts of the project's listed conversations, the last changed first.

    Raises NotFound when the project is missing or somebody else's, and BadRequest for a broken cursor.
    """
    if not projects_of(actor).filter(pk=project_id).exists():
        raise NotFound(PROJECT_GONE)
    inside = conversations_of(actor).filter(project_id=project_id, listed=True, archived_at=None)
    artifacts = Artifact.objects.filter(owner_id=actor.membership_id, deleted_at=None, conversation_id__in=inside.values("pk"))
    return paginate_newest_first(artifacts, field="updated_at", cursor=cursor, limit=limit)


def projects_of(actor: Actor) -> QuerySet[Project]:
    return Project.objects.filter(owner_id=actor.membership_id)


def project_item(row: Any) -> ProjectItem:
    """`row` comes from `_with_counts`."""
    return ProjectItem(
        id=row.pk,
        name=row.name,
        description=row.description,
        color=row.color,
        instructions=row.instructions,
        conversation_count=row.conversation_count,
        file_count=row.file_count,
        created_at=row.created_at,
    )


def _with_counts(rows: QuerySet[Project]) -> QuerySet[Any]:
    conversations = Conversation.objects.filter(project_id=OuterRef("pk"), deleted_at=None, listed=True, archived_at=None)
    files = KnowledgeFile.objects.filter(project_id=OuterRef("pk"))
    return rows.annotate(conversation_count=_count(conversations, "project_id"), file_count=_count(files, "project_id"))


def _count(rows: QuerySet[Any], column: str) -> Coalesce:
    counts = rows.order_by().values(column).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)
